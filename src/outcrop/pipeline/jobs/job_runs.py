"""Monitoring of runs: counts their progress, ends them, and finds lost jobs.

Every worker does this at intervals, so no run depends on a particular worker.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from outcrop.model.run import RunState
from outcrop.pipeline.jobs import ledger
from outcrop.pipeline.jobs.queue import QUEUE, Batch, defer
from outcrop.store.leases import try_lease
from outcrop.store.runs import RUN_KIND, create_run, end_run, read_run, update_run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from outcrop.pipeline.jobs.ledger import Standing
    from outcrop.store.database import Connection, Database

_IN_WORK = """
SELECT r.id FROM runs r WHERE r.state = 'running'
    AND EXISTS (SELECT FROM run_chunks c WHERE c.run_id = r.id) ORDER BY r.id
"""
_LOCK_RUN = "SELECT state FROM runs WHERE id = %s FOR UPDATE"
_HAS_OPEN = """
SELECT EXISTS (SELECT FROM run_chunks WHERE run_id = %s AND state = 'open')
"""
_HAS_STALE = _HAS_OPEN.replace("open", "stale")
_HAS_JOBS = """
SELECT EXISTS (SELECT FROM procrastinate_jobs WHERE queue_name = %s
    AND status IN ('todo', 'doing') AND (args ->> 'run_id')::bigint = %s)
"""
_STALE = """
SELECT chunk_id, coalesce(note, ''), stages[done + 1] FROM run_chunks
WHERE run_id = %s AND state = 'stale' ORDER BY chunk_id
"""
_FAIL_STALE = """
UPDATE run_chunks SET state = 'failed' WHERE run_id = %s AND state = 'stale'
"""
# One process plans at a time; it holds a lease.
_ABANDONED = """
UPDATE runs r SET state = 'failed', finished_at = now(), updated_at = now(),
    error = 'the process that planned it ended before it was done'
WHERE r.state = 'running' AND r.kind = %s AND r.parameters ? 'host'
    AND NOT EXISTS (SELECT FROM run_chunks c WHERE c.run_id = r.id)
"""
# Plans that belong to no run: only `ChunkBuildOrchestrator` writes such.
_UNFILLED = """
SELECT c.application_id, max(c.pipeline #>> '{service,strategy}') FROM chunks c
WHERE NOT c.indexable AND c.application_id IS NOT NULL AND c.pipeline ? 'content_key'
    AND NOT coalesce(c.pipeline -> 'done', '[]') @> (c.pipeline -> 'stages')
    AND coalesce(c.pipeline -> 'failed', '{}') = '{}'
    AND NOT EXISTS (SELECT FROM run_chunks r
        WHERE r.chunk_id = c.id AND r.state IN ('open', 'stale'))
GROUP BY c.application_id ORDER BY c.application_id
"""
_FORGET = "DELETE FROM run_chunks WHERE run_id = %s"


def runs_in_work(database: Database) -> list[int]:
    """Return the runs whose stages are not finished."""
    with database.read() as connection:
        return [row[0] for row in connection.execute(_IN_WORK)]


def has_open(database: Database, batch: Batch) -> bool:
    """Whether the run of a batch has open chunks."""
    with database.read() as connection:
        return bool(_first(connection, _HAS_OPEN, batch.run_id))


def start_work(
    connection: Connection,
    run_id: int,
    application_id: str,
    *,
    batch_size: int,
    explain_documents: Sequence[str] | None = None,
    retry_failed: bool = False,
) -> Standing:
    """Queue the remaining work of an application as one run; return what was queued.

    The run takes over what other runs have left of it. A run with nothing to do ends
    immediately. If `explain_documents` is given, the chunks of documents are explained
    too, except those explained by models of these names.
    """
    ledger.fill(connection, run_id, application_id, retry=retry_failed)
    if explain_documents is not None:
        ledger.fill_documents(connection, run_id, "summarize", explain_documents)
    others = ledger.take_over(connection, run_id)
    defer(connection, ledger.open_batches(connection, run_id, batch_size))
    for other in sorted(others):
        settle(connection, other)
    standing = ledger.read_standing(connection, run_id)
    note_standing(connection, run_id, standing)
    settle(connection, run_id)
    return standing


def adopt_unfilled(
    database: Database, parameters: Mapping[str, Any], *, batch_size: int
) -> bool:
    """Queue the plans that no run fills, each application's as a run.

    While another process plans, nothing is adopted: it queues its plans itself.

    Returns:
        Whether there were some.
    """
    with database.write() as connection:
        if not try_lease(connection, database.schema, "index"):
            return False
        unfilled = connection.execute(_UNFILLED).fetchall()
        for application_id, strategy in unfilled:
            run = create_run(
                connection,
                RUN_KIND,
                application_id=application_id,
                strategy=strategy,
                parameters={**parameters, "strategy": strategy},
            )
            start_work(connection, run.id, application_id, batch_size=batch_size)
    return bool(unfilled)


def settle(connection: Connection, run_id: int) -> bool:
    """End a run that has nothing left to do; return whether this call did so."""
    if _first(connection, _HAS_OPEN, run_id) or _first(connection, _HAS_STALE, run_id):
        return False
    if _first(connection, _LOCK_RUN, run_id) != RunState.RUNNING:
        return False
    # Counted under the lock, after the last chunk: these counts are final.
    note_standing(connection, run_id, ledger.read_standing(connection, run_id))
    end_run(connection, run_id, RunState.DONE, None)
    connection.execute(_FORGET, (run_id,))
    return True


def note_standing(connection: Connection, run_id: int, standing: Standing) -> None:
    """Write the progress of a run into its statistics, unless it has ended.

    The final counts are written when the run ends, and its ledger is emptied then: a
    worker that counts afterwards would overwrite them with zeros.
    """
    if _first(connection, _LOCK_RUN, run_id) != RunState.RUNNING:
        return
    chunks = asdict(standing)
    statistics = {"stages": chunks.pop("stages"), "chunks": chunks}
    update_run(connection, run_id, statistics=statistics)


def add_note(database: Database, run_id: int, note: str) -> None:
    """Add a note for the user to a run, unless it is there already."""
    with database.write() as connection:
        _first(connection, _LOCK_RUN, run_id)
        run = read_run(connection, run_id)
        notes = list(run.statistics.get("notes", [])) if run is not None else []
        if run is not None and note not in notes:
            statistics = {"notes": [*notes, note]}
            update_run(connection, run_id, statistics=statistics)


def find_lost(connection: Connection, run_id: int, *, batch_size: int) -> bool:
    """Queue open chunks that have no job; return whether there were some.

    This is rare, because a job is created in the transaction that makes it due. But a job
    that a worker could not finish, because its database was unavailable for too long, is
    lost.
    """
    if not _first(connection, _HAS_OPEN, run_id) or _has_jobs(connection, run_id):
        return False
    _first(connection, _LOCK_RUN, run_id)
    if _has_jobs(connection, run_id):
        return False  # another worker was faster
    batches = ledger.open_batches(connection, run_id, batch_size)
    defer(connection, batches)
    return bool(batches)


def fail_abandoned(database: Database, kind: str) -> None:
    """Fail runs whose planning process was killed; call it while holding the lease."""
    with database.write() as connection:
        connection.execute(_ABANDONED, (kind,))


def fail_stale(database: Database, run_id: int) -> None:
    """Fail chunks whose files change faster than they can be planned."""
    with database.write() as connection:
        for chunk_id, note, stage in connection.execute(_STALE, (run_id,)).fetchall():
            batch = Batch(run_id=run_id, stage=stage, chunk_ids=(chunk_id,))
            ledger.note_failed(connection, stage, {chunk_id: note})
            failures = ledger.describe_failures(connection, batch, {chunk_id: note})
            update_run(connection, run_id, errors=failures)
        connection.execute(_FAIL_STALE, (run_id,))


def waits_for_plan(connection: Connection, run_id: int) -> bool:
    """Whether the only remaining work of a run is to plan stale chunks again."""
    return bool(
        _first(connection, _HAS_STALE, run_id)
        and not _first(connection, _HAS_OPEN, run_id)
    )


def _has_jobs(connection: Connection, run_id: int) -> bool:
    row = connection.execute(_HAS_JOBS, (QUEUE, run_id)).fetchone()
    return bool(row and row[0])


def _first(connection: Connection, query: Any, run_id: int) -> Any:
    row = connection.execute(query, (run_id,)).fetchone()
    return None if row is None else row[0]
