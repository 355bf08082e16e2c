"""Worker processes that run one job over many tasks.

A task that ends its worker is reported as a failure, and the others go on in a new one.
Only a few results wait for the caller at a time, however many tasks there are.

Workers are interpreters of their own, without the caller's state and its main module.
Forks start faster, where they are safe: see `may_fork`. Within `keep_processes`, a
process waits for the next job, with what it has loaded, and `fork_processes` makes some
that wait for their first.
"""

from __future__ import annotations

import gc
import os
import queue
import sys
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from outcrop.worker_process import (
    Fork,
    Process,
    end_process,
    fork,
    how_it_ended,
    receive,
    send,
    start_interpreter,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_COMMAND = "from outcrop.process_pool import main; main()"
_POLL_SECONDS = 0.05
_OUT_OF_MEMORY = "out of memory"
_Task = TypeVar("_Task")
_Result = TypeVar("_Result")
_Task_contra = TypeVar("_Task_contra", contravariant=True)
_Result_co = TypeVar("_Result_co", covariant=True)


class Job(Protocol[_Task_contra, _Result_co]):
    """What the workers do. It is pickled to be sent to them."""

    def prepare(self) -> None:
        """Set up a worker process, before its first task and after another job's."""

    def run(self, task: _Task_contra) -> _Result_co:
        """Return the result of a task."""


@dataclass(frozen=True, slots=True)
class Failure(Generic[_Task]):
    """A task without a result."""

    task: _Task
    reason: str  # why it failed
    worker_ended: bool  # whether the process ended, perhaps because of another task


def may_fork() -> bool:
    """Whether a fork is safe: another thread may hold a lock that never opens again."""
    return sys.platform == "linux" and threading.active_count() == 1


class _IdleProcesses:
    """Interpreters that wait for their next job."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._keepers = 0
        self._idle: list[Process] = []

    @contextmanager
    def kept(self) -> Iterator[None]:
        with self._lock:
            self._keepers += 1
        try:
            yield
        finally:
            with self._lock:
                self._keepers -= 1
                is_last = not self._keepers
            if is_last:
                self.end()

    def put(self, process: Process) -> bool:
        """Keep a process, if anybody wants that."""
        with self._lock:
            if not self._keepers:
                return False
            self._idle.append(process)
            return True

    def fork(self, count: int) -> None:
        """Fork processes that wait for their first job."""
        for _ in range(count):
            process = _fork()
            if not self.put(process):
                end_process(process)

    def count(self) -> int:
        """Return how many processes wait for a job."""
        with self._lock:
            return len(self._idle)

    def end(self) -> None:
        """End the processes that wait."""
        with self._lock:
            ended, self._idle = self._idle, []
        for process in ended:
            end_process(process)

    def take(self) -> Process | None:
        """Return a process that is still alive."""
        while True:
            with self._lock:
                process = self._idle.pop() if self._idle else None
            if process is None or process.poll() is None:
                return process
            end_process(process)


_idle_processes = _IdleProcesses()
# Lets the processes of one `run_tasks` serve the next one too.
keep_processes = _idle_processes.kept
# Forks processes in advance, within `keep_processes` and where `may_fork` allows it.
fork_processes = _idle_processes.fork
waiting_processes = _idle_processes.count
end_waiting_processes = _idle_processes.end


def run_tasks(
    job: Job[_Task, _Result], tasks: Iterable[_Task], count: int, *, forks: bool = False
) -> Iterator[_Result | Failure[_Task]]:
    """Yield the result or the failure of each task, in any order.

    Args:
        job: What to do with each task.
        tasks: The tasks, taken one by one as workers become free.
        count: How many processes to use.
        forks: Start with forks of this process; where one ends, an interpreter takes
            its place.
    """
    with running_tasks(job, tasks, count, forks=forks) as results:
        yield from results


@contextmanager
def running_tasks(
    job: Job[_Task, _Result],
    tasks: Iterable[_Task],
    count: int,
    *,
    forks: bool = False,
    max_waiting: int = 0,
) -> Iterator[Iterator[_Result | Failure[_Task]]]:
    """Run tasks in the background of a block, and yield their results; see `run_tasks`.

    The processes end with the block. By default as many results may wait to be taken as
    there are processes.
    """
    pool = _Pool(job, iter(tasks), count, max_waiting or count, forks=forks)
    try:
        yield pool.results()
    finally:
        pool.stop()


class _Pool(Generic[_Task, _Result]):
    """Threads that each talk to one process."""

    def __init__(
        self,
        job: Job[_Task, _Result],
        tasks: Iterator[_Task],
        count: int,
        max_waiting: int,
        *,
        forks: bool,
    ) -> None:
        self._tasks = tasks
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._results: queue.Queue[_Result | Failure[_Task] | BaseException | None]
        self._results = queue.Queue(max_waiting)
        self._workers = [Worker(job) for _ in range(count)]
        if forks:  # before there are threads
            for worker in self._workers:
                worker.process = _idle_processes.take() or _fork()
        self._threads = [
            threading.Thread(target=self._serve, args=(worker,), daemon=True)
            for worker in self._workers
        ]
        for thread in self._threads:
            thread.start()

    def results(self) -> Iterator[_Result | Failure[_Task]]:
        open_threads = len(self._threads)
        while open_threads:
            result = self._results.get()
            if isinstance(result, BaseException):
                raise result
            if result is None:
                open_threads -= 1
            else:
                yield result

    def stop(self) -> None:
        """End the processes, even in the middle of a task."""
        self._stopped.set()
        for worker in self._workers:
            worker.kill()
        for thread in self._threads:
            thread.join()

    def _serve(self, worker: Worker[_Task, _Result]) -> None:
        try:
            for task in iter(self._next_task, None):
                self._put(worker.run(task))
            if not self._stopped.is_set():
                worker.rest()
            self._put(None)
        except BaseException as error:  # noqa: BLE001 - raised again where it is read
            self._put(error)
        finally:
            worker.close()

    def _next_task(self) -> _Task | None:
        with self._lock:
            return None if self._stopped.is_set() else next(self._tasks, None)

    def _put(self, result: _Result | Failure[_Task] | BaseException | None) -> None:
        while not self._stopped.is_set():
            try:
                self._results.put(result, timeout=_POLL_SECONDS)
            except queue.Full:
                continue
            return


class Worker(Generic[_Task, _Result]):
    """A process that runs one task after the other, started again after it ended."""

    def __init__(self, job: Job[_Task, _Result]) -> None:
        self._job = job
        self.process: Process | None = None
        self._has_job = False

    def run(self, task: _Task) -> _Result | Failure[_Task]:
        """Run a task, in a new process where the last one ended."""
        try:
            process = self._ready_process()
            send(process.stdin, task)
            is_result, answer = receive(process.stdout)
        except (BrokenPipeError, EOFError):
            reason = f"ended its worker process ({how_it_ended(self.process)})"
            self.close()
            return Failure(task, reason, worker_ended=True)
        except MemoryError:  # the rest of the answer is still in the pipe
            self.close()
            return Failure(task, _OUT_OF_MEMORY, worker_ended=False)
        if not is_result:
            return Failure(task, answer, worker_ended=False)
        result: _Result = answer
        return result

    def _ready_process(self) -> Process:
        """Return a process that has the job."""
        if self.process is None:
            self.process = _idle_processes.take() or start_interpreter(_COMMAND)
        if not self._has_job:
            send(self.process.stdin, _NextJob(self._job))
            self._has_job = True
        return self.process

    def kill(self) -> None:
        """End the process, even in the middle of a task of another thread."""
        process = self.process
        if process is not None:
            process.kill()

    def rest(self) -> None:
        """Leave the process to the next job, or end it."""
        process = self._leave()
        if process is not None and not _idle_processes.put(process):
            end_process(process)

    def close(self) -> None:
        """End the process and wait for it."""
        process = self._leave()
        if process is not None:
            end_process(process)

    def _leave(self) -> Process | None:
        process, self.process = self.process, None
        self._has_job = False
        return process


@dataclass(frozen=True, slots=True)
class _NextJob:
    """Tells a process what to do with the tasks that follow."""

    job: Any


def _fork() -> Fork:
    tasks, to_worker = os.pipe()
    from_worker, answers = os.pipe()
    pid = fork()
    if pid:
        os.close(tasks)
        os.close(answers)
        return Fork(pid, os.fdopen(to_worker, "wb"), os.fdopen(from_worker, "rb"))
    try:
        os.setpgid(0, 0)  # an interrupt at the terminal is for the caller alone
        os.close(to_worker)
        os.close(from_worker)
        os.dup2(2, 1)  # what a library prints is not part of the caller's output
        _serve(os.fdopen(tasks, "rb"), os.fdopen(answers, "wb"))
        os._exit(0)
    finally:
        # Nothing of the caller's may run twice: no handler, no flush, no exception.
        os._exit(1)


def main() -> None:
    """Run the tasks that arrive on standard input until it ends."""
    stdin, stdout = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not get between the answers
    _serve(stdin, stdout)
    # Exit at once: deallocating millions of objects one by one would waste time.
    os._exit(0)


def _known_job(known: list[Job[Any, Any]], wanted: Job[Any, Any]) -> Job[Any, Any]:
    """Return an equal job that the process has begun before, or the wanted one."""
    for job in known:
        if type(job) is type(wanted) and job == wanted:
            return job
    known.append(wanted)
    return wanted


def _serve(tasks: IO[bytes], answers: IO[bytes]) -> None:
    known: list[Job[Any, Any]] = []  # each may hold what it has opened
    while True:
        try:
            task = receive(tasks)
        except EOFError:
            return
        if isinstance(task, _NextJob):
            if not known:
                gc.freeze()  # what is loaded by now stays
            job = _known_job(known, task.job)
            job.prepare()
            continue
        result = job.run(task)
        try:
            send(answers, (True, result))
        except MemoryError:  # nothing is written before all of it is packed
            send(answers, (False, _OUT_OF_MEMORY))
        except BrokenPipeError:
            os._exit(0)  # the caller has ended
