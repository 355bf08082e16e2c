"""What a first index costs by each engine: processor seconds of all processes.

    python benchmarks/cluster.py FOLDER... [--engines plain daft ray]
    python benchmarks/cluster.py --source docs --megabytes 5 20 40

Folders are given, or made of the paragraphs of others as for `index.py`. From two on,
a line is fitted: what a run costs whatever its size, and what it costs per megabyte.

Every engine indexes a copy of the folder from nothing, in a process of its own. The
seconds are those of that process, of all that it started, of the database, and of the
nodes of Ray: two of one processor each, on this machine. A second run finds nothing
changed: it costs what starting does. The digest is of everything that was stored.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
from _machine import describe_machine
from index import read_paragraphs, write_documents

from outcrop.indexing.index import Index

if TYPE_CHECKING:
    from collections.abc import Iterator

ENGINES = ("plain", "daft", "ray")
_DIGESTED = (
    "SELECT path, fingerprint, content_hash, chunk_count FROM documents ORDER BY path",
    "SELECT id, row_hash, search_hash, emb::text FROM chunks ORDER BY id",
    "SELECT chunk_id, len, tsv::text FROM chunk_lex ORDER BY chunk_id",
    "SELECT sum(chunks), sum(length) FROM lex_batch",
    "SELECT id, row_hash FROM nodes ORDER BY id",
)


class ProcessorTime:
    """Adds up the processor seconds of processes and all below them.

    A process that has ended counts with what it had used when it was last looked at.
    """

    def __init__(self, *roots: int) -> None:
        self._roots = [psutil.Process(pid) for pid in roots]
        self._seconds: dict[tuple[int, float], float] = {}

    def look(self) -> None:
        """Read the seconds that each process has used by now."""
        for root in self._roots:
            try:
                processes = [root, *root.children(recursive=True)]
            except psutil.NoSuchProcess:
                continue
            for process in processes:
                try:
                    times, key = (
                        process.cpu_times(),
                        (process.pid, process.create_time()),
                    )
                except psutil.Error:
                    continue
                self._seconds[key] = times.user + times.system

    @property
    def total(self) -> float:
        """The sum."""
        return sum(self._seconds.values())


@contextmanager
def two_nodes() -> Iterator[tuple[str, list[int]]]:
    """Start a Ray cluster; yield its address and the processes of its nodes."""
    from ray.cluster_utils import Cluster

    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0"}
    cluster = Cluster()
    node = {"num_cpus": 1, "object_store_memory": 100_000_000}
    node["node_ip_address"] = "127.0.0.1"  # type: ignore[assignment]
    nodes = [
        cluster.add_node(include_dashboard=False, **node),
        cluster.add_node(**node),
    ]
    time.sleep(5)  # workers that are started in advance
    pids = [
        started.process.pid
        for each in nodes
        for processes in each.all_processes.values()
        for started in processes
    ]
    try:
        yield str(cluster.address), pids
    finally:
        cluster.shutdown()


def index(folder: Path, arguments: list[str], pids: list[int]) -> dict[str, object]:
    """Index a copy of a folder; return what it cost."""
    with tempfile.TemporaryDirectory(prefix="outcrop-bench-") as name:
        copy = Path(name) / folder.name
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns(".git", ".outcrop"))
        Path(name).chmod(0o755)  # an embedded server may run as another user
        with Index.open(copy) as opened:  # holds the server, so that it is measured
            server = _server_of(name)
            first = _run(copy, arguments, [server, *pids])
            again = _run(copy, arguments, [server, *pids])
            return {**first, "again": again["cpu"], "digest": _digest(opened)}


def _run(copy: Path, arguments: list[str], pids: list[int]) -> dict[str, float]:
    """Run the command; return what it cost, and how much it indexed."""
    idle = ProcessorTime(*pids)
    idle.look()
    began = time.monotonic()
    command = [sys.executable, "-m", "outcrop", "index", ".", "--json", *arguments]
    process = subprocess.Popen(
        command,
        cwd=copy,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    running = ProcessorTime(process.pid, *pids)
    while process.poll() is None:
        running.look()
        time.sleep(0.05)
    wall = time.monotonic() - began
    report = json.loads(process.stdout.read() if process.stdout else "")
    size = report["size_bytes"] / 1e6
    return {"cpu": running.total - idle.total, "wall": wall, "size": size}


def _server_of(mark: str) -> int:
    for process in psutil.process_iter(["pid", "cmdline"]):
        command = " ".join(process.info["cmdline"] or [])
        if mark in command and "postgres" in command and " -D " in command:
            return int(process.info["pid"])
    raise SystemExit("the server of the index is not running")


def _digest(opened: Index) -> str:
    digest = hashlib.sha256()
    with opened.database.read() as connection:
        for query in _DIGESTED:
            for row in connection.execute(query.encode()):
                digest.update(repr(row).encode())
    return digest.hexdigest()[:12]


def measure(folder: Path, engine: str) -> dict[str, object]:
    """Return what one engine costs."""
    if engine == "plain":
        return index(folder, ["--workers", "1"], [])
    if engine == "daft":
        return index(folder, ["--engine", "daft"], [])
    with two_nodes() as (address, pids):
        return index(folder, ["--engine", "ray", "--address", address], pids)


def fit(points: list[tuple[float, float]]) -> tuple[float, float]:
    """Return the constant and the slope of the line nearest to some points."""
    x, y = (sum(values) / len(points) for values in zip(*points, strict=True))
    spread = sum((each - x) ** 2 for each, _ in points)
    slope = sum((each - x) * (value - y) for each, value in points) / spread
    return y - slope * x, slope


def report(found: dict[str, list[tuple[float, float]]]) -> None:
    """Print what engines cost at any size."""
    print("\n| engine | cpu s per run | cpu s per MB | over plain |")
    print("|---|---:|---:|---:|")
    first = 0.0
    for engine, points in found.items():
        constant, slope = fit(points)
        first = first or slope
        print(f"| {engine} | {constant:.1f} | {slope:.2f} | {slope / first - 1:+.0%} |")


def compare(folder: Path, engines: list[str]) -> Iterator[tuple[str, float, float]]:
    """Print what each engine costs on one folder; yield that, and the megabytes."""
    first = first_work = 0.0
    for engine in engines:
        found = measure(folder.resolve(), engine)
        size, cpu, again = (float(str(found[k])) for k in ("size", "cpu", "again"))
        first, first_work = first or cpu, first_work or cpu - again
        print(
            f"| {engine} | {size:.1f} | {cpu:.1f} | {cpu / first - 1:+.0%} |"
            f" {again:.1f} | {(cpu - again) / first_work - 1:+.0%} |"
            f" {found['wall']:.1f} | {found['digest']} |",
            flush=True,
        )
        yield engine, size, cpu


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="*")
    parser.add_argument("--source", type=Path, help="make folders of this one's text")
    parser.add_argument("--megabytes", type=float, nargs="+", default=[5, 20, 40])
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=list(ENGINES))
    given = parser.parse_args()
    os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"  # stay on loopback
    print(describe_machine())
    print(
        "| engine | MB | cpu s | over plain | nothing changed, cpu s |"
        " over plain without it | wall s | digest |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|---|")
    points: dict[str, list[tuple[float, float]]] = {}
    with tempfile.TemporaryDirectory(prefix="outcrop-made-") as name:
        folders = list(given.folders)
        for size in given.megabytes if given.source else ():
            folders.append(Path(name) / f"{size:g}")
            paragraphs = read_paragraphs(given.source)
            write_documents(paragraphs, folders[-1], int(size * 1e6))
        for folder in folders:
            for engine, size, cpu in compare(folder, given.engines):
                points.setdefault(engine, []).append((size, cpu))
    if len(folders) > 1:
        report(points)


if __name__ == "__main__":
    main()
