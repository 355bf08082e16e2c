"""How fast an application is planned, and how much memory that takes.

The graph is real: the definitions and calls of Python's standard library, over and over
until there are enough. It is stored first; each measurement is then a process of its
own, so that its memory is its own. The time is that of the clock, the server's work
included; beside it is what the planning process itself computed.

    python benchmarks/planning.py --nodes 100000
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import sysconfig
import tempfile
import time
from itertools import count as count_up
from pathlib import Path
from typing import TYPE_CHECKING

from outcrop.codegraph import build
from outcrop.codegraph.source import Source
from outcrop.planning.orchestrator import ChunkBuildOrchestrator
from outcrop.planning.plans import ChunkBuildRequest
from outcrop.store.database import Database
from outcrop.store.runs import PlanRuns
from outcrop.store.store import PostgresStore

if TYPE_CHECKING:
    from outcrop.model.edge import Edge
    from outcrop.model.node import Node

APPLICATION = "library"
LIBRARY = Path(sysconfig.get_path("stdlib"))
ROUNDS = (
    ("per-node", True),
    ("per-node", False),
    ("per-node", False),
    ("adaptive", True),
    ("adaptive", False),
    ("adaptive", False),
)


def gather(count: int) -> tuple[list[Node], list[Edge]]:
    """Return so many nodes with the edges between them, copies where they run out."""
    nodes: list[Node] = []
    edges: list[Edge] = []
    folders = [p for p in sorted(LIBRARY.iterdir()) if p.is_dir()]
    for copy in count_up():
        for folder in folders:
            if folder.name in {"site-packages", "test"}:
                continue
            graph = build(folder, APPLICATION, level="local")
            prefix = f"{copy}/{folder.name}/"
            nodes += [_moved(node, prefix) for node in graph.nodes]
            own = graph.by_id
            edges += [
                edge._replace(
                    src=prefix + edge.src,
                    dst=prefix + edge.dst if edge.dst in own else edge.dst,
                )
                for edge in graph.edges
            ]
            if len(nodes) >= count:
                kept = {node.id for node in nodes[:count]}
                return nodes[:count], [edge for edge in edges if edge.src in kept]
    raise AssertionError


def _moved(node: Node, prefix: str) -> Node:
    path = node.file_path and prefix + node.file_path
    return node._replace(id=prefix + node.id, file_path=path)


def read_text(path: str) -> str | None:
    _, _, inner = path.partition("/")  # the number of the copy
    try:
        return Source((LIBRARY / inner).read_bytes()).text
    except OSError:
        return None


def plan(project: str, strategy: str, *, dry_run: bool) -> dict[str, float]:
    request = ChunkBuildRequest(
        application_id=APPLICATION, strategy=strategy, dry_run=dry_run
    )
    with PostgresStore(Database.open(project)) as store:
        runs = PlanRuns(store)
        started, used = time.perf_counter(), time.process_time()
        result = ChunkBuildOrchestrator(store, store, runs, read_text=read_text).start(
            request
        )
        seconds = time.perf_counter() - started
    return {
        **result.statistics(),
        "seconds": seconds,
        "cpu": time.process_time() - used,
        "peak_mb": peak_megabytes(),
    }


def peak_megabytes() -> float:
    """Return the most memory this process has held."""
    # What `getrusage` says of a child counts the parent's memory at the fork.
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(project: str, strategy: str, *, dry_run: bool) -> dict[str, float]:
    command = [sys.executable, __file__, "--plan", project, strategy, str(int(dry_run))]
    answer = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(answer.stdout.splitlines()[-1])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--plan", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.plan:
        project, strategy, dry_run = given.plan
        print(json.dumps(plan(project, strategy, dry_run=dry_run == "1")))
        return
    nodes, edges = gather(given.nodes)
    print(f"{len(nodes):,} nodes, {len(edges):,} edges")
    with tempfile.TemporaryDirectory(prefix="outcrop-bench-") as folder:
        Path(folder).chmod(0o755)
        with PostgresStore(Database.open(folder)) as store:
            store.put_application(APPLICATION)
            store.replace_graph(APPLICATION, nodes, edges)
            del nodes, edges
            print(
                "strategy   run      seconds  of CPU  nodes/s  peak MB  written"
                "    kept  errors"
            )
            for strategy, dry_run in ROUNDS:
                row = measure(folder, strategy, dry_run=dry_run)
                run = "dry" if dry_run else "written"
                print(
                    f"{strategy:<10} {run:<8} {row['seconds']:>7.1f}"
                    f" {row['cpu']:>7.1f}"
                    f" {row['processed_nodes'] / row['seconds']:>8,.0f}"
                    f" {row['peak_mb']:>8.0f} {row['written_chunks']:>8,}"
                    f" {row['skipped_chunks']:>7,} {row['errors']:>5}"
                )


if __name__ == "__main__":
    main()
