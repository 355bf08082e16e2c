"""Runs of planning, recorded as runs of the store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.planning.plans import ChunkBuildRequest, ChunkBuildResult
    from outcrop.store.runs import Runs

RUN_KIND = "chunk-build"


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
