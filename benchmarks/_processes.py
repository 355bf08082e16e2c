"""What a job costs that is spread over many processes, a server among them."""

from __future__ import annotations

import os
import threading
import time
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_EVERY_SECONDS = 0.1
_SIZES_EVERY = 5  # looks: adding up the pages of a large process takes milliseconds
_PARENT = 1  # in /proc/PID/stat, counted from behind the command's name


class Watch:
    """Watches this process, its children, and what has a mark in its command line.

    An embedded server is no child of whoever started it: it is known by its folder. A
    process that ends between two looks takes its last tenth of a second along. What the
    watch costs itself is not counted.

    Attributes:
        peak_mb: The greatest sum of proportional sizes seen so far.
    """

    def __init__(self, mark: str) -> None:
        """Watch processes with `mark` in their command line, and their children."""
        self.peak_mb = 0.0
        self._mark = mark.encode()
        self._seconds: dict[int, float] = {}
        self._before: dict[int, float] = {}
        self._own_seconds = 0.0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look_often, daemon=True)

    def __enter__(self) -> Self:
        self._look()
        self._before = dict(self._seconds)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()
        self._look()

    @property
    def cpu_seconds(self) -> float:
        """Processor time of all of them since the watch began."""
        spent = sum(
            seconds - self._before.get(pid, 0.0)
            for pid, seconds in self._seconds.items()
        )
        return spent - self._own_seconds

    def _look_often(self) -> None:
        for number in count():
            if self._done.wait(_EVERY_SECONDS):
                break
            self._look(with_sizes=number % _SIZES_EVERY == 0)
            self._own_seconds = time.thread_time()

    def _look(self, *, with_sizes: bool = True) -> None:
        size = 0
        for pid in self._processes():
            size += _proportional_kb(pid) if with_sizes else 0
            self._seconds[pid] = max(self._seconds.get(pid, 0.0), _cpu_seconds(pid))
        self.peak_mb = max(self.peak_mb, size / 1024)

    def _processes(self) -> Iterator[int]:
        yield from find_processes(os.getpid(), self._mark)


def find_processes(root: int, mark: bytes) -> set[int]:
    """Return a process, those with a mark in their command line, and all children."""
    parents: dict[int, int] = {}
    ours = {root}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            stat = (entry / "stat").read_text()
            command = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        parents[int(entry.name)] = int(stat.rpartition(")")[2].split()[_PARENT])
        if mark in command:
            ours.add(int(entry.name))
    grown = True
    while grown:
        more = {pid for pid, parent in parents.items() if parent in ours} - ours
        ours |= more
        grown = bool(more)
    return ours


def cpu_seconds_of(root: int, mark: str) -> float:
    """Return the processor time of `find_processes` so far."""
    return sum(map(_cpu_seconds, find_processes(root, mark.encode())))


def timed(action: Callable[[], object]) -> float:
    """Return how many seconds an action takes by the clock."""
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def _proportional_kb(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)


def _cpu_seconds(pid: int) -> float:
    """Return the time of all threads, ended ones included."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
