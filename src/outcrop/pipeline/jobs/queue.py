"""The queue: procrastinate, on the connections and in the schema of the index."""

from __future__ import annotations

import asyncio
import json
import re
import time
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import psycopg
from procrastinate import App, PsycopgConnector, SyncPsycopgConnector
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job
from procrastinate.manager import JobManager
from procrastinate.schema import SchemaManager

from outcrop.errors import SchemaVersionError
from outcrop.store.migrate import lock_migrations
from outcrop.store.recorded_settings import read_setting, write_setting

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence
    from typing import LiteralString

    from procrastinate.connector import Notify

    from outcrop.store.database import Connection, Database

QUEUE = "outcrop"
TASK = "outcrop.stage"

_FIRST_PAUSE = 0.05
_MAX_PAUSE_SECONDS = 2.0
# SQLSTATE prefixes of a server that stops, is not ready, or lost the connection.
_PASSING_STATES = ("57P01", "57P02", "57P03", "08")
_Result = TypeVar("_Result")

# Writes on the connection it is given, without one of its own.
_deferrer = JobManager(SyncPsycopgConnector())

_NAME = re.compile(r"\d\d\.\d\d\.\d\d_\d\d_\w+\.sql")
_SETTING = "queue"


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """The content of a job: a stage and some chunks.

    Attributes:
        run_id: The run it belongs to.
        stage: The stage to run.
        chunk_ids: The chunks to run it on.
        priority: Batches with greater values are done first.
        tries: Number of failed tries.
        deaths: Number of workers that died of the batch this one was halved from.
    """

    run_id: int
    stage: str
    chunk_ids: tuple[str, ...]
    priority: int = 0
    tries: int = 0
    deaths: int = 0

    def halves(self, *, tries: int, deaths: int) -> tuple[Batch, Batch]:
        """Return this batch as two."""
        middle = len(self.chunk_ids) // 2
        first, second = self.chunk_ids[:middle], self.chunk_ids[middle:]
        return (
            replace(self, chunk_ids=first, tries=tries, deaths=deaths),
            replace(self, chunk_ids=second, tries=tries, deaths=deaths),
        )


def defer(
    connection: Connection, batches: Sequence[Batch], *, pause: float = 0.0
) -> None:
    """Queue batches in the transaction of a connection, due after a pause in seconds."""
    if not batches:
        return
    due = datetime.now(UTC) + timedelta(seconds=pause) if pause else None
    jobs = [
        Job(
            queue=QUEUE,
            task_name=TASK,
            priority=batch.priority,
            lock=None,
            queueing_lock=None,
            scheduled_at=due,
            task_kwargs={**asdict(batch), "chunk_ids": list(batch.chunk_ids)},
        )
        for batch in batches
    ]
    _deferrer.batch_defer_jobs(jobs=jobs, connection=connection)


def is_passing(error: BaseException) -> bool:
    """Whether a database error means that the server is temporarily unavailable."""
    cause = error.__cause__ if isinstance(error, ConnectorException) else error
    if not isinstance(cause, psycopg.OperationalError):
        return False
    return cause.sqlstate is None or cause.sqlstate.startswith(_PASSING_STATES)


class PatientConnector(PsycopgConnector):
    """Connections that survive a restart of the server.

    Otherwise a worker would end when its server is briefly unavailable, with its job still
    marked as being done. This connector waits and repeats the query.
    """

    def __init__(
        self, database: Database, *, connections: int, patience_seconds: float
    ) -> None:
        self._patience = patience_seconds

        async def parameters() -> dict[str, Any]:
            # Starting an embedded server takes some time.
            return await asyncio.to_thread(database.connection_parameters)

        async def configure(connection: psycopg.AsyncConnection[Any]) -> None:
            path = database.search_path.as_string(connection)
            await connection.execute(f"SET search_path = {path}".encode())
            if not connection.autocommit:
                await connection.commit()

        super().__init__(
            kwargs=parameters,
            configure=configure,
            min_size=1,
            max_size=connections,
            name="outcrop-queue",
        )

    async def execute_query_async(self, query: LiteralString, **arguments: Any) -> None:
        """Run a query; see `PsycopgConnector`."""
        run = super().execute_query_async
        await self._insist(lambda: run(query, **arguments))

    async def execute_query_one_async(
        self, query: LiteralString, **arguments: Any
    ) -> dict[str, Any]:
        """Run a query for one row; see `PsycopgConnector`."""
        run = super().execute_query_one_async
        return await self._insist(lambda: run(query, **arguments))

    async def execute_query_all_async(
        self, query: LiteralString, **arguments: Any
    ) -> list[dict[str, Any]]:
        """Run a query for all rows; see `PsycopgConnector`."""
        run = super().execute_query_all_async
        return await self._insist(lambda: run(query, **arguments))

    async def listen_notify(
        self, on_notification: Notify, channels: Iterable[str]
    ) -> None:
        """Listen for new jobs; see `PsycopgConnector`.

        Channels are shared by the whole database. A notification for another project's
        job costs one query; an abort notification for it could abort a job of the same
        number here, so aborts are left to procrastinate's polling of the table.
        """
        channels = list(channels)
        listen = super().listen_notify

        async def pass_on(*, channel: str, payload: str) -> None:
            if json.loads(payload)["type"] == "job_inserted":
                await on_notification(channel=channel, payload=payload)

        await self._insist(lambda: listen(pass_on, channels))

    async def _insist(self, run: Callable[[], Awaitable[_Result]]) -> _Result:
        deadline = time.monotonic() + self._patience
        pause = _FIRST_PAUSE
        while True:
            try:
                return await run()
            except ConnectorException as error:
                if not is_passing(error) or time.monotonic() > deadline:
                    raise
            await asyncio.sleep(pause)
            pause = min(_MAX_PAUSE_SECONDS, pause * 2)


def open_app(database: Database, *, patience_seconds: float) -> App:
    """Return procrastinate's view of a database; nothing is connected yet."""
    # For fetching, finishing and heartbeats, which are all short.
    connector = PatientConnector(
        database, connections=3, patience_seconds=patience_seconds
    )
    return App(connector=connector)


def ensure_tables(database: Database) -> None:
    """Create the tables of the queue, or upgrade them.

    Safe to call from several processes at once; takes one query when there is nothing
    to do.

    Raises:
        SchemaVersionError: A newer procrastinate created the tables.
        StorageError: They cannot be created.
    """
    with database.read() as connection:
        found = _read(connection)
    newest = known_steps()[-1]
    if found == newest:
        return
    if found is None:
        _create(database)
    else:
        _upgrade(database)


@cache
def known_steps() -> tuple[str, ...]:
    """Return the steps of the installed procrastinate, in order."""
    folder = Path(SchemaManager.get_migrations_path())
    return tuple(sorted(f.name for f in folder.iterdir() if _NAME.fullmatch(f.name)))


def _create(database: Database) -> None:
    with database.write() as connection:
        lock_migrations(connection)
        if _read(connection) is not None:
            return  # another process was faster
        connection.execute(SchemaManager.get_schema())
        connection.execute(_own_tables())
        write_setting(connection, _SETTING, {"step": known_steps()[-1]})


def _upgrade(database: Database) -> None:
    for step in known_steps():
        with database.write() as connection:
            lock_migrations(connection)
            found = _read(connection) or ""
            if found > known_steps()[-1]:
                raise SchemaVersionError(
                    f"the tables of the queue are at step {found!r}, but the installed "
                    f"procrastinate knows steps up to {known_steps()[-1]!r}; install "
                    "a newer one"
                )
            if step > found:
                file = Path(SchemaManager.get_migrations_path()) / step
                connection.execute(file.read_bytes())
                write_setting(connection, _SETTING, {"step": step})


def _read(connection: Connection) -> str | None:
    setting = read_setting(connection, _SETTING)
    return None if setting is None else str(setting["step"])


def _own_tables() -> bytes:
    return (resources.files("outcrop.pipeline.jobs") / "tables.sql").read_bytes()
