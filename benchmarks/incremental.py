"""What an update of an index costs after small changes to a folder of code.

The folder is copied and indexed; then files are edited, and `outcrop index` runs in a
process of its own after each edit. Processor time and memory are those of that process;
the time of the database server is not among them.

    python benchmarks/incremental.py FOLDER [--runs 3] [--sources OTHER/src]

With `--sources` the processes use the sources of another checkout, for a comparison.
`watch` is the processor time of `outcrop index --watch` while nothing changes.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from _machine import describe_machine

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

IDLE_SECONDS = 30.0


class Cost(NamedTuple):
    """Processor seconds and peak memory of a process."""

    cpu_seconds: float
    peak_mb: float


def run(arguments: Sequence[str], folder: Path, sources: Path | None) -> Cost:
    """Run `outcrop` in a folder and return what it cost."""
    with subprocess.Popen(
        [sys.executable, "-m", "outcrop", *arguments],
        cwd=folder,
        env=_environment(sources),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"outcrop {' '.join(arguments)} ended with {status}")
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def idle_watch(folder: Path, sources: Path | None) -> Cost:
    """Return the processor time of a watch while nothing changes, per minute."""
    process = subprocess.Popen(
        [sys.executable, "-m", "outcrop", "index", "--watch"],
        cwd=folder,
        env=_environment(sources),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    for line in process.stderr or ():
        if "watching for changes" in line:
            break
    before = _cpu_seconds(process.pid)
    time.sleep(IDLE_SECONDS)
    spent = _cpu_seconds(process.pid) - before
    process.send_signal(signal.SIGINT)
    process.communicate()
    return Cost(spent * 60 / IDLE_SECONDS, 0.0)


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _environment(sources: Path | None) -> dict[str, str]:
    environment = dict(os.environ)
    # Installed packages are compiled; compiling them again takes half a second a run.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    if sources is not None:
        environment["PYTHONPATH"] = str(sources.resolve())
    return environment


class Edits:
    """Edits of Python files, chosen at random but the same every time."""

    def __init__(self, folder: Path) -> None:
        self._choose = random.Random(1)  # noqa: S311 - the same files every time
        files = [f for f in sorted(folder.rglob("*.py")) if ".outcrop" not in f.parts]
        self._files = [file for file in files if file.stat().st_size > 1_000]  # noqa: PLR2004 - not empty ones
        self._documents = sorted(folder.rglob("*.md"))
        self._count = 0

    def nothing(self) -> None:
        """Change nothing."""

    def document(self) -> None:
        """Change one document."""
        file = self._choose.choice(self._documents)
        file.write_text(f"{file.read_text()}\nUpdated {self._next()}.\n")

    def comment(self, count: int = 1) -> None:
        """Add a comment at the end of some files."""
        for file in self._choose.sample(self._files, count):
            file.write_text(f"{file.read_text()}\n# Updated {self._next()}.\n")

    def five_comments(self) -> None:
        """Add a comment at the end of five files."""
        self.comment(5)

    def first_line(self) -> None:
        """Add a comment at the top of a file, so that all its definitions move."""
        file = self._choose.choice(self._files)
        file.write_text(f"# Updated {self._next()}.\n{file.read_text()}")

    def call(self) -> None:
        """Add a function with a call to a file."""
        file = self._choose.choice(self._files)
        number = self._next()
        added = f"\n\ndef updated_{number}(value):\n    return len(value)\n"
        file.write_text(file.read_text() + added)

    def _next(self) -> int:
        self._count += 1
        return self._count


def measure(folder: Path, runs: int, sources: Path | None) -> dict[str, Cost]:
    """Return the median cost of each edit."""
    edits = Edits(folder)
    steps: list[Callable[[], None]] = [
        edits.nothing, edits.document, edits.comment, edits.five_comments,
        edits.first_line, edits.call,
    ]  # fmt: skip
    costs = {"first index": run(["index"], folder, sources)}
    for edit in steps:
        found = []
        for _ in range(runs):
            edit()
            found.append(run(["index"], folder, sources))
        costs[edit.__name__] = Cost(
            statistics.median(cost.cpu_seconds for cost in found),
            statistics.median(cost.peak_mb for cost in found),
        )
    costs["watch"] = idle_watch(folder, sources)
    return costs


def main() -> None:
    """Measure and print a table, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--sources", type=Path, help="the sources of another checkout")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    # An embedded server has its own user, who must be able to enter the folder.
    with tempfile.TemporaryDirectory(prefix="outcrop-incremental-") as made:
        Path(made).chmod(0o755)
        folder = Path(made) / "project"
        left_out = shutil.ignore_patterns(".outcrop", ".git")
        shutil.copytree(given.folder, folder, ignore=left_out)
        costs = measure(folder, given.runs, given.sources)
    if given.json:
        print(json.dumps({name: cost._asdict() for name, cost in costs.items()}))
        return
    print(describe_machine())
    load = os.getloadavg()[0] / (os.cpu_count() or 1)
    print(f"load per core at the end: {load:.1f}")
    print("| change | processor seconds | peak MB |\n|---|---|---|")
    for name, cost in costs.items():
        peak = f"{cost.peak_mb:,.0f}" if cost.peak_mb else "–"
        print(f"| {name.replace('_', ' ')} | {cost.cpu_seconds:.2f} | {peak} |")


if __name__ == "__main__":
    main()
