"""Copies of tables in the memory of a process that searches often.

Reading a whole table takes as long as some hundred searches in it, so it is done after as
many, by a thread, while searches go on in the database. A copy serves the searches that see
the state it was read in, and is read again some time after a change.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Generic, TypeVar

from psycopg import Error

from outcrop.errors import OutcropError

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from outcrop.store.address import Connection

_log = logging.getLogger(__name__)

_MIN_SEARCHES = 40
_CLOSING_SECONDS = 5.0  # a page is read in less

_State = TypeVar("_State")
_Copy = TypeVar("_Copy")


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyReader(Generic[_State, _Copy]):
    """How a table is copied.

    Attributes:
        read: Reads the table in a transaction that sees one state, and returns the state
            and the copy; None if it is too large, or if the event was set meanwhile.
        chunks_per_search: The number of chunks whose reading takes as long as a search
            in the copy saves.
    """

    read: Callable[[Connection, Event], tuple[_State, _Copy] | None]
    chunks_per_search: int


class TableCopy(Generic[_State, _Copy]):
    """The latest copy of one table; safe to use from several threads."""

    def __init__(
        self,
        connect: Callable[[], AbstractContextManager[Connection]],
        reader: CopyReader[_State, _Copy],
    ) -> None:
        """Begin without a copy.

        Args:
            connect: Opens a connection that sees one state of the database.
            reader: Reads the table.
        """
        self._connect = connect
        self._reader = reader
        self._lock = Lock()
        self._known: tuple[_State, _Copy] | None = None
        self._wanted: _State | None = None  # what the last searches saw
        self._searches = 0
        self._has_tried = False
        self._thread: Thread | None = None
        self._is_closed = Event()

    def find(self, state: _State, chunks: int) -> _Copy | None:
        """Return the copy of the state that a search sees, if it was read.

        Args:
            state: The state.
            chunks: The number of chunks of the index.
        """
        copy = self.peek(state)
        if copy is not None:
            return copy
        with self._lock:
            if state != self._wanted:
                self._wanted, self._searches = state, 0
                self._known, self._has_tried = None, False
            self._searches += 1
            enough = chunks // self._reader.chunks_per_search
            if self._searches >= max(_MIN_SEARCHES, enough):
                self._start()
        return None

    def peek(self, state: _State) -> _Copy | None:
        """Return the copy of a state, if it was read, without counting a search."""
        known = self._known
        return known[1] if known is not None and known[0] == state else None

    def _start(self) -> None:
        """Start reading, once for each state: where that fails, it would fail again."""
        is_busy = self._thread is not None and self._thread.is_alive()
        if self._has_tried or is_busy or self._is_closed.is_set():
            return
        self._has_tried = True
        self._thread = Thread(target=self._fill, name="outcrop-copy", daemon=True)
        self._thread.start()

    def _fill(self) -> None:
        try:
            with self._connect() as connection:
                known = self._reader.read(connection, self._is_closed)
        except (OutcropError, Error, MemoryError) as error:
            _log.debug("a table is not copied into memory: %s", error)
            return
        with self._lock:
            if known is not None and known[0] == self._wanted:
                self._known = known

    def wait(self, seconds: float | None = None) -> None:
        """Wait for the thread that reads, if there is one, at most some seconds."""
        if self._thread is not None:
            self._thread.join(seconds)

    def close(self) -> None:
        """Stop reading, and forget the copy."""
        self._is_closed.set()
        self.wait(_CLOSING_SECONDS)
        self._known = None
