"""Connections to one PostgreSQL schema, embedded or on a server of the user's own."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import psycopg
from psycopg import conninfo, sql
from psycopg_pool import ConnectionPool, PoolTimeout

from outcrop.errors import ConfigError, StorageError
from outcrop.store.failures import explain_failure, first_line, unreadable
from outcrop.store.migrate import migrate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

    from outcrop.store.server import EmbeddedServer

URL_VARIABLE = "OUTCROP_DATABASE_URL"
FOLDER = ".outcrop"
DEFAULT_SCHEMA = "outcrop"

_OLDEST_SERVER = 150_000
_OLDEST_VECTOR = (0, 7)  # the first with sparse vectors
_RETRY_SECONDS = 60.0
_POOL_SECONDS = 60.0
_POOL_CHECK_SECONDS = 5.0
_POLL_SECONDS = 0.02
# What a server says that takes connections later, any server and our own.
_COMING = ("starting up", "recovery mode", "not yet accepting connections")
_OURS_COMING = (*_COMING, "shutting down", "too many clients", "administrator command")

Connection = psycopg.Connection[tuple[Any, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerInfo:
    """What is known of the server behind a database.

    Attributes:
        version: PostgreSQL's version, as it says it itself.
        vector_version: Version of the extension `vector`.
        location: Where it is, without a password.
        embedded: Whether Outcrop runs it.
        notice: Why an embedded server's data is not in the project, where it is not.
    """

    version: str
    vector_version: tuple[int, ...]
    location: str
    embedded: bool
    notice: str | None = None


def is_database_url(text: str) -> bool:
    """Say whether a text is the URL of a database rather than a path."""
    return text.startswith(("postgresql://", "postgres://"))


class Database:
    """A pool of connections to one schema; safe to use from several threads."""

    def __init__(
        self,
        parameters: Callable[[], dict[str, Any]],
        *,
        location: str,
        server: EmbeddedServer | None = None,
        schema: str = DEFAULT_SCHEMA,
        max_connections: int = 8,
    ) -> None:
        """Connect, check the server and bring the schema up to date.

        Prefer `open`, which finds out what to connect to.
        """
        self._parameters = parameters
        self._server = server
        self._location = location
        self.schema = schema
        try:
            with self._connect() as connection:
                self.info = self._check(connection)
                extension = migrate(connection, schema)
        except psycopg.Error as error:
            failed = f"cannot prepare schema {schema!r}"
            raise explain_failure(error, location, server, failed) from error
        self._search_path = sql.SQL(", ").join(
            sql.Identifier(name) for name in dict.fromkeys((schema, extension))
        )
        self._pool = ConnectionPool(
            kwargs=self._parameters,
            configure=self._configure,
            check=ConnectionPool.check_connection,
            min_size=1,
            max_size=max_connections,
            timeout=_POOL_SECONDS,
            num_workers=1,
            open=True,
            name="outcrop",
        )

    @classmethod
    def open(
        cls,
        project: Path | str = ".",
        *,
        url: str | None = None,
        schema: str = DEFAULT_SCHEMA,
        max_connections: int = 8,
    ) -> Self:
        """Open a project's database.

        Args:
            project: The project's folder, or the URL of a database.
            url: A database to use in place of the embedded one; without it the
                environment variable `OUTCROP_DATABASE_URL` counts.
            schema: The PostgreSQL schema that holds the index.
            max_connections: How many connections may be open at a time.

        Raises:
            ConfigError: The URL is none.
            StorageError: The server cannot be reached, started or used.
            SchemaVersionError: A newer Outcrop wrote the schema.
        """
        if isinstance(project, str) and is_database_url(project):
            url = project
        url = url or os.environ.get(URL_VARIABLE) or None
        if url is not None:
            given = _parse_url(url)
            return cls(
                lambda: given,
                location=_describe(given),
                schema=schema,
                max_connections=max_connections,
            )
        return cls._open_embedded(Path(project), schema, max_connections)

    @classmethod
    def _open_embedded(cls, project: Path, schema: str, max_connections: int) -> Self:
        if sys.platform == "win32":
            raise StorageError(
                "there is no embedded server on Windows; set "
                f"{URL_VARIABLE} to a PostgreSQL server"
            )
        from outcrop.store.server import EmbeddedServer

        server = EmbeddedServer(project / FOLDER)
        try:
            return cls(
                server.ensure_running,
                location=str(server.folder),
                server=server,
                schema=schema,
                max_connections=max_connections,
            )
        except BaseException:
            server.close()
            raise

    def close(self) -> None:
        """Close all connections and give up the lease on an embedded server."""
        self._pool.close()
        if self._server is not None:
            self._server.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def search_path(self) -> sql.Composed:
        """The schemas a connection looks in, for clients with their own connections."""
        return self._search_path

    def connection_parameters(self) -> dict[str, Any]:
        """Return how to connect; an embedded server that is down is started first."""
        return self._parameters()

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Yield a connection in a transaction that is committed at the end."""
        with self._lend() as connection:
            connection.isolation_level = None
            connection.read_only = False
            yield connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Yield a connection that sees one state of the database throughout."""
        with self._lend() as connection:
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            connection.read_only = True
            yield connection

    @contextmanager
    def autocommit(self) -> Iterator[Connection]:
        """Yield a connection without a transaction, for maintenance."""
        with self._lend() as connection:
            connection.autocommit = True
            try:
                yield connection
            finally:
                if not connection.closed:
                    connection.autocommit = False

    @contextmanager
    def _lend(self) -> Iterator[Connection]:
        connection = self._take()
        try:
            with connection:
                yield connection
        except (psycopg.Error, UnicodeEncodeError) as error:
            raise explain_failure(error, self._location, self._server) from error
        finally:
            self._pool.putconn(connection)

    def _take(self) -> Connection:
        """Take a connection from the pool.

        The pool keeps its attempts to connect to itself. So while there is no
        connection, an embedded server is asked for here: where it cannot be started,
        the error says why.
        """
        deadline = time.monotonic() + _POOL_SECONDS
        patience = _POOL_SECONDS if self._server is None else _POOL_CHECK_SECONDS
        while True:
            try:
                return self._pool.getconn(timeout=patience)
            except PoolTimeout as error:
                self._parameters()
                if time.monotonic() > deadline:
                    raise StorageError(
                        f"no connection to {self._location} within "
                        f"{_POOL_SECONDS:.0f} seconds"
                    ) from error

    def _configure(self, connection: Connection) -> None:
        # Arrays and limits decide our plans, so a plan made without them is of no use.
        connection.execute(
            sql.SQL("SET search_path = {}; SET plan_cache_mode = force_custom_plan")
            .format(self._search_path)
            .as_string(connection)
        )
        connection.commit()

    def _connect(self) -> Connection:
        """Connect for the first time, waiting for a server that recovers."""
        deadline = time.monotonic() + _RETRY_SECONDS
        while True:
            try:
                return psycopg.connect(**self._parameters())
            except psycopg.OperationalError as error:
                if not self._may_come_back(error) or time.monotonic() > deadline:
                    raise self._unreachable(error) from error
            time.sleep(_POLL_SECONDS)

    def _may_come_back(self, error: psycopg.OperationalError) -> bool:
        said = str(error)
        if self._server is None:
            return any(hint in said for hint in _COMING)
        # An embedded server that was killed a moment ago refuses connections, or
        # takes them while it replays its log.
        return "FATAL:" not in said or any(hint in said for hint in _OURS_COMING)

    def _unreachable(self, error: psycopg.OperationalError) -> StorageError:
        if self._server is None:
            return StorageError(
                f"cannot reach the database at {self._location}: {first_line(error)}; "
                f"start the server, or check {URL_VARIABLE}"
            )
        return self._server.find_full_disk() or unreadable(error, self._location)

    def _check(self, connection: Connection) -> ServerInfo:
        info = connection.info
        version = info.parameter_status("server_version") or str(info.server_version)
        if info.server_version < _OLDEST_SERVER:
            raise StorageError(
                f"the database at {self._location} is PostgreSQL {version}; Outcrop "
                "needs 15 or newer"
            )
        vector = self._vector_version(connection)
        if vector < _OLDEST_VECTOR:
            raise StorageError(
                f"the extension vector at {self._location} is version "
                f"{'.'.join(map(str, vector))}; Outcrop needs 0.7 or newer: update it "
                "and run ALTER EXTENSION vector UPDATE"
            )
        home = self._server.home if self._server is not None else None
        return ServerInfo(
            version=version,
            vector_version=vector,
            location=self._location if home is None else str(home.path),
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
                f"the database at {self._location} has no extension vector; install "
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


def _describe(parameters: dict[str, Any]) -> str:
    user = f"{parameters['user']}@" if "user" in parameters else ""
    host = parameters.get("host", "")
    port = f":{parameters['port']}" if "port" in parameters else ""
    return f"postgresql://{user}{host}{port}/{parameters.get('dbname', '')}"
