"""Taking the measurements: speed on a corpus, growth and memory on shapes.

Rounds are interleaved, one tool after the other in each, so that whatever else the
machine does meanwhile hits all of them alike. The best round counts.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from _markdown_process import NoAnswerError, Worker
from _markdown_shapes import FACTORS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from _markdown_shapes import Shape
    from _markdown_tools import Tool

LARGEST = FACTORS[-1]
_PATIENCE = 900.0  # seconds on the clock, however busy the machine is
_LONG = 5.0  # seconds: noise is a small part of a longer run, so one is enough


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """Where and how to run.

    Attributes:
        python: The interpreter that has Outcrop.
        peer_python: The interpreter that has the peers.
        rounds: How often everything is measured.
        seconds: The most CPU time one document may take.
        say: Told what is going on.
    """

    python: Path
    peer_python: Path
    rounds: int
    seconds: float
    say: Callable[[str], None]

    def start(self, tool: Tool) -> Worker:
        """A fresh process for a tool."""
        python = self.python if tool.is_outcrop else self.peer_python
        return Worker(python, tool.name, _PATIENCE)


@dataclass(slots=True)
class Speed:
    """Passes of one tool over the corpus."""

    size: int = 0
    chunks: int = 0
    crashes: int = 0
    rounds: list[float] = field(default_factory=list)

    @property
    def megabytes_per_second(self) -> float:
        """Of the best round."""
        return self.size / 1e6 / min(self.rounds)


@dataclass(slots=True)
class Sample:
    """One tool on one document.

    Attributes:
        size: Bytes of UTF-8.
        chunks: How many it was cut into.
        peak: How far the process grew, in bytes.
        rounds: CPU seconds.
        failure: Why there is no result, or empty.
    """

    size: int = 0
    chunks: int = 0
    peak: int = 0
    rounds: list[float] = field(default_factory=list)
    failure: str = ""

    @property
    def seconds(self) -> float | None:
        """The best round, or None where there is no result."""
        return min(self.rounds) if self.rounds and not self.failure else None

    @property
    def memory(self) -> float | None:
        """Peak growth as a multiple of the document."""
        return self.peak / self.size if self.size and not self.failure else None


Speeds = dict[tuple[str, int], Speed]
Samples = dict[tuple[str, str, int], Sample]


def find_versions(site: Site, tools: Iterable[Tool]) -> dict[str, str]:
    """The version of each tool that is installed and works."""
    versions: dict[str, str] = {}
    for tool in tools:
        with site.start(tool) as worker:
            try:
                versions[tool.name] = str(worker.ask("versions")["version"])
            except NoAnswerError as exc:
                site.say(f"{tool.name} is left out: {exc}")
    return versions


def measure_speed(
    site: Site, tools: Sequence[Tool], folder: Path, limits: Sequence[int]
) -> Speeds:
    """Time every tool over a folder."""
    speeds: Speeds = {}
    with ExitStack() as stack:
        workers = {tool.name: stack.enter_context(site.start(tool)) for tool in tools}
        for turn in range(1, site.rounds + 1):
            for limit in limits:
                for name, worker in workers.items():
                    site.say(f"speed, round {turn}, limit {limit}: {name}")
                    found = worker.ask("corpus", folder=str(folder), limit=limit)
                    speed = speeds.setdefault((name, limit), Speed())
                    speed.size, speed.chunks = found["bytes"], found["chunks"]
                    speed.crashes = found["crashes"]
                    speed.rounds.append(found["cpu"])
    return speeds


def measure_shapes(
    site: Site,
    tools: Sequence[Tool],
    shapes: Sequence[Shape],
    limit: int,
    factors: Sequence[int] = FACTORS,
) -> Samples:
    """Time every tool on every shape, each time in a fresh process."""
    samples: Samples = {}
    for turn in range(1, site.rounds + 1):
        for shape in shapes:
            for factor in factors:
                for tool in tools:
                    key = (tool.name, shape.name, factor)
                    sample = samples.setdefault(key, Sample())
                    smaller = samples.get((tool.name, shape.name, factor // 4))
                    if _is_settled(sample) or _is_hopeless(site, smaller, sample):
                        continue
                    site.say(f"{shape.name} x{factor}, round {turn}: {tool.name}")
                    _sample(site, tool, shape, factor, limit, sample)
    return samples


def _is_settled(sample: Sample) -> bool:
    """Whether another round would tell nothing new."""
    return bool(sample.failure) or (bool(sample.rounds) and sample.rounds[0] > _LONG)


def _is_hopeless(site: Site, smaller: Sample | None, sample: Sample) -> bool:
    """Whether the document a quarter as large already took too long."""
    if smaller is None:
        return False
    if smaller.failure:
        sample.failure = smaller.failure
    elif smaller.rounds and min(smaller.rounds) > site.seconds / 6:
        sample.failure = f"skipped: a quarter took {min(smaller.rounds):.0f} s"
    return bool(sample.failure)


def _sample(
    site: Site, tool: Tool, shape: Shape, factor: int, limit: int, sample: Sample
) -> None:
    with site.start(tool) as worker:
        try:
            found = worker.ask(
                "shape",
                name=shape.name,
                factor=factor,
                limit=limit,
                seconds=site.seconds,
            )
        except NoAnswerError as exc:
            sample.failure = f"{exc}; the limit is {site.seconds:.0f} s"
            return
    sample.size, sample.chunks = found["bytes"], found["chunks"]
    sample.peak = max(sample.peak, found["peak"])
    sample.rounds.append(found["cpu"])
