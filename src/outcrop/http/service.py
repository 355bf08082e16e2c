"""What every route uses: the index, the settings, the limits, and runs in the background.

Callers start runs of the indexer, one at a time. The indexer records its progress in the
store, where any process can follow it, so the events of a run do not depend on who does
the work.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from secrets import token_hex
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Depends, Request

from outcrop.errors import OutcropError
from outcrop.http.guard import Guesses
from outcrop.http.metrics import Metrics
from outcrop.http.problems import ProblemError
from outcrop.http.settings import ServerSettings
from outcrop.indexing.files.allowed import ForbiddenPath, find_forbidden
from outcrop.indexing.freshness import INDEX_RUN
from outcrop.indexing.paths import resolve_paths
from outcrop.indexing.sharded import AnyIndex
from outcrop.model.run import RunState
from outcrop.store.runs import RUN_KIND as BUILD_KIND
from outcrop.thread_gate import ThreadGate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from outcrop.http.workers import RunLock, SharedState
    from outcrop.indexing.report import Progress
    from outcrop.model.run import Run

    _Work = Callable[[int, Sequence[Path]], None]

_log = logging.getLogger(__name__)


class IndexRuns:
    """Starts runs of the indexer, one after the other.

    `roots` are folders outside the project that may be indexed; `run_lock` is held
    during a run, where several processes may start one.
    """

    def __init__(
        self, index: AnyIndex, roots: Sequence[Path], run_lock: RunLock | None = None
    ) -> None:
        self._index = index
        self._roots = roots
        self._run_lock = run_lock
        self._lock = Lock()
        self._thread: Thread | None = None
        self._run_id: int | None = None
        self._closing = Event()

    def start(self, paths: Sequence[str]) -> Run:
        """Start a run of the indexer in the background.

        Raises:
            ProblemError: A path is not allowed, or another run is still running.
        """

        def work(run_id: int, resolved: Sequence[Path]) -> None:
            self._index.index(
                resolved, run_id=run_id, on_progress=self._raise_if_closing
            )

        return self._start(INDEX_RUN, paths, work)

    def start_build(self, paths: Sequence[str], options: Mapping[str, Any]) -> Run:
        """Start a build of code in the background, with options of `Index.build`.

        Raises:
            ProblemError: As for `start`.
        """

        def work(run_id: int, resolved: Sequence[Path]) -> None:
            self._index.build(resolved, run_id=run_id, stop=self._closing, **options)

        return self._start(BUILD_KIND, paths, work)

    def _start(self, kind: str, paths: Sequence[str], work: _Work) -> Run:
        index = self._index
        forbidden = find_forbidden(paths, index.project, index.config, self._roots)
        if forbidden is not None:
            raise _forbid(forbidden)
        resolved = resolve_paths(paths, index.project)
        with self._lock:
            if self._closing.is_set() or self._is_busy():
                raise _still_running(self._run_id)
            run = self._create_run(kind, paths)
            self._run_id = run.id
            self._thread = Thread(
                target=self._work, args=(work, run.id, resolved), name="outcrop-index"
            )
            self._thread.start()
        return run

    def _create_run(self, kind: str, paths: Sequence[str]) -> Run:
        """Create a run, unless another process of this server has one."""
        lock = self._run_lock
        if lock is not None and not lock.take():
            raise _still_running(lock.run_id())
        try:
            run = self._index.store.create_run(kind, parameters={"paths": list(paths)})
        except BaseException:
            self._release()
            raise
        if lock is not None:
            lock.note(run.id)
        return run

    def _release(self) -> None:
        if self._run_lock is not None:
            self._run_lock.release()

    def _is_busy(self) -> bool:
        """Whether a run is still running; one that has ended only has to clean up."""
        if self._thread is None or self._run_id is None or not self._thread.is_alive():
            return False
        if self._index.run(self._run_id).state is RunState.RUNNING:
            return True
        self._thread.join()
        return False

    def close(self) -> None:
        """Start no new run, and stop the current one after its batch."""
        with self._lock:
            self._closing.set()
        if self._thread is not None:
            self._thread.join()

    def _work(self, work: _Work, run_id: int, paths: Sequence[Path]) -> None:
        try:
            work(run_id, paths)
        except OutcropError as error:
            _log.warning("run %s failed: %s", run_id, error)
            self._fail(run_id, str(error))
        except Exception:  # noqa: BLE001 - any failure is recorded with the run
            _log.exception("run %s failed", run_id)
            self._fail(run_id, "this is a bug in Outcrop; the server's log says more")
        finally:
            self._release()

    def _raise_if_closing(self, _: Progress) -> None:
        """Stop a run between two batches when the server stops."""
        if self._closing.is_set():
            raise OutcropError("the server was stopped; the next run continues")

    def _fail(self, run_id: int, message: str) -> None:
        try:
            self._index.store.fail_run(run_id, message)
        except OutcropError:
            _log.exception("cannot note that run %s failed", run_id)


def _still_running(run_id: int | None) -> ProblemError:
    return ProblemError(
        HTTPStatus.CONFLICT,
        f"run {run_id} is still running; wait for it",
        extra={"run_id": run_id},
    )


def _forbid(forbidden: ForbiddenPath) -> ProblemError:
    path, reason = forbidden
    if reason == "outside":
        advice = (
            "leads outside the project; start the server with --root to allow another"
            " folder"
        )
    else:
        advice = (
            "may hold secrets, by its name; index it at the machine with: outcrop index"
            " PATH"
        )
    return ProblemError(HTTPStatus.FORBIDDEN, f"{path!r} {advice}")


@dataclass(slots=True, kw_only=True)
class Service:
    """One open index, served."""

    index: AnyIndex
    settings: ServerSettings
    searches: ThreadGate  # bounds searches
    jobs: ThreadGate  # bounds everything else that takes a thread
    metrics: Metrics
    runs: IndexRuns  # runs of the indexer that this server started
    # Value of the session cookie, valid while this server runs and the same in all its
    # workers. It cannot be derived from the token.
    session: str = field(repr=False)
    header_guesses: Guesses  # wrong tokens in headers
    form_guesses: Guesses  # wrong tokens in the page's form
    streams: int = 0  # streams of events that are open now

    @classmethod
    def make(
        cls,
        index: AnyIndex,
        settings: ServerSettings,
        shared: SharedState | None = None,
    ) -> Service:
        """Make the service of an index, alone or as one of several processes."""
        workers = 1 if shared is None else shared.workers
        run_lock = None if shared is None else shared.run_lock
        make_gate = partial(
            ThreadGate,
            max_waiting=settings.max_waiting,
            max_seconds=settings.request_seconds,
        )
        service = cls(
            index=index,
            settings=settings,
            searches=make_gate("searches", slots=settings.max_searches),
            jobs=make_gate("jobs", slots=settings.max_jobs),
            metrics=Metrics(None if shared is None else shared.metrics),
            runs=IndexRuns(index, settings.roots, run_lock),
            session=token_hex() if shared is None else shared.session,
            header_guesses=Guesses(workers=workers),
            form_guesses=Guesses(workers=workers),
        )
        service.metrics.watch(service.searches)
        service.metrics.watch(service.jobs)
        return service

    def close(self) -> None:
        """Start nothing new."""
        self.searches.close()
        self.jobs.close()
        self.runs.close()


# Asynchronous, as the framework calls any other function in a thread.
async def _service_of(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


Served = Annotated[Service, Depends(_service_of)]
