"""One job: runs a stage on a batch, and stores, retries or fails its chunks.

The outcomes, the progress of the chunks and the job of the next stage are written in one
transaction. Failed chunks are retried after a pause; a batch that fails as a whole is
halved until the failing chunk is alone.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from psycopg import errors as database_errors

from outcrop.errors import ConfigError, MissingExtraError, StageError, StorageError
from outcrop.pipeline.jobs import ledger
from outcrop.pipeline.jobs.queue import defer
from outcrop.store.failures import is_lost
from outcrop.store.lexical.maintain import tidy_words
from outcrop.store.runs import update_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from outcrop.model.stored import StageOutcome, StoredChunk
    from outcrop.pipeline.jobs.queue import Batch
    from outcrop.pipeline.jobs.settings import WorkerSettings
    from outcrop.pipeline.stage import Stage, StageContext
    from outcrop.store.database import Connection, Database
    from outcrop.store.store import PostgresStore

_log = logging.getLogger(__name__)

# Workers that may die of a batch before it is halved.
_MAX_DEATHS = 3
_LOST_PAUSE = 0.2
_MAX_MESSAGE_CHARS = 500
_GONE = "the chunk no longer exists"
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class _Sorted:
    """The outcomes of a stage, by how to proceed with them."""

    good: list[StageOutcome]
    bad: dict[str, str]
    final: dict[str, str]
    stale: dict[str, str]


class BatchRunner:
    """Runs jobs, one after the other or in several threads."""

    def __init__(
        self,
        database: Database,
        store: PostgresStore,
        stages: Mapping[str, Stage],
        context: Callable[[Batch], StageContext],
        settings: WorkerSettings,
    ) -> None:
        self._database = database
        self._store = store
        self._stages = stages
        self._context = context
        self._settings = settings

    def run(self, batch: Batch, *, deaths: int = 0) -> None:
        """Do a job; `deaths` counts the workers that died while doing it.

        Raises:
            StorageError: The database did not come back in time.
        """
        ids = self._insist(lambda c: ledger.waiting(c, batch))
        if not ids:
            return  # another worker did it
        batch = replace(batch, chunk_ids=_in_order(batch, ids))
        if batch.deaths + deaths >= _MAX_DEATHS:
            self._part(batch, "workers died while doing it", deaths=_MAX_DEATHS - 1)
            return
        try:
            outcomes = self._attempt(batch)
        except Exception as error:  # noqa: BLE001 - whatever a stage does is recorded
            _log.info("%s failed on %d chunks: %s", batch.stage, len(ids), error)
            self._after(batch, error)
        else:
            self._tidy(outcomes)

    def _attempt(self, batch: Batch) -> list[StageOutcome]:
        chunks = self._store.get_chunks(batch.chunk_ids)
        outcomes: list[StageOutcome] = []
        if chunks:
            stage = self._stages.get(batch.stage)
            if stage is None:
                raise StageError(
                    f"this Outcrop has no stage {batch.stage!r}; update the workers",
                    stage=batch.stage,
                )
            outcomes = stage.run(chunks, self._context(batch))
        self._insist(lambda c: self._commit(c, batch, chunks, outcomes))
        return outcomes

    def _tidy(self, outcomes: Sequence[StageOutcome]) -> None:
        """Compact the term statistics, as every writer does; ignore a failure."""
        if any("terms" in outcome.values for outcome in outcomes):
            try:
                tidy_words(self._database)
            except StorageError as error:
                _log.info("term statistics are not compacted: %s", error)

    def _commit(
        self,
        connection: Connection,
        batch: Batch,
        chunks: Sequence[StoredChunk],
        outcomes: Sequence[StageOutcome],
    ) -> None:
        """Write the outcomes, unless another worker has done so."""
        still = set(ledger.waiting(connection, batch, lock=True))
        if not still:
            return
        said = _sort(outcome for outcome in outcomes if outcome.chunk_id in still)
        if said.good:
            self._write(connection, batch, chunks, said.good)
        there = {chunk.id for chunk in chunks}
        gone = {chunk_id: _GONE for chunk_id in still if chunk_id not in there}
        ledger.give_up(connection, batch, gone, state="dropped")
        ledger.give_up(connection, batch, said.stale, state="stale")
        self._fail(connection, batch, said.final)
        self._try_again(connection, batch, said.bad)

    def _write(
        self,
        connection: Connection,
        batch: Batch,
        chunks: Sequence[StoredChunk],
        outcomes: Sequence[StageOutcome],
    ) -> None:
        """Write outcomes, and record that their chunks completed the stage."""
        good = self._store.put_facts(connection, chunks, outcomes)
        done = (outcome.chunk_id for outcome in outcomes)
        if replanned := [chunk_id for chunk_id in done if chunk_id not in good]:
            ledger.fill_again(connection, batch, replanned)
            size = self._settings.batch_size
            defer(
                connection,
                ledger.open_batches(connection, batch.run_id, size, ids=replanned),
            )
        defer(connection, ledger.move_on(connection, batch, sorted(good)))

    def _try_again(
        self, connection: Connection, batch: Batch, bad: Mapping[str, str]
    ) -> None:
        """Put failed chunks back into the queue, or fail them for good."""
        if not bad:
            return
        tries = batch.tries + 1
        if tries >= self._settings.most_tries:
            self._fail(connection, batch, bad)
            return
        ids = tuple(chunk_id for chunk_id in batch.chunk_ids if chunk_id in bad)
        again = replace(batch, chunk_ids=ids, tries=tries)
        defer(connection, [again], pause=self._settings.pause_before(tries))

    def _after(self, batch: Batch, error: Exception) -> None:
        """Retry, halve or fail a batch that failed as a whole."""
        reason = _describe(error)
        if may_pass(error) and batch.tries + 1 < self._settings.most_tries:
            bad = dict.fromkeys(batch.chunk_ids, reason)
            self._insist(lambda c: self._try_again(c, batch, bad))
        else:
            self._part(batch, reason, deaths=batch.deaths)

    def _part(self, batch: Batch, reason: str, *, deaths: int) -> None:
        """Halve a batch; fail the chunk if it is alone."""
        if len(batch.chunk_ids) == 1:
            bad = {batch.chunk_ids[0]: reason}
            self._insist(lambda c: self._fail(c, batch, bad))
            return
        # Each half has one try: a temporary failure would have passed by now.
        tries = min(batch.tries, self._settings.most_tries - 1)
        parts = batch.halves(tries=tries, deaths=deaths)
        self._insist(lambda c: self._replace(c, batch, parts))

    @staticmethod
    def _replace(connection: Connection, batch: Batch, parts: Sequence[Batch]) -> None:
        # If the first answer was lost, the halves are in the queue already; the ledger
        # prevents that a chunk is written twice.
        if ledger.waiting(connection, batch, lock=True):
            defer(connection, parts)

    @staticmethod
    def _fail(connection: Connection, batch: Batch, reasons: Mapping[str, str]) -> None:
        ended, following = ledger.fail(connection, batch, reasons)
        defer(connection, following)
        if ended:
            failures = ledger.describe_failures(connection, batch, ended)
            update_run(connection, batch.run_id, errors=failures)

    def _insist(self, work: Callable[[Connection], _Result]) -> _Result:
        """Run a transaction, and repeat it if the connection is lost."""
        deadline = time.monotonic() + self._settings.patience_seconds
        while True:
            try:
                with self._database.write() as connection:
                    return work(connection)
            except StorageError as error:
                if not is_lost(error) or time.monotonic() > deadline:
                    raise
                _log.info("the database is unavailable; waiting for it: %s", error)
            time.sleep(_LOST_PAUSE)


def may_pass(error: Exception) -> bool:
    """Whether a retry may succeed."""
    if isinstance(error, StorageError):
        passing = (
            database_errors.DeadlockDetected,
            database_errors.SerializationFailure,
            database_errors.LockNotAvailable,
        )
        return is_lost(error) or isinstance(error.__cause__, passing)
    # Another worker may have the setting or package that this one lacks.
    return isinstance(error, StageError | OSError | ConfigError | MissingExtraError)


def _sort(outcomes: Iterable[StageOutcome]) -> _Sorted:
    said = _Sorted([], {}, {}, {})
    for outcome in outcomes:
        if outcome.is_stale:
            said.stale[outcome.chunk_id] = outcome.error
        elif outcome.error:
            bad = said.final if outcome.is_final else said.bad
            bad[outcome.chunk_id] = outcome.error[:_MAX_MESSAGE_CHARS]
        else:
            said.good.append(outcome)
    return said


def _in_order(batch: Batch, ids: Sequence[str]) -> tuple[str, ...]:
    left = set(ids)
    return tuple(chunk_id for chunk_id in batch.chunk_ids if chunk_id in left)


def _describe(error: Exception) -> str:
    text = str(error).strip() or "no reason given"
    if not isinstance(error, StageError | StorageError):
        text = f"{type(error).__name__}: {text}"
    return text[:_MAX_MESSAGE_CHARS]
