"""Connections to one PostgreSQL schema, embedded or on a server of the user's own."""

from __future__ import annotations

import os
import select
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakKeyDictionary

import psycopg
from psycopg import sql
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from outcrop.closeable import Closeable
from outcrop.errors import ConfigError, NotFoundError, StorageError
from outcrop.store.address import (
    URL_VARIABLE,
    Address,
    Connection,
    ServerInfo,
    is_database_url,
)
from outcrop.store.batch import BinaryDumper, BinaryValue, Statement, fetch_all
from outcrop.store.copies import TableCopy
from outcrop.store.lexical.postings import POSTINGS
from outcrop.store.migrate import ensure_extension, migrate
from outcrop.store.projects.choose import Space, choose_space
from outcrop.store.projects.identity import (
    DEFAULT_SCHEMA,
    check_name,
    has_embedded_index,
    name_from_environment,
)
from outcrop.store.sketches.rounded import VECTORS
from outcrop.store.sketches.table import SketchCache

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from outcrop.store.batch import Rows

__all__ = [
    "Connection",
    "Database",
    "DatabaseKey",
    "ServerInfo",
    "is_database_url",
]

_WORKER_CONNECTIONS = 2
_POOL_SECONDS = 60.0
_POOL_CHECK_SECONDS = 5.0
_MAX_UNCHECKED_SECONDS = 10.0
_BEGIN_VIEW = Statement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
_END_VIEW = Statement("COMMIT")


@dataclass(frozen=True, slots=True)
class DatabaseKey:
    """What another process needs to open the same database.

    Attributes:
        project: The folder whose embedded server it is on; None with a URL.
        url: The server's URL, with the password.
        schema: The schema of the index.
    """

    project: Path | None
    url: str | None = field(repr=False)
    schema: str


class Database(Closeable):
    """A pool of connections to one schema; safe to use from several threads.

    Attributes:
        info: Which server it is on.
        space: Which project it is of, and the schema.
        wait_seconds: How long to wait for a connection.
        sketches: The sketches of the embeddings that this process has read.
        postings: The words, if this process has read them.
        vectors: The embeddings in low precision, if this process has read them.
    """

    wait_seconds = _POOL_SECONDS

    def __init__(
        self,
        address: Address,
        choose: Callable[[Connection], Space],
        *,
        max_connections: int,
    ) -> None:
        """Connect, check the server and bring the schema up to date.

        Prefer `open`, which finds out what to connect to.
        """
        self._address = address
        self._process = os.getpid()
        self.sketches = SketchCache()
        self.postings = TableCopy(self.read, POSTINGS)
        self.vectors = TableCopy(self.read, VECTORS)
        with (
            address.explain_failures("cannot prepare the database"),
            address.connect() as connection,
        ):
            self.info = address.check(connection)
            extension = ensure_extension(connection)
            self.space = choose(connection)
            migrate(connection, self.schema)
        self._search_path = sql.SQL(", ").join(
            sql.Identifier(name) for name in dict.fromkeys((self.schema, extension))
        )
        self._used: WeakKeyDictionary[Connection, float] = WeakKeyDictionary()
        self._pool = ConnectionPool(
            kwargs=address.parameters,
            configure=self._configure,
            check=self._check,
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
        name: str | None = None,
        schema: str | None = None,
        create: bool = True,
        max_connections: int = 8,
    ) -> Self:
        """Open a project's database.

        Args:
            project: The project's folder, or the URL of a database; the project is
                then the current folder.
            url: A database to use in place of the embedded one; without it the
                environment variable `OUTCROP_DATABASE_URL` counts.
            name: The project's name in a shared database; without it the environment
                variable `OUTCROP_PROJECT` counts, and else the folder decides.
            schema: A PostgreSQL schema to use, whichever project it belongs to.
            create: Whether to create a missing index.
            max_connections: How many connections may be open at a time.

        Raises:
            ConfigError: The URL or the name is invalid.
            NotFoundError: There is no index and `create` is false.
            StorageError: The server cannot be reached, started or used.
            SchemaVersionError: A newer Outcrop wrote the schema.
        """
        if schema is not None and name is not None:
            raise ConfigError(
                f"both project {name!r} and schema {schema!r} are given; give one"
            )
        address = Address.find(project, url)
        is_url = isinstance(project, str) and is_database_url(project)
        folder = Path() if is_url else Path(project)
        if address.is_embedded:
            choose = _choose_embedded(folder, name, schema, create=create)
        elif schema is not None:
            choose = _choose_schema(schema)
        else:
            choose = _choose_shared(folder, name, create=create)
        return cls._open(address, choose, max_connections)

    @classmethod
    def join(cls, key: DatabaseKey) -> Self:
        """Open the database that another process has open; see `key`."""
        address = Address.find(key.project or ".", key.url)
        return cls._open(address, _choose_schema(key.schema), _WORKER_CONNECTIONS)

    @classmethod
    def _open(
        cls,
        address: Address,
        choose: Callable[[Connection], Space],
        max_connections: int,
    ) -> Self:
        try:
            return cls(address, choose, max_connections=max_connections)
        except BaseException:
            address.close()
            raise

    @property
    def key(self) -> DatabaseKey:
        """What another process needs to open the same database."""
        return DatabaseKey(self._address.project, self._address.url, self.schema)

    def close(self) -> None:
        """Close all connections and give up the lease on an embedded server.

        In a fork, both still belong to the process that opened them.
        """
        if os.getpid() != self._process:
            return
        self.postings.close()
        self.vectors.close()
        self._pool.close()
        self._address.close()

    @property
    def schema(self) -> str:
        """The PostgreSQL schema that holds the index."""
        return self.space.schema

    @property
    def search_path(self) -> sql.Composed:
        """The schemas a connection looks in, for clients with their own connections."""
        return self._search_path

    def connection_parameters(self) -> dict[str, Any]:
        """Return how to connect; an embedded server that is down is started first."""
        return self._address.parameters()

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
    def view(self, *first: Statement) -> Iterator[tuple[Connection, list[Rows]]]:
        """Yield a connection as `read` does, and the rows of the first statements.

        They are sent together with the one that begins the transaction.
        """
        with self._lend(autocommit=True) as connection:
            _, *rows = fetch_all(connection, [_BEGIN_VIEW, *first])
            yield connection, rows
            fetch_all(connection, [_END_VIEW])

    @contextmanager
    def autocommit(self) -> Iterator[Connection]:
        """Yield a connection without a transaction, for maintenance."""
        with self._lend(autocommit=True) as connection:
            yield connection

    @contextmanager
    def _lend(self, *, autocommit: bool = False) -> Iterator[Connection]:
        connection = self._take()
        try:
            with self._address.explain_failures(), connection:
                # A search often follows a search, and setting it takes time.
                if connection.autocommit is not autocommit:
                    connection.autocommit = autocommit
                yield connection
        finally:
            self._used[connection] = time.monotonic()
            self._pool.putconn(connection)

    def _take(self) -> Connection:
        """Take a connection from the pool.

        The pool does not report its failed attempts to connect. While there is no
        connection, an embedded server is started from here, so that an error says why
        it cannot be started.
        """
        if os.getpid() != self._process:
            # Two processes on one connection would read each other's answers.
            raise StorageError(
                "the index was opened before this process was forked; open it again"
                " in each process"
            )
        deadline = time.monotonic() + self.wait_seconds
        is_embedded = self._address.is_embedded
        patience = _POOL_CHECK_SECONDS if is_embedded else self.wait_seconds
        while True:
            try:
                return self._pool.getconn(timeout=patience)
            except PoolClosed as error:
                raise StorageError("the index is closed; open it again") from error
            except PoolTimeout as error:
                self._address.parameters()
                if time.monotonic() > deadline:
                    raise StorageError(
                        f"no connection to {self._address.location} within "
                        f"{self.wait_seconds:.0f} seconds"
                    ) from error

    def _check(self, connection: Connection) -> None:
        """Raise an error if a connection is broken.

        A server that ends closes its sockets, and otherwise there is nothing to read
        from an idle connection. So one that was used recently needs no round trip.
        """
        idle = time.monotonic() - self._used.get(connection, -_MAX_UNCHECKED_SECONDS)
        if idle >= _MAX_UNCHECKED_SECONDS or _has_input(connection):
            ConnectionPool.check_connection(connection)

    def _configure(self, connection: Connection) -> None:
        # Good plans depend on the values of arrays and limits.
        connection.execute(
            sql.SQL("SET search_path = {}; SET plan_cache_mode = force_custom_plan")
            .format(self._search_path)
            .as_string(connection)
        )
        connection.commit()
        connection.adapters.register_dumper(BinaryValue, BinaryDumper)


def _has_input(connection: Connection) -> bool:
    """Return whether the server has sent something, or that cannot be told."""
    if sys.platform == "win32":
        return True
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    return bool(poll.poll(0))


def _choose_schema(schema: str) -> Callable[[Connection], Space]:
    return lambda _: Space(schema=schema)


def _choose_embedded(
    folder: Path, name: str | None, schema: str | None, *, create: bool
) -> Callable[[Connection], Space]:
    if name is not None:
        raise ConfigError(
            f"project is {name!r}, but the embedded database holds one project only;"
            f" names are for a shared database: set {URL_VARIABLE}"
        )
    if not create and not has_embedded_index(folder):
        raise NotFoundError(
            f"there is no index in {folder} or above it; create one with:"
            " outcrop index PATH"
        )
    return _choose_schema(schema or DEFAULT_SCHEMA)


def _choose_shared(
    folder: Path, name: str | None, *, create: bool
) -> Callable[[Connection], Space]:
    name = check_name(name) if name is not None else name_from_environment()
    resolved = folder.resolve()
    return lambda connection: choose_space(connection, resolved, name, create=create)
