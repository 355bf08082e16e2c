"""A run: processes that try cases, watched from outside.

A process that dies or hangs is a finding, the case it held is known by its number, and
another process takes over after it.
"""

from __future__ import annotations

import multiprocessing
import time
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any

from fuzz.cases import Case, CaseMaker
from fuzz.check import Failure, try_case
from fuzz.findings import Finding
from fuzz.shrink import Shrinker
from fuzz.worker import Plan, Tally, work

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection

DEAD, HANG = "dead process", "hang"
_SILENCE = 60.0  # seconds without a next case; far above what a slow case is allowed
_PROCESS = 5.0  # seconds for one try in a process of its own


@dataclass
class Worker:
    """A process, the case it holds and since when."""

    process: Any
    pipe: Connection
    position: Any
    seen: int = -1
    since: float = field(default_factory=time.monotonic)

    def has_hung(self) -> bool:
        """Whether it has held the same case for too long."""
        now = time.monotonic()
        if self.position.value != self.seen:
            self.seen, self.since = self.position.value, now
        return now - self.since > _SILENCE


@dataclass
class Result:
    """What a run found."""

    total: Tally = field(default_factory=Tally)
    wall: float = 0.0

    def add(self, tally: Tally) -> list[Finding]:
        """Count a tally in; return the findings that are new."""
        self.total.tried += tally.tried
        for target, seconds in tally.seconds.items():
            self.total.seconds[target] += seconds
        self.total.broken += tally.broken
        known = {(one.failure.promise, one.shape) for one in self.total.findings}
        fresh = [
            one
            for one in tally.findings
            if (one.failure.promise, one.shape) not in known
        ]
        self.total.findings += fresh
        return fresh


class Run:
    """Starts processes, listens to them, replaces those that die.

    Args:
        plan: What to do.
        report: Called with each finding as it comes.
        body: What a process does.
    """

    def __init__(
        self,
        plan: Plan,
        report: Callable[[Finding], None] = lambda finding: None,
        body: Callable[..., None] = work,
    ) -> None:
        self._plan = plan
        self._report = report
        self._body = body
        self._maker: CaseMaker | None = None
        self.result = Result()

    def run(self) -> Result:
        """Work until the time is up or all cases are tried."""
        started = time.monotonic()
        workers = [self._start(first) for first in range(self._plan.workers)]
        try:
            while workers:
                wait([worker.pipe for worker in workers], timeout=1.0)
                workers = [kept for one in workers if (kept := self._follow(one))]
        finally:
            for worker in workers:
                worker.process.kill()
        self.result.wall = time.monotonic() - started
        return self.result

    def _start(self, first: int) -> Worker:
        position = multiprocessing.RawValue("q", first)
        ours, theirs = multiprocessing.Pipe(duplex=False)
        arguments = (self._plan, first, position, theirs)
        process = multiprocessing.Process(target=self._body, args=arguments)
        process.start()
        theirs.close()
        return Worker(process, ours, position)

    def _follow(self, worker: Worker) -> Worker | None:
        """Take what a process says; return it, its successor or None."""
        try:
            while worker.pipe.poll():
                self._count(worker.pipe.recv())
        except EOFError:
            worker.process.join()
            if worker.process.exitcode == 0:
                return None
            status = worker.process.exitcode
            return self._replace(worker, DEAD, f"it ended with {status}")
        if worker.has_hung():
            worker.process.kill()
            worker.process.join()
            return self._replace(worker, HANG, f"no answer within {_SILENCE:.0f} s")
        return worker

    def _count(self, tally: Tally) -> None:
        for finding in self.result.add(tally):
            self._report(finding)

    def _replace(self, worker: Worker, promise: str, detail: str) -> Worker | None:
        """Report the case that a process died of; go on with the next one."""
        number = worker.position.value
        self._maker = self._maker or CaseMaker(self._plan.seed, self._plan.targets)
        case = self._maker.case(number)
        if ends_as(promise, case):
            case = Shrinker(partial(ends_as, promise), seconds=60).shrink(case)
        finding = Finding(Failure(promise, detail), case, self._plan.seed, number)
        tried = Counter({case.target: 1})
        self._count(Tally(tried, {}, Counter({promise: 1}), [finding]))
        following = number + self._plan.workers
        if following >= self._plan.documents or time.monotonic() >= self._plan.deadline:
            return None
        return self._start(following)


def ends_as(promise: str, case: Case) -> bool:
    """Try a case in a process of its own: does that hang, or die?"""
    process = multiprocessing.Process(target=try_case, args=(case,))
    process.start()
    process.join(_PROCESS)
    if process.exitcode is None:
        process.kill()
        process.join()
        return promise == HANG
    return process.exitcode != 0 and promise == DEAD
