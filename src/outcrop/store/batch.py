"""Several queries in one statement, and values in the form that is sent fastest.

A statement costs a round trip, and more of the processor's time in the driver and in the
server than most of our queries need. A vector as text has a thousand digits, which take
longer to write and to read than most of what is done with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from psycopg.adapt import Dumper
from psycopg.pq import Format

from outcrop.store.packing import pack_vector

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from outcrop.store.database import Connection

Rows = list[tuple[Any, ...]]


class Ranked(NamedTuple):
    """A query that returns ids with scores.

    Attributes:
        text: The SQL of a query with two columns: an id and a score.
        parameters: The values of its placeholders, which are named.
    """

    text: str
    parameters: Mapping[str, Any]


def fetch(
    connection: Connection, text: str, parameters: Mapping[str, Any] | None = None
) -> Rows:
    """Run a query that is prepared on the server, and return its rows."""
    return connection.execute(text, parameters, prepare=True).fetchall()


def fetch_ranked(connection: Connection, queries: Sequence[Ranked]) -> list[Rows]:
    """Run queries as one statement; return the rows of each, in no particular order.

    Placeholders of the same name have the same value, except that `{at}` in a name
    stands for the number of the query.
    """
    found: list[Rows] = [[] for _ in queries]
    if not queries:
        return found
    texts = []
    parameters: dict[str, Any] = {}
    for at, (text, own) in enumerate(queries):
        query = text.replace("{at}", str(at))
        texts.append(f"SELECT {at}, * FROM ({query}) q{at}")  # noqa: S608 - constants
        parameters |= {name.replace("{at}", str(at)): own[name] for name in own}
    for at, key, score in fetch(connection, " UNION ALL ".join(texts), parameters):
        found[at].append((key, score))
    return found


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
