"""Planned chunks, stages that leave a trace, and workers for both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outcrop.model.stored import Document, StageOutcome, StoredChunk
from outcrop.pipeline.jobs import job_runs
from outcrop.pipeline.jobs.batch import BatchRunner
from outcrop.pipeline.jobs.queue import ensure_tables
from outcrop.pipeline.jobs.settings import WorkerSettings
from outcrop.pipeline.jobs.worker import Worker
from outcrop.store.store import PostgresStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from outcrop.store.database import Connection, Database

STAGES = ("first", "second", "third")
QUICK = WorkerSettings(
    batch_size=8,
    retry_seconds=0.01,
    heartbeat_seconds=0.1,
    stalled_seconds=0.6,
    poll_seconds=0.1,
)
_TRACE = """
UPDATE chunks SET explain_md = coalesce(explain_md, '') || %s WHERE id = ANY(%s)
"""


class Tracing:
    """Reads chunks, and adds to each the names of the stages it went through."""

    def __init__(self, database: Database) -> None:
        self._store = PostgresStore(database)

    def get_chunks(self, ids: Sequence[str]) -> list[StoredChunk]:
        return self._store.get_chunks(list(ids))

    def put_facts(
        self,
        connection: Connection,
        chunks: Sequence[StoredChunk],
        facts: Sequence[StageOutcome],
    ) -> set[str]:
        ids = {fact.chunk_id for fact in facts}
        assert ids <= {chunk.id for chunk in chunks}
        added = str(facts[0].values["explain_md"])
        connection.execute(_TRACE, (added, list(ids)))
        return ids


class Tracer:
    """A stage that says its name, unless `trouble` has something against it."""

    def __init__(
        self, name: str, trouble: Callable[[str, Sequence[StoredChunk]], None]
    ) -> None:
        self.name = name
        self._trouble = trouble

    def run(self, batch: Sequence[StoredChunk], context: Any) -> list[StageOutcome]:
        self._trouble(self.name, batch)
        return [
            StageOutcome(chunk_id=chunk.id, values={"explain_md": f"<{self.name}>"})
            for chunk in batch
        ]


def no_trouble(stage: str, batch: Sequence[StoredChunk]) -> None:
    """Let everything go well."""


def make_worker(
    database: Database,
    trouble: Callable[[str, Sequence[StoredChunk]], None] = no_trouble,
    settings: WorkerSettings = QUICK,
) -> Worker:
    """Return a worker that knows the stages of the tests."""
    stages = {name: Tracer(name, trouble) for name in STAGES}
    runner = BatchRunner(database, Tracing(database), stages, lambda _: None, settings)
    return Worker(database, runner, settings)


def plan(store: PostgresStore, texts: Iterable[str], *, name: str = "demo") -> str:
    """Store chunks that no stage has seen; return the application's id."""
    application = store.put_application(name)
    chunks = [
        StoredChunk(
            path=f"{name}.py",
            chunk_id=f"chunk {number}",
            source="code",
            content=text,
            chunk_index=number,
            application_id=application,
            pipeline={
                "stages": list(STAGES),
                "service": {"strategy": "test", "priority": number % 3 * 5},
            },
        )
        for number, text in enumerate(texts)
    ]
    document = Document(path=f"{name}.py", kind="code", fingerprint="x")
    store.replace_documents([(document, chunks)])
    return application


def begin(store: PostgresStore, application: str) -> int:
    """Put all that is left to do into the queue, as a new run."""
    database = store._database
    ensure_tables(database)
    run = store.create_run("chunk-build", application_id=application)
    with database.write() as connection:
        job_runs.start_work(
            connection, run.id, application, batch_size=QUICK.batch_size
        )
    return run.id


def traces(database: Database) -> dict[str, str | None]:
    """Return which stages each chunk went through, by its text."""
    # As the store reads: a server that was just killed may still have to notice it.
    return PostgresStore(database)._read(
        lambda connection: dict(
            connection.execute("SELECT content, explain_md FROM chunks").fetchall()
        )
    )


def leftovers(database: Database) -> list[int]:
    """Return how many jobs, rows of the ledger and workers there are."""
    return PostgresStore(database)._read(
        lambda connection: [
            connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608
            for table in ("procrastinate_jobs", "run_chunks", "procrastinate_workers")
        ]
    )
