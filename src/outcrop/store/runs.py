"""Runs: begun, followed and ended, each step in a transaction of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outcrop.model.run import Run, RunState
from outcrop.store._text import to_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from outcrop.store.database import Connection

# The first failures say what is wrong; their number is in the statistics.
MOST_ERRORS = 100

_COLUMNS = """
    id, kind, state, application_id, strategy, parameters, statistics, errors, error,
    started_at, updated_at, finished_at
"""
_FIELDS = [name.strip() for name in _COLUMNS.split(",")]
_CREATE = f"""
INSERT INTO runs (kind, application_id, strategy, parameters)
VALUES (%s, %s, %s, %s::jsonb) RETURNING {_COLUMNS}
"""  # noqa: S608 - names of columns
_LOCK = "SELECT statistics, errors FROM runs WHERE id = %s FOR UPDATE"
_UPDATE = """
UPDATE runs SET statistics = %s::jsonb, errors = %s::jsonb, updated_at = now()
WHERE id = %s
"""
_END = f"""
UPDATE runs SET state = %s, error = %s, finished_at = now(), updated_at = now()
WHERE id = %s AND state = 'running' RETURNING {_COLUMNS}
"""  # noqa: S608 - as above
_FAIL_RUNNING = """
UPDATE runs SET state = 'failed', error = %s, finished_at = now(), updated_at = now()
WHERE kind = %s AND state = 'running' AND id <> %s
"""
_GET = f"SELECT {_COLUMNS} FROM runs WHERE id = %s"  # noqa: S608 - as above
_LIST = f"""
SELECT {_COLUMNS} FROM runs
WHERE %(application)s::text IS NULL OR application_id = %(application)s
ORDER BY id DESC LIMIT %(limit)s
"""  # noqa: S608 - as above


def create_run(
    connection: Connection,
    kind: str,
    application_id: str | None,
    strategy: str | None,
    parameters: Mapping[str, Any],
) -> Run:
    """Note that a run has begun."""
    given = (kind, application_id, strategy, _json(parameters))
    return _unpack(connection.execute(_CREATE, given).fetchone() or ())


def update_run(
    connection: Connection,
    run_id: int,
    *,
    statistics: Mapping[str, Any],
    stages: Mapping[str, Mapping[str, int]],
    errors: Iterable[Mapping[str, Any]],
) -> bool:
    """Note how far a run is; return whether there is such a run.

    Several workers may do so at a time: counts of stages are added up.

    Args:
        connection: In a transaction.
        run_id: The run.
        statistics: Values to set.
        stages: Counts to add to those of each stage.
        errors: Failures to append.
    """
    row = connection.execute(_LOCK, (run_id,)).fetchone()
    if row is None:
        return False
    known: dict[str, Any] = {**row[0], **statistics}
    counts: dict[str, dict[str, int]] = known.setdefault("stages", {})
    for stage, added in stages.items():
        of_stage = counts.setdefault(stage, {})
        for name, number in added.items():
            of_stage[name] = of_stage.get(name, 0) + number
    noted = [*row[1], *map(dict, errors)][:MOST_ERRORS]
    connection.execute(_UPDATE, (_json(known), _json(noted), run_id))
    return True


def end_run(
    connection: Connection, run_id: int, state: RunState, error: str | None
) -> Run | None:
    """Note that a run has ended; one that ended before stays as it is."""
    row = connection.execute(_END, (str(state), error, run_id)).fetchone()
    return read_run(connection, run_id) if row is None else _unpack(row)


def fail_running(
    connection: Connection, kind: str, error: str, but: int | None = None
) -> int:
    """Note that all runs of a kind that never ended have failed, but for one."""
    return connection.execute(_FAIL_RUNNING, (error, kind, but or 0)).rowcount


def read_run(connection: Connection, run_id: int) -> Run | None:
    """Return a run, or None."""
    row = connection.execute(_GET, (run_id,)).fetchone()
    return None if row is None else _unpack(row)


def read_runs(
    connection: Connection, application_id: str | None, limit: int
) -> list[Run]:
    """Return the last runs, the newest first."""
    parameters = {"application": application_id, "limit": limit}
    return list(map(_unpack, connection.execute(_LIST, parameters)))


def _unpack(row: Sequence[Any]) -> Run:
    values = dict(zip(_FIELDS, row, strict=True))
    values["state"] = RunState(values["state"])
    return Run(**values)


def _json(value: object) -> str:
    return to_json(value, default=str)
