"""The ledger: the remaining stages of each chunk of a run, and its failures.

A chunk's row is advanced in the transaction that writes the outcome of a stage, and only
from the stage that was run. A second worker finds that it has advanced and writes
nothing.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from outcrop.pipeline.jobs.queue import Batch
from outcrop.pipeline.stage import OPTIONAL_STAGES
from outcrop.store.bulk import lock_documents

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from outcrop.store.database import Connection

# The remaining stages of each chunk. Completed ones are recorded in the chunk, so that a
# later run continues where an earlier one ended.
_FILL_WHERE = """
INSERT INTO run_chunks (run_id, chunk_id, priority, stages, done)
SELECT %(run)s, c.id, coalesce((c.pipeline #>> '{{service,priority}}')::int, 0),
    left_over.stages, 0
FROM chunks c CROSS JOIN LATERAL (
    SELECT array_agg(stage ORDER BY place) AS stages
    FROM jsonb_array_elements_text(c.pipeline -> 'stages')
        WITH ORDINALITY AS planned (stage, place)
    WHERE NOT coalesce(c.pipeline -> 'done', '[]') ? stage AND (%(retry)s
        OR stage <> ALL(%(optional)s)
        OR NOT coalesce(c.pipeline -> 'failed', '{{}}') ? stage)
) left_over
WHERE {condition} AND left_over.stages IS NOT NULL
ORDER BY c.id
ON CONFLICT (run_id, chunk_id) DO UPDATE
    SET stages = excluded.stages, done = 0, state = 'open', note = NULL,
        priority = excluded.priority
"""
_FILL = _FILL_WHERE.format(condition="c.application_id = %(application)s")
_FILL_AGAIN = _FILL_WHERE.format(condition="c.id = ANY(%(ids)s)")
# Stale chunks that were not planned again, or have no stages left.
_DROP_STALE = """
UPDATE run_chunks SET state = 'dropped'
WHERE run_id = %(run)s AND (state = 'stale' OR chunk_id = ANY(%(ids)s))
"""
_DOCUMENTS = """
SELECT c.document_id, c.id FROM chunks c
WHERE c.source = 'doc' AND c.node_id IS NULL AND c.indexable AND c.is_leaf
    AND coalesce(c.explain_quality ->> 'model', '') <> ALL(%s)
ORDER BY c.document_id, c.id
"""
_PLAN_STAGES = "UPDATE chunks SET pipeline = pipeline || %s::jsonb WHERE id = ANY(%s)"
_TAKE_OVER = """
UPDATE run_chunks earlier SET state = 'dropped', note = 'taken over by run ' || %(run)s
FROM run_chunks mine
WHERE earlier.state = 'open' AND earlier.run_id <> %(run)s
    AND mine.run_id = %(run)s AND mine.chunk_id = earlier.chunk_id
    AND mine.state = 'open'
RETURNING earlier.run_id
"""
# Chunks of one file share a batch, so that its text is read once.
_OPEN = """
SELECT r.chunk_id, r.priority, r.stages[r.done + 1]
FROM run_chunks r LEFT JOIN chunks c ON c.id = r.chunk_id
WHERE r.run_id = %(run)s AND r.state = 'open'
    AND (%(ids)s::text[] IS NULL OR r.chunk_id = ANY(%(ids)s))
ORDER BY r.priority DESC, r.stages[r.done + 1], c.document_id, c.place, r.chunk_id
"""
_WAITING = """
SELECT chunk_id FROM run_chunks
WHERE run_id = %s AND chunk_id = ANY(%s) AND state = 'open' AND stages[done + 1] = %s
ORDER BY chunk_id
"""
_LOCK_WAITING = _WAITING + " FOR UPDATE"
# A chunk with a note has failed an optional stage, which now is its last.
_MOVE_ON = """
UPDATE run_chunks SET done = done + 1, state = CASE
    WHEN done + 1 = cardinality(stages) THEN 'done'
    WHEN done + 2 = cardinality(stages) AND note IS NOT NULL THEN 'failed'
    ELSE 'open' END
WHERE run_id = %s AND chunk_id = ANY(%s)
RETURNING chunk_id, CASE WHEN state = 'open' THEN stages[done + 1] END
"""
_POSTPONE = """
UPDATE run_chunks r SET note = given.note,
    stages = stages[:done] || stages[done + 2:] || stages[done + 1:done + 1],
    state = CASE WHEN done + 1 = cardinality(stages) THEN 'failed' ELSE 'open' END
FROM unnest(%s::text[], %s::text[]) AS given (chunk_id, note)
WHERE r.run_id = %s AND r.chunk_id = given.chunk_id AND r.state = 'open'
    AND r.stages[r.done + 1] = %s
RETURNING r.chunk_id, CASE WHEN r.state = 'open' THEN r.stages[r.done + 1] END
"""
_NOTE_FAILED = """
UPDATE chunks c SET pipeline = jsonb_set(c.pipeline, '{failed}',
    coalesce(c.pipeline -> 'failed', '{}') || jsonb_build_object(%s::text, given.note))
FROM unnest(%s::text[], %s::text[]) AS given (chunk_id, note)
WHERE c.id = given.chunk_id
"""
_NOTE_DONE = """
UPDATE chunks SET pipeline = jsonb_set(
    pipeline, '{done}', coalesce(pipeline -> 'done', '[]') || to_jsonb(%(stage)s::text))
    #- ARRAY['failed', %(stage)s::text]
WHERE id = ANY(%(ids)s) AND NOT coalesce(pipeline -> 'done', '[]') ? %(stage)s
"""
_END = """
UPDATE run_chunks r SET state = %s, note = given.note
FROM unnest(%s::text[], %s::text[]) AS given (chunk_id, note)
WHERE r.run_id = %s AND r.chunk_id = given.chunk_id AND r.state = 'open'
    AND r.stages[r.done + 1] = %s
RETURNING r.chunk_id
"""
# A chunk that ended early does not count for the stages after.
_COUNT = """
SELECT stage,
    count(*) FILTER (WHERE place <= done OR state = 'open' OR state = 'failed'
        AND place = done + 1),
    count(*) FILTER (WHERE place <= done),
    count(*) FILTER (WHERE state = 'failed' AND place = done + 1)
FROM run_chunks, unnest(stages) WITH ORDINALITY AS planned (stage, place)
WHERE run_id = %s GROUP BY stage ORDER BY max(place), stage
"""
_COUNT_CHUNKS = (
    "SELECT state, count(*) FROM run_chunks WHERE run_id = %s GROUP BY state"
)
_DESCRIBE = """
SELECT c.id, d.path, c.title, lower(c.span_lines)
FROM chunks c JOIN documents d ON d.id = c.document_id WHERE c.id = ANY(%s)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class StageCount:
    """The progress of a stage.

    Attributes:
        total: Chunks that have this stage.
        done: Chunks that completed it.
        failed: Chunks that it failed on.
    """

    total: int
    done: int
    failed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The progress of a run.

    Attributes:
        stages: The stages by name, in order.
        open: Chunks that are not finished.
        done: Chunks that completed all their stages.
        failed: Chunks that a stage failed on.
        dropped: Chunks that were taken over by another run or deleted.
        stale: Chunks whose file has changed since, to be planned again.
    """

    stages: Mapping[str, StageCount]
    open: int = 0
    done: int = 0
    failed: int = 0
    dropped: int = 0
    stale: int = 0


def fill(
    connection: Connection, run_id: int, application_id: str, *, retry: bool = False
) -> None:
    """Add the remaining work of an application to a run.

    Optional stages that failed are left out unless `retry` is set.
    """
    given = {**_given(run_id, [], retry=retry), "application": application_id}
    connection.execute(_DROP_STALE, given)
    connection.execute(_FILL, given)


def _given(run_id: int, ids: Sequence[str], *, retry: bool) -> dict[str, Any]:
    return {
        "run": run_id,
        "ids": list(ids),
        "retry": retry,
        "optional": list(OPTIONAL_STAGES),
    }


def take_over(connection: Connection, run_id: int) -> set[int]:
    """Drop the chunks of a run from other runs; return those runs."""
    return {row[0] for row in connection.execute(_TAKE_OVER, {"run": run_id})}


def fill_documents(
    connection: Connection, run_id: int, stage: str, models: Sequence[str]
) -> None:
    """Add a stage for all chunks of documents to a run.

    Chunks explained by one of the named models are skipped.
    """
    rows = connection.execute(_DOCUMENTS, (list(models),)).fetchall()
    ids = [row[1] for row in rows]
    lock_documents(connection, {row[0] for row in rows})
    planned = {
        "stages": [stage],
        "done": [],
        "service": {"strategy": "documents", "priority": 0},
    }
    connection.execute(_PLAN_STAGES, (json.dumps(planned), ids))
    connection.execute(_FILL_AGAIN, _given(run_id, ids, retry=True))


def fill_again(connection: Connection, batch: Batch, ids: Sequence[str]) -> None:
    """Add the remaining work of chunks that were planned again to a run."""
    given = _given(batch.run_id, ids, retry=True)
    connection.execute(_DROP_STALE, given)
    connection.execute(_FILL_AGAIN, given)


def open_batches(
    connection: Connection,
    run_id: int,
    size: int,
    *,
    ids: Sequence[str] | None = None,
) -> list[Batch]:
    """Return the next batches of a run, highest priority first."""
    given = {"run": run_id, "ids": None if ids is None else list(ids)}
    groups: dict[tuple[int, str], list[str]] = {}
    for chunk_id, priority, stage in connection.execute(_OPEN, given):
        groups.setdefault((priority, stage), []).append(chunk_id)
    return [
        Batch(
            run_id=run_id,
            stage=stage,
            priority=priority,
            chunk_ids=tuple(ids[start : start + size]),
        )
        for (priority, stage), ids in groups.items()
        for start in range(0, len(ids), size)
    ]


def waiting(connection: Connection, batch: Batch, *, lock: bool = False) -> list[str]:
    """Return the chunks of a batch that wait for its stage, and `lock` their rows."""
    query = _LOCK_WAITING if lock else _WAITING
    given = (batch.run_id, list(batch.chunk_ids), batch.stage)
    return [row[0] for row in connection.execute(query, given)]


def move_on(connection: Connection, batch: Batch, ids: Sequence[str]) -> list[Batch]:
    """Record that locked chunks completed a stage; return the batches of their next ones."""
    rows = connection.execute(_MOVE_ON, (batch.run_id, list(ids))).fetchall()
    note_done(connection, batch.stage, ids)
    return _following(batch, rows)


def _following(batch: Batch, rows: Iterable[tuple[str, str | None]]) -> list[Batch]:
    """Return the batches of the next stages of chunks, which are None at the end."""
    following: dict[str, list[str]] = {}
    for chunk_id, stage in rows:
        if stage is not None:
            following.setdefault(stage, []).append(chunk_id)
    order = {chunk_id: place for place, chunk_id in enumerate(batch.chunk_ids)}
    return [
        Batch(
            run_id=batch.run_id,
            stage=stage,
            priority=batch.priority,
            chunk_ids=tuple(sorted(found, key=order.__getitem__)),
        )
        for stage, found in following.items()
    ]


def note_done(connection: Connection, stage: str, ids: Sequence[str]) -> None:
    """Record in chunks that they completed a stage."""
    connection.execute(_NOTE_DONE, {"stage": stage, "ids": list(ids)})


def give_up(
    connection: Connection, batch: Batch, reasons: Mapping[str, str], *, state: str
) -> dict[str, str]:
    """End chunks that wait for the stage of a batch as `failed`, `dropped` or `stale`.

    Returns:
        The reasons of the chunks that were waiting.
    """
    if not reasons:
        return {}
    ids, notes = list(reasons), list(reasons.values())
    rows = connection.execute(_END, (state, ids, notes, batch.run_id, batch.stage))
    return {row[0]: reasons[row[0]] for row in rows}


def fail(
    connection: Connection, batch: Batch, reasons: Mapping[str, str]
) -> tuple[dict[str, str], list[Batch]]:
    """Record that a stage failed on chunks that wait for it.

    A chunk that is searchable without the stage goes on with the others.

    Returns:
        The reasons of the chunks that were waiting, and the batches of their next stages.
    """
    if batch.stage not in OPTIONAL_STAGES:
        ended, following = give_up(connection, batch, reasons, state="failed"), []
    else:
        given = (list(reasons), list(reasons.values()), batch.run_id, batch.stage)
        rows = connection.execute(_POSTPONE, given).fetchall()
        ended = {row[0]: reasons[row[0]] for row in rows}
        following = _following(batch, rows)
    note_failed(connection, batch.stage, ended)
    return ended, following


def note_failed(connection: Connection, stage: str, reasons: Mapping[str, str]) -> None:
    """Record in chunks that a stage failed on them, and why."""
    if reasons:
        lock_documents(connection, of_chunks=reasons)
        marks = (stage, list(reasons), list(reasons.values()))
        connection.execute(_NOTE_FAILED, marks)


def read_standing(connection: Connection, run_id: int) -> Standing:
    """Count how far a run is."""
    stages = {
        stage: StageCount(total=total, done=done, failed=failed)
        for stage, total, done, failed in connection.execute(_COUNT, (run_id,))
    }
    counts: Iterable[Any] = connection.execute(_COUNT_CHUNKS, (run_id,))
    return Standing(stages=stages, **dict(counts))


def describe_failures(
    connection: Connection, batch: Batch, reasons: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Return failures for display: chunk, path and line, stage and reason."""
    rows = connection.execute(_DESCRIBE, (list(reasons),)).fetchall()
    places = {row[0]: {"path": row[1], "title": row[2], "line": row[3]} for row in rows}
    return [
        {
            "chunk_id": chunk_id,
            **places.get(chunk_id, {}),
            "stage": batch.stage,
            "message": reason,
        }
        for chunk_id, reason in reasons.items()
    ]
