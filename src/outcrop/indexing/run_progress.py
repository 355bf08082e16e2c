"""Records the progress and failures of an index run in the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outcrop.indexing.report import IndexReport, OnProgress, Progress
    from outcrop.store.runs import Runs

STAGE = "documents"


class RunProgress:
    """Records progress, and forwards it to a callback."""

    def __init__(
        self, store: Runs, run_id: int, on_progress: OnProgress | None = None
    ) -> None:
        """Follow one run.

        Args:
            store: Stores runs.
            run_id: The run.
            on_progress: Called as well.
        """
        self._store = store
        self._run_id = run_id
        self._on_progress = on_progress
        self._noted = {"done": 0, "total": 0, "failed": 0}

    def __call__(self, progress: Progress) -> None:
        """Record progress."""
        if progress.total_files:
            self._note(done=progress.files, total=progress.total_files)
        if self._on_progress is not None:
            self._on_progress(progress)

    def finish(self, report: IndexReport) -> None:
        """Record the report and the end of the run."""
        done, failed = len(report.added) + len(report.changed), len(report.problems)
        total = max(self._noted["total"], done + failed)
        if total:
            self._note(done=done, total=total, failed=failed)
        problems = [
            {"path": problem.path, "error": problem.reason}
            for problem in report.problems
        ]
        if problems:
            self._store.update_run(self._run_id, errors=problems)
        self._store.finish_run(self._run_id, statistics=report.statistics())

    def _note(self, **counts: int) -> None:
        """Record counts; the store adds them up, so it gets the difference."""
        added = {name: count - self._noted[name] for name, count in counts.items()}
        self._noted |= counts
        if any(added.values()):
            self._store.update_run(self._run_id, stages={STAGE: added})
