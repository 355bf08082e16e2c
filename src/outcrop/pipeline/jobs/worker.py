"""A worker: does jobs until it is stopped, or until there are none.

It adds to procrastinate's worker: jobs of dead workers and jobs lost with a response are
queued again, and runs are ended.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import psycopg
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import DeleteJobCondition
from procrastinate.worker import Worker as QueueWorker

from outcrop.errors import StorageError
from outcrop.pipeline.jobs import job_runs, ledger
from outcrop.pipeline.jobs.queue import QUEUE, TASK, Batch, ensure_tables, open_app
from outcrop.pipeline.jobs.settings import WorkerSettings
from outcrop.store.failures import is_lost

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from procrastinate import App, JobContext
    from procrastinate.jobs import Job
    from procrastinate.manager import JobManager

    from outcrop.pipeline.jobs.batch import BatchRunner
    from outcrop.pipeline.jobs.ledger import Standing
    from outcrop.store.database import Database

_log = logging.getLogger(__name__)

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_MAX_PAUSE_SECONDS = 5.0
_ADOPT_SECONDS = 5.0


class Worker:
    """Does the jobs of an index, alone or together with other workers.

    `replan` plans a run's changed files again; None if this worker cannot. `adopt` queues
    plans that no run fills and returns whether there were some. `on_finished` is called
    when a run has ended.
    """

    def __init__(
        self,
        database: Database,
        runner: BatchRunner,
        settings: WorkerSettings | None = None,
        *,
        replan: Callable[[int], None] | None = None,
        adopt: Callable[[], bool] | None = None,
        on_finished: Callable[[], None] | None = None,
    ) -> None:
        self._database = database
        self._runner = runner
        self._settings = settings or WorkerSettings()
        self._replan = replan
        self._adopt = adopt
        self._adopted_at = 0.0
        self._on_finished = on_finished
        self._doing: set[int] = set()
        self._wake = asyncio.Event()
        self._stopping = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self.interrupted = False
        self.finished: list[int] = []

    def run(
        self,
        *,
        run_id: int | None = None,
        until_idle: bool = False,
        on_standing: Callable[[Standing], None] | None = None,
    ) -> None:
        """Do jobs until `stop`, a signal, or one of the conditions below.

        The jobs it has started are finished first in any case.

        Args:
            run_id: End when this run has ended.
            until_idle: End when no run has anything left to do.
            on_standing: Called with the progress of `run_id`, at intervals.

        Raises:
            StorageError: The database cannot be used, or was unavailable for too long.
        """
        ensure_tables(self._database)
        try:
            with asyncio.Runner(loop_factory=_loop_factory()) as loop:
                loop.run(self._main(run_id, on_standing, until_idle=until_idle))
        except ConnectorException as error:
            cause = error.__cause__ or error
            raise StorageError(f"the queue cannot be used: {cause}".strip()) from cause

    def stop(self) -> None:
        """Finish the started jobs, then end; safe to call from any thread."""
        self._stopping.set()
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._wake.set)

    async def _main(
        self,
        run_id: int | None,
        on_standing: Callable[[Standing], None] | None,
        *,
        until_idle: bool,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._wake = asyncio.Event()
        # Idle threads cost nothing; too few would make jobs wait for each other.
        threads = ThreadPoolExecutor(self._settings.concurrency + 3, "outcrop-worker")
        self._loop.set_default_executor(threads)
        app = open_app(self._database, patience_seconds=self._settings.patience_seconds)
        app.task(name=TASK, queue=QUEUE, pass_context=True)(self._do)

        def look() -> bool:
            return self._look_after(run_id, on_standing, until_idle=until_idle)

        with self._signals():
            async with app.open_async():
                await self._work(app, look)

    async def _work(self, app: App, look: Callable[[], bool]) -> None:
        while not self._stopping.is_set():
            worker = QueueWorker(
                app,
                queues=[QUEUE],
                concurrency=self._settings.concurrency,
                fetch_job_polling_interval=self._settings.poll_seconds,
                delete_jobs=DeleteJobCondition.ALWAYS,
                install_signal_handlers=False,
                update_heartbeat_interval=self._settings.heartbeat_seconds,
                stalled_worker_timeout=self._settings.stalled_seconds,
            )
            watcher = asyncio.create_task(self._watch(app, worker, look))
            try:
                await worker.run()  # type: ignore[no-untyped-call]
            except ConnectorException as error:
                if not _was_struck_off(error):
                    raise
                _log.info("another worker took this one for dead; registering again")
            finally:
                watcher.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await watcher

    def _do(self, context: JobContext, /, **given: Any) -> None:
        """Do one job; called by procrastinate, in a thread."""
        job = context.job
        assert job.id is not None  # noqa: S101 - it comes from the table
        self._doing.add(job.id)
        try:
            batch = Batch(**{**given, "chunk_ids": tuple(given["chunk_ids"])})
            self._runner.run(batch, deaths=job.attempts)
            if self._loop is not None and not job_runs.has_open(self._database, batch):
                self._loop.call_soon_threadsafe(self._wake.set)
        finally:
            self._doing.discard(job.id)

    async def _watch(
        self, app: App, worker: QueueWorker, look: Callable[[], bool]
    ) -> None:
        """Monitor runs at intervals, and stop the worker when it is time."""
        rescue = Rescue(self._doing, stalled_seconds=self._settings.stalled_seconds)
        try:
            while not self._stopping.is_set():
                if await rescue.rescue(app.job_manager, worker.worker_id):
                    worker._new_job_event.set()  # noqa: SLF001 - a retry sends no notification
                began = time.monotonic()
                if await asyncio.to_thread(look):
                    self._stopping.set()
                    break
                # Counting a large run is slow: spend at most a tenth of the time on it.
                pause = min(_MAX_PAUSE_SECONDS, 10.0 * (time.monotonic() - began))
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(
                        self._wake.wait(), max(pause, self._settings.poll_seconds)
                    )
                self._wake.clear()
        except Exception:
            self._stopping.set()
            raise
        finally:
            worker.stop()  # type: ignore[no-untyped-call]

    def _look_after(
        self,
        run_id: int | None,
        on_standing: Callable[[Standing], None] | None,
        *,
        until_idle: bool,
    ) -> bool:
        """Monitor all runs; return whether it is time to end."""
        try:
            left = {
                found
                for found in job_runs.runs_in_work(self._database)
                if self._look_after_run(found, on_standing if found == run_id else None)
            }
            if run_id is None and self._adopt_plans(is_idle=not left):
                return False
        except StorageError as error:
            if not is_lost(error):
                raise
            return False  # unavailable: jobs wait for it too
        if run_id is not None and run_id not in left:
            return True
        return until_idle and not left

    def _adopt_plans(self, *, is_idle: bool) -> bool:
        """Queue plans that no run fills, at intervals and before this worker is idle."""
        now = time.monotonic()
        if self._adopt is None or not (
            is_idle or now - self._adopted_at > _ADOPT_SECONDS
        ):
            return False
        self._adopted_at = now
        return self._adopt()

    def _look_after_run(
        self, run_id: int, on_standing: Callable[[Standing], None] | None
    ) -> bool:
        """Monitor a run; return whether it has work left for this worker."""
        size = self._settings.batch_size
        with self._database.write() as connection:
            standing = ledger.read_standing(connection, run_id)
            job_runs.note_standing(connection, run_id, standing)
            job_runs.find_lost(connection, run_id, batch_size=size)
            ended = job_runs.settle(connection, run_id)
            is_stale = job_runs.waits_for_plan(connection, run_id)
        if on_standing is not None:
            on_standing(standing)
        if ended:
            self.finished.append(run_id)
            if self._on_finished is not None:
                self._on_finished()
        if is_stale and self._replan is not None:
            self._replan(run_id)
            with self._database.read() as connection:
                is_stale = job_runs.waits_for_plan(connection, run_id)
        # A worker without access to the files leaves them to others.
        return not ended and not is_stale

    @contextlib.contextmanager
    def _signals(self) -> Iterator[None]:
        """Finish the current jobs on an interrupt; end immediately on a second one."""
        loop = self._loop
        is_main = threading.current_thread() is threading.main_thread()
        if loop is None or not is_main or sys.platform == "win32":
            yield
            return

        def interrupt() -> None:
            self.interrupted = True
            for name in _SIGNALS:
                loop.remove_signal_handler(name)
            self.stop()

        for name in _SIGNALS:
            loop.add_signal_handler(name, interrupt)
        try:
            yield
        finally:
            for name in _SIGNALS:
                loop.remove_signal_handler(name)


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Return a factory of event loops that the driver supports."""
    return asyncio.SelectorEventLoop if sys.platform == "win32" else None


def _was_struck_off(error: ConnectorException) -> bool:
    """Whether the worker's own row was deleted, as after a long suspend."""
    return isinstance(error.__cause__, psycopg.errors.ForeignKeyViolation)


class Rescue:
    """Looks for lost jobs, at intervals.

    `doing` holds the jobs that this process is doing; it changes over time.
    """

    def __init__(self, doing: Collection[int], *, stalled_seconds: float) -> None:
        self._doing = doing
        self._stalled_seconds = stalled_seconds
        self._idle_since: dict[int | None, float] = {}

    async def rescue(self, manager: JobManager, worker_id: int | None) -> bool:
        """Put jobs without a living worker back into the queue; return whether there were some."""
        stalled = await manager.get_stalled_jobs(
            queue=QUEUE, seconds_since_heartbeat=self._stalled_seconds
        )
        lost = [*stalled, *await self._forgotten(manager, worker_id)]
        for job in lost:
            # Rejected if another worker was faster, or the job ended after all.
            with contextlib.suppress(ConnectorException):
                await manager.retry_job(job)
                _log.info("job %s of worker %s is queued again", job.id, job.worker_id)
        return bool(lost)

    async def _forgotten(self, manager: JobManager, worker_id: int | None) -> list[Job]:
        """Return jobs that are assigned to this worker but not being done."""
        if worker_id is None:
            return []
        mine = await manager.list_jobs_async(
            queue=QUEUE, status="doing", worker_id=worker_id
        )
        idle = [job for job in mine if job.id not in self._doing]
        now = time.monotonic()
        self._idle_since = {job.id: self._idle_since.get(job.id, now) for job in idle}
        # A job that was fetched a moment ago is about to start.
        latest = now - self._stalled_seconds
        return [job for job in idle if self._idle_since[job.id] <= latest]
