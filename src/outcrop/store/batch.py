"""Statements that are prepared on the server and sent without waiting in between.

A search asks the database about ten times, and most of its questions do not depend on the
answers to others. Values are given in the form that is sent fastest: a vector as text has
a thousand digits, which take longer to write and to read than most of what is done with
it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from psycopg.adapt import Dumper
from psycopg.pq import Format

from outcrop.store.packing import pack_vector

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray
    from psycopg import Cursor

    from outcrop.store.address import Connection

Rows = list[tuple[Any, ...]]


class Statement(NamedTuple):
    """A statement with its values.

    Attributes:
        text: The SQL, with named placeholders as the driver has them.
        parameters: The values of the placeholders.
    """

    text: str
    parameters: Mapping[str, Any] = {}


def fetch(
    connection: Connection, text: str, parameters: Mapping[str, Any] | None = None
) -> Rows:
    """Run a statement that is prepared on the server, and return its rows."""
    return connection.execute(text, parameters, prepare=True).fetchall()


def fetch_all(
    connection: Connection,
    statements: Sequence[Statement],
    more: Callable[[], Iterable[Statement]] | None = None,
) -> list[Rows]:
    """Run statements, without waiting for one before the next; return the rows of each.

    Args:
        connection: In a transaction, or one that needs none.
        statements: The statements.
        more: Called while the server works; returns statements to run after the others,
            each of which is sent before the next is asked for. It must not use the
            connection.
    """
    if not statements and more is None:
        return []
    with connection.pipeline():
        cursors = [_send(connection, statement) for statement in statements]
        if more is not None:
            cursors += [_send(connection, statement) for statement in more()]
    return [cursor.fetchall() if cursor.description else [] for cursor in cursors]


def _send(connection: Connection, statement: Statement) -> Cursor[tuple[Any, ...]]:
    return connection.execute(*statement, prepare=True)


def array_literal(texts: Collection[str]) -> str:
    """Return texts as an array of PostgreSQL, which the driver sends faster than a list."""
    joined = "".join(texts)
    if "\\" in joined or '"' in joined:
        texts = [text.replace("\\", "\\\\").replace('"', '\\"') for text in texts]
    return '{"' + '","'.join(texts) + '"}' if texts else "{}"


class BinaryValue(bytes):
    """A value as PostgreSQL stores it; the query says of which type it is."""

    __slots__ = ()


class BinaryDumper(Dumper):
    """Sends a `BinaryValue` as it is."""

    format = Format.BINARY
    oid = 0  # the server takes the type from the query

    def dump(self, obj: BinaryValue) -> BinaryValue:
        """Return the bytes to send."""
        return obj


def vector_value(vector: NDArray[np.float32]) -> BinaryValue:
    """Return a `vector` for a parameter of a query."""
    return BinaryValue(pack_vector(vector))
