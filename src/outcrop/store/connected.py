"""The base of every part of the store: an open database, and reading from it."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any, TypeVar

from outcrop.closeable import Closeable
from outcrop.errors import StorageError
from outcrop.store.failures import is_lost

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from outcrop.store.database import Connection, Database, ServerInfo

_log = logging.getLogger(__name__)
_RETRY_SECONDS = 10.0
_RETRY_PAUSE = 0.05
_TRUST_REFERENCES = "SET LOCAL session_replication_role = replica"
_Result = TypeVar("_Result")


class ConnectedStore(Closeable):
    """A store with an open database.

    Safe to use from several threads, and by several processes at a time.
    """

    def __init__(self, database: Database) -> None:
        """Use an open database; closing the store closes it."""
        self._database = database

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    @property
    def server(self) -> ServerInfo:
        """Which server this is."""
        return self._database.info

    def _read(self, run: Callable[[Connection], _Result]) -> _Result:
        """Read in one snapshot; again if the connection to the server is lost.

        The connections to a server that is killed fail one by one, so the next one
        may be lost as well.
        """
        deadline = time.monotonic() + _RETRY_SECONDS
        while True:
            try:
                with self._database.read() as connection:
                    return run(connection)
            except StorageError as error:
                if not is_lost(error) or time.monotonic() > deadline:
                    raise
                _log.info("reading again: %s", error)
            time.sleep(_RETRY_PAUSE)

    def _trust_references(self, connection: Connection) -> None:
        """Do not look up what the rows of a transaction refer to, as it is stored.

        That would take a third of the time of writing chunks. Only a superuser may turn
        it off.
        """
        if self._database.info.embedded:
            connection.execute(_TRUST_REFERENCES)

    def _fetch(
        self, statement: str, parameters: Sequence[Any] | Mapping[str, Any] = ()
    ) -> list[tuple[Any, ...]]:
        """Return the rows of one statement."""
        return self._read(
            lambda connection: connection.execute(statement, parameters).fetchall()
        )
