"""Where a database is, and how to connect to it: a server by URL, or an embedded one."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import psycopg
from psycopg import conninfo

from outcrop.errors import ConfigError, StorageError
from outcrop.store.failures import explain_failure, first_line, unreadable
from outcrop.store.projects.identity import FOLDER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from outcrop.store.server.embedded import EmbeddedServer

URL_VARIABLE = "OUTCROP_DATABASE_URL"

_PLACE = frozenset({"host", "port", "dbname"})
_OLDEST_SERVER = 150_000
_OLDEST_VECTOR = (0, 7)  # the first with sparse vectors
_RETRY_SECONDS = 60.0
_POLL_SECONDS = 0.02
# Messages of a server that will accept connections later: any, and an embedded one.
_STARTING = ("starting up", "recovery mode", "not yet accepting connections")
# The server is there, and refuses what the URL names.
_REFUSED = ("password", "authentication", "does not exist", "pg_hba.conf")
_EMBEDDED_STARTING = (
    *_STARTING,
    "shutting down",
    "too many clients",
    "administrator command",
)

Connection = psycopg.Connection[tuple[Any, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerInfo:
    """The server of a database.

    Attributes:
        version: PostgreSQL's version, as the server reports it.
        vector_version: Version of the extension `vector`.
        location: Where it is, without a password.
        embedded: Whether Outcrop runs it.
        notice: Why an embedded server's data is not in the project, if so.
    """

    version: str
    vector_version: tuple[int, ...]
    location: str
    embedded: bool
    notice: str | None = None


def is_database_url(text: str) -> bool:
    """Return whether a text is the URL of a database rather than a path."""
    return text.startswith(("postgresql://", "postgres://"))


def find_url(given: str | None) -> str | None:
    """Return the URL of the database to use, or None for the embedded one."""
    return given or os.environ.get(URL_VARIABLE) or None


def split_urls(url: str | None) -> list[str]:
    """Return the URLs of the databases of an index, which white space separates.

    A URL cannot contain white space, so the separator is unambiguous; anything else is
    left as it is, for the message that it is not a URL.
    """
    parts = (url or "").split()
    if url is None or not all(map(is_database_url, parts)):
        return [] if url is None else [url]
    return parts


class Address:
    """Where a database is; an embedded server is started by the first connection."""

    def __init__(
        self,
        parameters: Callable[[], dict[str, Any]],
        *,
        location: str,
        url: str | None = None,
        server: EmbeddedServer | None = None,
    ) -> None:
        """Prefer `find`."""
        self.parameters = parameters
        self.location = location
        self.url = url
        self._server = server

    @classmethod
    def find(cls, project: Path | str = ".", url: str | None = None) -> Self:
        """Find out where the database of a project is; nothing is connected yet.

        Args:
            project: The project's folder, or the URL of a database.
            url: A database to use in place of the embedded one; without it the
                environment variable `OUTCROP_DATABASE_URL` counts.

        Raises:
            ConfigError: The URL is invalid.
            StorageError: There is no embedded server for this system.
        """
        if isinstance(project, str) and is_database_url(project):
            url = project
        url = find_url(url)
        if len(split_urls(url)) > 1:
            raise ConfigError(
                f"{URL_VARIABLE} names several databases, which this command cannot"
                " use; name one of them here"
            )
        if url is not None:
            given = _parse_url(url)
            return cls(lambda: given, location=_describe(given), url=url)
        if sys.platform == "win32":
            raise StorageError(
                "there is no embedded server on Windows; set "
                f"{URL_VARIABLE} to a PostgreSQL server"
            )
        from outcrop.store.server.embedded import EmbeddedServer

        server = EmbeddedServer(Path(project) / FOLDER)
        return cls(server.ensure_running, location=str(server.folder), server=server)

    @property
    def is_embedded(self) -> bool:
        """Whether Outcrop runs the server."""
        return self._server is not None

    @property
    def project(self) -> Path | None:
        """The folder whose embedded server it is; None for a server by URL."""
        return None if self._server is None else self._server.folder.parent

    def close(self) -> None:
        """Give up the lease on an embedded server."""
        if self._server is not None:
            self._server.close()

    def connect(self) -> Connection:
        """Connect for the first time, waiting for a server that recovers.

        Raises:
            StorageError: The server cannot be started or reached.
        """
        deadline = time.monotonic() + _RETRY_SECONDS
        while True:
            try:
                return psycopg.connect(**self.parameters())
            except psycopg.OperationalError as error:
                if not self._may_come_back(error) or time.monotonic() > deadline:
                    raise self._unreachable(error) from error
            time.sleep(_POLL_SECONDS)

    def _may_come_back(self, error: psycopg.OperationalError) -> bool:
        said = str(error)
        if self._server is None:
            return any(hint in said for hint in _STARTING)
        # An embedded server that was killed a moment ago refuses connections, or
        # accepts them while it replays its log.
        return "FATAL:" not in said or any(hint in said for hint in _EMBEDDED_STARTING)

    def _unreachable(self, error: psycopg.OperationalError) -> StorageError:
        if self._server is None:
            # The driver repeats host and port in front of the reason.
            reason = first_line(error).rpartition(" failed: ")[2]
            is_refused = any(hint in reason for hint in _REFUSED)
            advice = (
                "check the user, the password and the name of the database"
                if is_refused
                else f"start the server, or check {URL_VARIABLE}"
            )
            return StorageError(
                f"cannot reach the database at {self.location}: {reason}; {advice}"
            )
        return self._server.find_full_disk() or unreadable(error, self.location)

    @contextmanager
    def explain_failures(self, failed: str = "the database failed") -> Iterator[None]:
        """Turn errors of the driver into errors with a readable message.

        `failed` says what could not be done.

        Raises:
            StorageError: The database refused or failed.
        """
        try:
            yield
        except (psycopg.Error, UnicodeEncodeError) as error:
            raise explain_failure(error, self.location, self._server, failed) from error

    def check(self, connection: Connection) -> ServerInfo:
        """Return what is known of the server.

        Raises:
            StorageError: It is too old, or has no extension `vector`.
        """
        info = connection.info
        version = info.parameter_status("server_version") or str(info.server_version)
        if info.server_version < _OLDEST_SERVER:
            raise StorageError(
                f"the database at {self.location} is PostgreSQL {version}; Outcrop "
                "needs 15 or newer"
            )
        vector = self._vector_version(connection)
        if vector < _OLDEST_VECTOR:
            raise StorageError(
                f"the extension vector at {self.location} is version "
                f"{'.'.join(map(str, vector))}; Outcrop needs 0.7 or newer: update it "
                "and run ALTER EXTENSION vector UPDATE"
            )
        home = self._server.home if self._server is not None else None
        return ServerInfo(
            version=version,
            vector_version=vector,
            location=self.location if home is None else str(home.path),
            embedded=self._server is not None,
            notice=home.notice if home is not None else None,
        )

    def _vector_version(self, connection: Connection) -> tuple[int, ...]:
        row = connection.execute(
            "SELECT coalesce(installed_version, default_version)"
            " FROM pg_available_extensions WHERE name = 'vector'"
        ).fetchone()
        if row is None:
            raise StorageError(
                f"the database at {self.location} has no extension vector; install "
                "pgvector on that server (its package is often called "
                "postgresql-<version>-pgvector)"
            )
        return tuple(int(part) for part in str(row[0]).split("."))


def _parse_url(url: str) -> dict[str, Any]:
    refused = ConfigError(
        f"{URL_VARIABLE} or --database-url is not a PostgreSQL URL; write it as "
        "postgresql://user:password@host:5432/database"
    )
    if not is_database_url(url):
        raise refused
    try:
        return conninfo.conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        # The driver's own message repeats the URL, and with it the password.
        raise refused from None


def describe_place(url: str) -> str:
    """Name a database by server, port and name alone."""
    given = _parse_url(url)
    return _describe({name: given[name] for name in given if name in _PLACE})


def _describe(parameters: dict[str, Any]) -> str:
    user = f"{parameters['user']}@" if "user" in parameters else ""
    host = parameters.get("host", "")
    port = f":{parameters['port']}" if "port" in parameters else ""
    return f"postgresql://{user}{host}{port}/{parameters.get('dbname', '')}"
