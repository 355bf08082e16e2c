"""The part of the store that keeps runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outcrop.errors import NotFoundError
from outcrop.model.run import RunState
from outcrop.store import runs
from outcrop.store._text import clean_text
from outcrop.store.connected import ConnectedStore

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from outcrop.model.run import Run


class RunStore(ConnectedStore):
    """Runs, which any process can follow."""

    def create_run(
        self,
        kind: str,
        *,
        application_id: str | None = None,
        strategy: str | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> Run:
        """Note that a run has begun."""
        with self._database.write() as connection:
            return runs.create_run(
                connection, kind, application_id, strategy, parameters or {}
            )

    def update_run(
        self,
        run_id: int,
        *,
        statistics: Mapping[str, Any] | None = None,
        stages: Mapping[str, Mapping[str, int]] | None = None,
        errors: Iterable[Mapping[str, Any]] = (),
    ) -> None:
        """Note how far a run is.

        Several workers may do so at a time.

        Args:
            run_id: The run.
            statistics: Values to set in its statistics.
            stages: Counts to add to those of each stage: `done`, `total`, `failed`.
            errors: Failures to append; the first hundred are kept.

        Raises:
            NotFoundError: There is no such run.
        """
        with self._database.write() as connection:
            known = runs.update_run(
                connection,
                run_id,
                statistics=statistics or {},
                stages=stages or {},
                errors=errors,
            )
        if not known:
            raise _unknown(run_id)

    def finish_run(
        self, run_id: int, *, statistics: Mapping[str, Any] | None = None
    ) -> Run:
        """Note that a run is done; one that has ended before stays as it is.

        Raises:
            NotFoundError: There is no such run.
        """
        if statistics:
            self.update_run(run_id, statistics=statistics)
        return self._end(run_id, RunState.DONE, None)

    def fail_run(self, run_id: int, error: str) -> Run:
        """Note that a run failed; one that has ended before stays as it is.

        Raises:
            NotFoundError: There is no such run.
        """
        return self._end(run_id, RunState.FAILED, clean_text(error))

    def fail_running(self, kind: str, error: str, *, but: int | None = None) -> int:
        """Note that all runs of a kind that never ended have failed; return how many.

        For whoever holds the lease on such runs: they were killed.

        Args:
            kind: The kind.
            error: What is noted.
            but: A run that goes on.
        """
        with self._database.write() as connection:
            return runs.fail_running(connection, kind, error, but)

    def get_run(self, run_id: int) -> Run:
        """Return one run.

        Raises:
            NotFoundError: There is none.
        """
        found = self._read(lambda connection: runs.read_run(connection, run_id))
        if found is None:
            raise _unknown(run_id)
        return found

    def runs(self, limit: int = 20, *, application_id: str | None = None) -> list[Run]:
        """Return the last runs, the newest first."""
        return self._read(
            lambda connection: runs.read_runs(connection, application_id, limit)
        )

    def _end(self, run_id: int, state: RunState, error: str | None) -> Run:
        with self._database.write() as connection:
            ended = runs.end_run(connection, run_id, state, error)
        if ended is None:
            raise _unknown(run_id)
        return ended


def _unknown(run_id: int) -> NotFoundError:
    return NotFoundError(f"there is no run {run_id} in the index")
