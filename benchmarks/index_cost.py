"""Who does the work of a first index: the main process, the workers, or the server.

    python benchmarks/index_cost.py FOLDER

Processor seconds of each, and of all per megabyte of text. A copy of the folder is
indexed from nothing; the search for files, the models and all indexes are part of it.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from pathlib import Path

from _machine import describe_machine

from outcrop.indexing.config import IndexConfig
from outcrop.indexing.index import Index

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


def measure(folder: Path, workers: int | None, summaries: str | None) -> str:
    """Index a copy of a folder; return a row of the table."""
    with tempfile.TemporaryDirectory(prefix="outcrop-bench-") as name:
        copy = Path(name) / "tree"
        shutil.copytree(folder, copy)
        Path(name).chmod(0o755)  # an embedded server may run as another user
        config = IndexConfig(workers=workers, summaries=summaries)
        with Index.open(copy, config=config) as index:
            started, before, server = time.monotonic(), os.times(), server_seconds(name)
            report = index.index()
            after, wall = os.times(), time.monotonic() - started
            in_server = server_seconds(name) - server
    size = report.size_bytes / 1e6
    main = after.user + after.system - before.user - before.system
    children = after.children_user + after.children_system
    in_workers = children - before.children_user - before.children_system
    total = main + in_workers + in_server
    return (
        f"| {folder.name} | {size:.1f} | {report.chunks_inserted:,} | {main:.1f} |"
        f" {in_workers:.1f} | {in_server:.1f} | {total:.1f} | {total / size:.2f} |"
        f" {main / size:.2f} | {wall:.1f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--workers", type=int)
    parser.add_argument("--summaries")
    given = parser.parse_args()
    print(describe_machine())
    print(
        "| files | MB | chunks | main s | workers s | server s | all s | all s/MB |"
        " main s/MB | wall s |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for folder in given.folders:
        print(measure(folder.resolve(), given.workers, given.summaries), flush=True)


if __name__ == "__main__":
    main()
