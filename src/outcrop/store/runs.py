"""Runs of indexing, planning and stages, recorded so that any process can watch them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outcrop.errors import NotFoundError
from outcrop.model.run import Run, RunState
from outcrop.store.connected import ConnectedStore
from outcrop.store.packing import clean_text, to_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from outcrop.planning.plans import ChunkBuildRequest, ChunkBuildResult
    from outcrop.store.database import Connection

# The first errors say what is wrong; the statistics have their number.
MAX_ERRORS = 100

_COLUMNS = """
    id, kind, state, application_id, strategy, parameters, statistics, errors, error,
    started_at, updated_at, finished_at
"""
_FIELDS = [name.strip() for name in _COLUMNS.split(",")]
_DESCRIBE = """
UPDATE runs SET application_id = %s, strategy = %s, parameters = parameters || %s::jsonb
WHERE id = %s
"""
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
RUN_KIND = "chunk-build"


class Runs(ConnectedStore):
    """The runs of indexing, planning and stages."""

    def create_run(
        self,
        kind: str,
        *,
        application_id: str | None = None,
        strategy: str | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> Run:
        """Begin a run."""
        with self._database.write() as connection:
            return create_run(
                connection,
                kind,
                application_id=application_id,
                strategy=strategy,
                parameters=parameters,
            )

    def describe_run(
        self,
        run_id: int,
        *,
        application_id: str,
        strategy: str,
        parameters: Mapping[str, Any],
    ) -> None:
        """Add to a run what was not known when it began."""
        values = (application_id, strategy, _json(parameters), run_id)
        with self._database.write() as connection:
            connection.execute(_DESCRIBE, values)

    def update_run(
        self,
        run_id: int,
        *,
        statistics: Mapping[str, Any] | None = None,
        stages: Mapping[str, Mapping[str, int]] | None = None,
        errors: Iterable[Mapping[str, Any]] = (),
    ) -> None:
        """Record the progress of a run; several workers may do so at a time.

        Args:
            run_id: The run.
            statistics: Values to set in its statistics.
            stages: Counts to add to those of each stage: `done`, `total`, `failed`.
            errors: Errors to append; the first `MAX_ERRORS` are kept.

        Raises:
            NotFoundError: There is no such run.
        """
        with self._database.write() as connection:
            if not update_run(
                connection, run_id, statistics=statistics, stages=stages, errors=errors
            ):
                raise _unknown(run_id)

    def finish_run(
        self, run_id: int, *, statistics: Mapping[str, Any] | None = None
    ) -> Run:
        """End a run as done; one that has ended before stays as it is.

        Raises:
            NotFoundError: There is no such run.
        """
        if statistics:
            self.update_run(run_id, statistics=statistics)
        return self._end(run_id, RunState.DONE, None)

    def fail_run(self, run_id: int, error: str) -> Run:
        """End a run as failed; one that has ended before stays as it is.

        Raises:
            NotFoundError: There is no such run.
        """
        return self._end(run_id, RunState.FAILED, clean_text(error))

    def fail_running(self, kind: str, error: str, *, but: int | None = None) -> int:
        """End all runs of a kind that never ended as failed; return how many.

        Call this while holding the lease on such runs: their processes were killed.

        `but` names a run that goes on.
        """
        with self._database.write() as connection:
            return connection.execute(_FAIL_RUNNING, (error, kind, but or 0)).rowcount

    def get_run(self, run_id: int) -> Run:
        """Return one run.

        Raises:
            NotFoundError: No run has this id.
        """
        run = self._read(lambda connection: read_run(connection, run_id))
        if run is None:
            raise _unknown(run_id)
        return run

    def runs(self, limit: int = 20, *, application_id: str | None = None) -> list[Run]:
        """Return the last runs, the newest first."""
        parameters = {"application": application_id, "limit": limit}
        return list(map(_unpack, self._fetch(_LIST, parameters)))

    def _end(self, run_id: int, state: RunState, error: str | None) -> Run:
        with self._database.write() as connection:
            run = end_run(connection, run_id, state, error)
        if run is None:
            raise _unknown(run_id)
        return run


# For workers, who record the progress of a run in the transaction of their results.


def create_run(
    connection: Connection,
    kind: str,
    *,
    application_id: str | None,
    strategy: str | None,
    parameters: Mapping[str, Any] | None,
) -> Run:
    """Begin a run in a transaction."""
    values = (kind, application_id, strategy, _json(parameters or {}))
    return _unpack(connection.execute(_CREATE, values).fetchone() or ())


def update_run(
    connection: Connection,
    run_id: int,
    *,
    statistics: Mapping[str, Any] | None = None,
    stages: Mapping[str, Mapping[str, int]] | None = None,
    errors: Iterable[Mapping[str, Any]] = (),
) -> bool:
    """Record the progress of a run; return whether there is such a run."""
    row = connection.execute(_LOCK, (run_id,)).fetchone()
    if row is None:
        return False
    total: dict[str, Any] = {**row[0], **(statistics or {})}
    counts: dict[str, dict[str, int]] = total.setdefault("stages", {})
    for stage, added in (stages or {}).items():
        of_stage = counts.setdefault(stage, {})
        for name, number in added.items():
            of_stage[name] = of_stage.get(name, 0) + number
    all_errors = [*row[1], *map(dict, errors)][:MAX_ERRORS]
    connection.execute(_UPDATE, (_json(total), _json(all_errors), run_id))
    return True


def end_run(
    connection: Connection, run_id: int, state: RunState, error: str | None
) -> Run | None:
    """End a run, or return it as it is if it has ended before; None if unknown."""
    row = connection.execute(_END, (str(state), error, run_id)).fetchone()
    return read_run(connection, run_id) if row is None else _unpack(row)


def read_run(connection: Connection, run_id: int) -> Run | None:
    """Return a run, or None."""
    row = connection.execute(_GET, (run_id,)).fetchone()
    return None if row is None else _unpack(row)


def _unpack(row: Sequence[Any]) -> Run:
    values = dict(zip(_FIELDS, row, strict=True))
    values["state"] = RunState(values["state"])
    return Run(**values)


def _json(value: object) -> str:
    return to_json(value, default=str)


def _unknown(run_id: int) -> NotFoundError:
    return NotFoundError(f"there is no run {run_id} in the index")


class PlanRuns:
    """Runs of planning, recorded as runs of the store; see `ChunkRunStore`.

    Args:
        runs: The store.
        run_id: A run that the caller has begun and that continues after planning. If
            None, a new run is begun and finished.
        parameters: Additional parameters of a new run.
    """

    def __init__(
        self,
        runs: Runs,
        *,
        run_id: int | None = None,
        parameters: dict[str, Any] | None = None,
    ) -> None:
        self._runs = runs
        self._run_id = run_id
        self._parameters = parameters or {}

    def create(self, request: ChunkBuildRequest) -> int:
        """Begin a run; return its id."""
        if self._run_id is not None:
            return self._run_id
        kinds = request.include_kinds
        run = self._runs.create_run(
            RUN_KIND,
            application_id=request.application_id,
            strategy=request.strategy,
            parameters={
                **self._parameters,
                "dry_run": request.dry_run,
                "limit_nodes": request.limit_nodes,
                "batch_size": request.batch_size,
                "include_kinds": None if kinds is None else sorted(map(str, kinds)),
                "with_edges_relations": request.with_edges_relations,
            },
        )
        return run.id

    def progress(self, run_id: int, result: ChunkBuildResult) -> None:
        """Record the progress of a run."""
        self._runs.update_run(run_id, statistics=result.statistics())

    def note_errors(self, run_id: int, errors: Sequence[tuple[str, str]]) -> None:
        """Record errors: (subject, reason)."""
        noted = [
            {"stage": "plan", "subject": subject, "error": reason}
            for subject, reason in errors
        ]
        self._runs.update_run(run_id, errors=noted)

    def finish(self, run_id: int, result: ChunkBuildResult) -> None:
        """Record that planning is done; end the run unless it continues."""
        if self._run_id is None:
            self._runs.finish_run(run_id, statistics=result.statistics())
        else:
            self.progress(run_id, result)

    def fail(self, run_id: int, error: str) -> None:
        """End a run as failed."""
        self._runs.fail_run(run_id, error)
