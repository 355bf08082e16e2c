"""Who does the work of a first index: the main process, the workers, or the server.

    python benchmarks/index_cost.py FOLDER [--move 2]

Processor seconds of each, and of all per megabyte of text. A copy of the folder is
indexed from nothing; the search for files, the models and all indexes are part of it.
With `--move N`, half of the documents are then moved to another folder and indexed
again, N times.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from _machine import describe_machine

from outcrop.indexing.config import IndexConfig
from outcrop.indexing.index import Index

if TYPE_CHECKING:
    from collections.abc import Iterator

_PARENT, _FIRST, _LAST = 1, 11, 15  # in /proc/PID/stat, counted from after the name


def server_seconds(mark: str) -> float:
    """Return the processor time of the server with a mark in its command line.

    That of its processes that have ended is part of the parent's.
    """
    times: dict[int, tuple[int, float]] = {}
    server = 0
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            command = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        ticks = sum(map(int, fields[_FIRST:_LAST]))
        seconds = ticks / os.sysconf("SC_CLK_TCK")
        times[int(entry.name)] = int(fields[_PARENT]), seconds
        if mark.encode() in command and b"-D" in command and b"postgres" in command:
            server = int(entry.name)
    own = {pid for pid, (parent, _) in times.items() if server in (pid, parent)}
    return sum(times[pid][1] for pid in own)


def measure(
    folder: Path, workers: int | None, summaries: str | None, moves: int
) -> Iterator[str]:
    """Index a copy of a folder, and after each move; yield the rows of the table."""
    with tempfile.TemporaryDirectory(prefix="outcrop-bench-") as name:
        copy = Path(name) / "tree"
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns(".outcrop"))
        Path(name).chmod(0o755)  # an embedded server may run as another user
        config = IndexConfig(workers=workers, summaries=summaries)
        with Index.open(copy, config=config) as index:
            yield _run(index, name, folder.name)
            for number in range(1, moves + 1):
                _move_half(copy, f"moved{number}")
                yield _run(index, name, f"{folder.name}, move {number}")


def _move_half(folder: Path, target: str) -> None:
    files = sorted(
        file for file in folder.rglob("*.md") if ".outcrop" not in file.parts
    )
    for file in files[::2]:
        moved = folder / target / file.relative_to(folder)
        moved.parent.mkdir(parents=True, exist_ok=True)
        file.rename(moved)


def _run(index: Index, mark: str, label: str) -> str:
    started, before, server = time.monotonic(), os.times(), server_seconds(mark)
    report = index.index()
    after, wall = os.times(), time.monotonic() - started
    in_server = server_seconds(mark) - server
    size = report.size_bytes / 1e6
    main = after.user + after.system - before.user - before.system
    children = after.children_user + after.children_system
    in_workers = children - before.children_user - before.children_system
    total = main + in_workers + in_server
    return (
        f"| {label} | {size:.1f} | {report.chunks_inserted:,} | {main:.1f} |"
        f" {in_workers:.1f} | {in_server:.1f} | {total:.1f} | {total / size:.2f} |"
        f" {main / size:.2f} | {wall:.1f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--workers", type=int)
    parser.add_argument("--summaries")
    parser.add_argument("--move", type=int, default=0, metavar="N")
    given = parser.parse_args()
    print(describe_machine())
    print(
        "| files | MB | chunks | main s | workers s | server s | all s | all s/MB |"
        " main s/MB | wall s |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for folder in given.folders:
        options = given.workers, given.summaries, given.move
        for row in measure(folder.resolve(), *options):
            print(row, flush=True)


if __name__ == "__main__":
    main()
