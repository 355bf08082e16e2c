"""How fast an application is planned, and how much memory that takes.

The graph is real: the definitions and calls of Python's standard library, its tests
included, and where that is not enough of the installed packages. It is stored first;
each measurement is then a process of its own, so that its memory is its own.

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
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from outcrop.codegraph import build
from outcrop.codegraph.source import Source
from outcrop.planning.orchestrator import ChunkBuildOrchestrator
from outcrop.planning.plans import ChunkBuildRequest
from outcrop.store.plan_store import PlanRuns
from outcrop.store.store import PostgresStore

if TYPE_CHECKING:
    from outcrop.model.edge import Edge
    from outcrop.model.node import Node

APPLICATION = "library"
ROUNDS = (
    ("per-node", True),
    ("per-node", False),
    ("per-node", False),
    ("adaptive", True),
    ("adaptive", False),
    ("adaptive", False),
)


def gather(count: int) -> tuple[list[Node], list[Edge]]:
    """Return about as many nodes, with the edges between them."""
    nodes: list[Node] = []
    edges: list[Edge] = []
    for root in map(sysconfig.get_path, ("stdlib", "purelib")):
        for folder in sorted(p for p in Path(root).iterdir() if p.is_dir()):
            if len(nodes) >= count:
                return nodes, edges
            if folder.name == "site-packages":
                continue
            graph = build(folder, APPLICATION, level="local")
            # Ids hash the path, so that two folders have none in common.
            moved = {n.id: f"{folder.name}/{n.id}" for n in graph.nodes}
            nodes += [
                replace(
                    n,
                    id=moved[n.id],
                    file_path=n.file_path and str(folder / n.file_path),
                )
                for n in graph.nodes
            ]
            edges += [
                replace(e, src=moved[e.src], dst=moved.get(e.dst, e.dst))
                for e in graph.edges
            ]
    return nodes, edges


def read_text(path: str) -> str | None:
    try:
        return Source(Path(path).read_bytes()).text
    except OSError:
        return None


def plan(project: str, strategy: str, *, dry_run: bool) -> dict[str, float]:
    request = ChunkBuildRequest(
        application_id=APPLICATION, strategy=strategy, dry_run=dry_run
    )
    with PostgresStore.open(project) as store:
        runs = PlanRuns(store)
        started = time.perf_counter()
        result = ChunkBuildOrchestrator(store, store, runs, read_text=read_text).start(
            request
        )
        seconds = time.perf_counter() - started
    return {**result.statistics(), "seconds": seconds, "peak_mb": peak_megabytes()}


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
        with PostgresStore.open(folder) as store:
            store.put_application(APPLICATION)
            store.replace_graph(APPLICATION, nodes, edges)
            del nodes, edges
            print(
                "strategy   run      seconds  nodes/s  peak MB  written  kept  errors"
            )
            for strategy, dry_run in ROUNDS:
                row = measure(folder, strategy, dry_run=dry_run)
                run = "dry" if dry_run else "written"
                print(
                    f"{strategy:<10} {run:<8} {row['seconds']:>7.1f}"
                    f" {row['processed_nodes'] / row['seconds']:>8,.0f}"
                    f" {row['peak_mb']:>8.0f} {row['written_chunks']:>8,}"
                    f" {row['skipped_chunks']:>7,} {row['errors']:>5}"
                )


if __name__ == "__main__":
    main()
