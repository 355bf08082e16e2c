"""Statements that are prepared once per connection and sent without waiting in between.

A search asks the database about ten times. Through a cursor of the driver each statement
takes a round trip and a quarter of a millisecond of the processor in Python, more than
the server needs for most of them. So statements are sent here by the functions of libpq,
several at a time, and values are given in the form that is sent fastest: a vector as text
has a thousand digits, which take longer to write and to read than most of what is done
with it.
"""

from __future__ import annotations

import re
import select
from functools import lru_cache
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

from psycopg import DataError, OperationalError
from psycopg.adapt import Dumper, Transformer
from psycopg.errors import error_from_result
from psycopg.pq import ConnStatus, ExecStatus, Format, TransactionStatus

from outcrop.store.packing import pack_vector

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray
    from psycopg.pq.abc import PGresult

    from outcrop.store.address import Connection

Rows = list[tuple[Any, ...]]

# Statements that a connection keeps prepared.
_MAX_PREPARED = 100
_PLACEHOLDER = re.compile(r"%%|%\((\w+)\)s")
_FAILED = (ExecStatus.FATAL_ERROR, ExecStatus.BAD_RESPONSE, ExecStatus.PIPELINE_ABORTED)


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
    (rows,) = fetch_all(connection, [Statement(text, parameters or {})])
    return rows


def fetch_all(
    connection: Connection,
    statements: Sequence[Statement],
    more: Callable[[], Sequence[Statement]] | None = None,
) -> list[Rows]:
    """Run statements, without waiting for one before the next; return the rows of each.

    Args:
        connection: In a transaction, or one that needs none.
        statements: The statements.
        more: Called while the server works; returns statements to run after the others.
            It must not use the connection.
    """
    if not statements and more is None:
        return []
    status = connection.pgconn.transaction_status
    if status == TransactionStatus.IDLE and not connection.autocommit:
        # The driver begins a transaction with its first statement.
        connection.execute("SELECT")
    channel = _channels.get(connection)
    if channel is None:
        channel = _channels[connection] = _Channel(connection)
    try:
        return channel.run(statements, more)
    except BaseException:
        if channel.is_open:
            # Results that nobody has read would be taken for those of the next statement.
            connection.close()
        raise


class _Channel:
    """What is prepared on one connection.

    Attributes:
        is_open: Whether statements were sent whose results have not been read.
    """

    def __init__(self, connection: Connection) -> None:
        self._pgconn = connection.pgconn
        self._transformer = Transformer(connection)
        self._names: dict[str, bytes] = {}  # by text, those used last at the end
        self._numbers = count()
        self._sent: list[bool] = []  # for each result to come, whether it has rows
        self._new: list[str] = []  # texts that are being prepared
        self.is_open = False

    def run(
        self,
        statements: Sequence[Statement],
        more: Callable[[], Sequence[Statement]] | None,
    ) -> list[Rows]:
        """Send statements and read the results; see `fetch_all`."""
        self._sent.clear()
        self._new.clear()
        self._pgconn.enter_pipeline_mode()
        self.is_open = True
        for statement in statements:
            self._send(statement)
        if more is not None:
            self._flush()
            for statement in more():
                self._send(statement)
        self._pgconn.pipeline_sync()
        self._flush()
        rows, error = self._read_all()
        self._pgconn.exit_pipeline_mode()
        self.is_open = False
        if error is not None:
            for text in self._new:  # perhaps not prepared
                self._names.pop(text, None)
            raise error
        return rows

    def _send(self, statement: Statement) -> None:
        command, names = _translate(statement.text)
        values = [_dump(statement.parameters[name]) for name in names]
        formats = [
            Format.BINARY if isinstance(value, BinaryValue) else Format.TEXT
            for value in values
        ]
        name = self._names.pop(statement.text, None)
        if name is None:
            name = self._prepare(command)
            self._new.append(statement.text)
        self._names[statement.text] = name
        self._pgconn.send_query_prepared(name, values, formats)
        self._sent.append(True)

    def _prepare(self, command: bytes) -> bytes:
        if len(self._names) >= _MAX_PREPARED:
            oldest = self._names.pop(next(iter(self._names)))
            self._pgconn.send_query_params(b"DEALLOCATE " + oldest, None)
            self._sent.append(False)
        name = b"outcrop_%d" % next(self._numbers)
        self._pgconn.send_prepare(name, command)
        self._sent.append(False)
        return name

    def _flush(self) -> None:
        while self._pgconn.flush():
            _wait_for(self._pgconn.socket, is_writing=True)
            self._pgconn.consume_input()

    def _read_all(self) -> tuple[list[Rows], Exception | None]:
        """Return the rows of all statements, and the first error."""
        found: list[Rows] = []
        error: Exception | None = None
        for has_rows in self._sent:
            result = self._read()
            if result.status in _FAILED:
                error = error or error_from_result(result)
            elif has_rows:
                self._transformer.set_pgresult(result)
                found.append(self._transformer.load_rows(0, result.ntuples, tuple))
        self._read()  # the end of all
        return found, error

    def _read(self) -> PGresult:
        """Return the next result; there is nothing between those of two statements."""
        pgconn = self._pgconn
        while True:
            while pgconn.is_busy():
                _wait_for(pgconn.socket)
                pgconn.consume_input()
            result = pgconn.get_result()
            if result is not None:
                return result
            if pgconn.status == ConnStatus.BAD:
                raise OperationalError("the connection was lost")


_channels: WeakKeyDictionary[Connection, _Channel] = WeakKeyDictionary()


def _wait_for(socket: int, *, is_writing: bool = False) -> None:
    """Wait until something can be read, or written."""
    if not hasattr(select, "poll"):
        select.select([socket], [socket] if is_writing else [], [])
        return
    poll = select.poll()
    poll.register(socket, select.POLLIN | (select.POLLOUT if is_writing else 0))
    poll.poll()


@lru_cache(maxsize=500)
def _translate(text: str) -> tuple[bytes, tuple[str, ...]]:
    """Return a statement as the server reads it, and the names of its values."""
    numbers: dict[str, int] = {}

    def number(match: re.Match[str]) -> str:
        name = match[1]
        return "%" if name is None else f"${numbers.setdefault(name, len(numbers) + 1)}"

    return _PLACEHOLDER.sub(number, text).encode(), tuple(numbers)


def _dump(value: object) -> bytes | None:
    """Return a value in the form of the server, which takes its type from the query."""
    if value is None or isinstance(value, BinaryValue):
        return value
    text = array_literal(value) if isinstance(value, (list, tuple)) else str(value)
    if "\0" in text:
        raise DataError("a text cannot contain a NUL in PostgreSQL")
    return text.encode()


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
