"""One process of a run: makes its cases, tries them, shrinks what fails."""

from __future__ import annotations

import os
import resource
import sys
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fuzz.cases import Case, CaseMaker
from fuzz.check import Failure, try_case
from fuzz.findings import Finding
from fuzz.shrink import Shrinker

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.connection import Connection
    from pathlib import Path

MIB = 2**20
_REPORT_EVERY = 1.0  # seconds
_SHRUNK_PER_KEPT = 4  # failures of a kind that are shrunk in search of another shape


@dataclass(frozen=True)
class Plan:
    """What a run does.

    Attributes:
        seed: The seed.
        targets: The targets.
        documents: Number of cases.
        deadline: When to stop, on the monotonic clock.
        workers: Number of processes; each takes every n-th case.
        slow: Seconds of processor time that a case may take.
        memory: MiB that a case may add to the process.
        keep: Number of findings of one kind that are shrunk and kept.
        log: Where processes write their errors.
    """

    seed: str
    targets: tuple[str, ...]
    documents: int
    deadline: float
    workers: int
    slow: float
    memory: int
    keep: int
    log: Path


@dataclass
class Tally:
    """What a process did since it last said so.

    Attributes:
        tried: Cases by target.
        seconds: Processor time by target.
        broken: Failing cases by promise.
        findings: Those that were shrunk.
    """

    tried: Counter[str] = field(default_factory=Counter)
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    broken: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)


def work(plan: Plan, first: int, position: Any, pipe: Connection) -> None:
    """Try every n-th case from the first on; the body of a process.

    Args:
        plan: What the run does.
        first: Number of the first case.
        position: Shared number, set to the case in hand.
        pipe: Where tallies go.
    """
    errors = os.open(plan.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(errors, 2)  # a panic also prints
    most = 4 * plan.memory * MIB + 2 * 2**30
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    for tally in tallies(plan, first, position):
        pipe.send(tally)
    pipe.close()
    sys.stdout.flush()
    os._exit(0)


def tallies(plan: Plan, first: int, position: Any) -> Iterator[Tally]:
    """Try cases and yield what came of them, from time to time and at the end."""
    maker = CaseMaker(plan.seed, plan.targets)
    search = Search(plan)
    tally = Tally()
    reported = time.monotonic()
    for number in range(first, plan.documents, plan.workers):
        position.value = number
        started = time.process_time()
        case = maker.case(number)
        failure = search.failure(case)
        tally.tried[case.target] += 1
        tally.seconds[case.target] += time.process_time() - started
        if failure is not None:
            search.note(Finding(failure, case, plan.seed, number), tally)
        now = time.monotonic()
        if now - reported >= _REPORT_EVERY:
            yield tally
            tally, reported = Tally(), now
        if now >= plan.deadline:
            break
    yield tally


class Search:
    """Tries cases and keeps a few failures of each kind, shrunk."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._shrunk: Counter[str] = Counter()
        self._shapes: dict[str, set[str]] = {}
        self._peak = _peak()

    def failure(self, case: Case) -> Failure | None:
        """Try a case; return what it breaks."""
        return try_case(case, self._plan.slow) or self._memory()

    def note(self, finding: Finding, tally: Tally) -> None:
        """Count a finding, and keep it where there are few of its kind."""
        promise = finding.failure.promise
        tally.broken[promise] += 1
        shapes = self._shapes.setdefault(promise, set())
        is_known = len(shapes) >= self._plan.keep
        if is_known or self._shrunk[promise] >= self._plan.keep * _SHRUNK_PER_KEPT:
            return
        self._shrunk[promise] += 1
        small = shrunk(finding, self._plan.slow)
        if small.shape not in shapes:
            shapes.add(small.shape)
            tally.findings.append(small)

    def _memory(self) -> Failure | None:
        before, self._peak = self._peak, _peak()
        added = (self._peak - before) / MIB
        if before and added > self._plan.memory:
            return Failure("too much memory", f"the case took {added:.0f} MiB")
        return None


def shrunk(finding: Finding, slow: float) -> Finding:
    """Return a finding with a smaller case that breaks the same promise."""

    def fails(case: Case) -> bool:
        failure = try_case(case, slow)
        return failure is not None and failure.promise == finding.failure.promise

    case = Shrinker(fails).shrink(finding.case)
    failure = try_case(case, slow)
    if failure is None or failure.promise != finding.failure.promise:
        return finding
    return Finding(failure, case, finding.seed, finding.number)


def _peak() -> int:
    """Return the most memory that the process ever had, in bytes."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
