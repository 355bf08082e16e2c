"""How fast a source tree becomes an index, beside other code indexers.

Each tool indexes a fresh copy of the same tree through its own command, in turn, as
often as asked: ours with the graph, the plans, the explanations and the embeddings, the
others as their rows say.

    python benchmarks/code_index.py flask-3.1.0 --chunkhound .venv-chunkhound/bin/chunkhound

A figure is the median, with the quartiles after it, and a ratio that of the medians.
Processor time is that of all processes, the server's included.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from _machine import describe_machine
from _processes import Watch, timed


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool and the command that makes it index the current folder."""

    name: str
    command: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Cost:
    """What one run took."""

    seconds: float
    cpu_seconds: float
    peak_mb: float


def tools(given: argparse.Namespace) -> list[Tool]:
    """Return the tools that are there."""
    ours = str(Path(sys.executable).with_name("outcrop"))
    found = [Tool("outcrop", (ours, "index", "."))]
    if given.earlier:
        earlier = str(given.earlier.resolve())
        found.append(Tool("outcrop, earlier", (earlier, "index", ".")))
    if given.chunkhound:
        options = ("--no-embeddings", "--database-provider", "lancedb", "--db", "ch.db")
        command = (str(given.chunkhound.resolve()), "index", ".", *options)
        found.append(Tool("chunkhound, no embeddings", command))
    if given.codegraphcontext:
        peer = str(given.codegraphcontext.resolve())
        found.append(Tool("CodeGraphContext", (peer, "index", ".")))
    return found


def measure(tool: Tool, source: Path) -> Cost:
    """Index a fresh copy of a tree."""
    with tempfile.TemporaryDirectory(prefix="outcrop-bench-") as name:
        folder = Path(name) / "tree"
        shutil.copytree(source, folder)
        Path(name).chmod(0o755)  # an embedded server may run as another user
        environment = {**os.environ, "HOME": name, "OUTCROP_STATE_DIR": name}
        # Installed packages are compiled.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        with Watch(name) as watch:
            seconds = timed(
                lambda: subprocess.run(
                    tool.command,
                    cwd=folder,
                    env=environment,
                    check=True,
                    capture_output=True,
                )
            )
        return Cost(seconds, watch.cpu_seconds, watch.peak_mb)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=Path, help="the tree to index")
    parser.add_argument("--rounds", type=int, default=7, help="at least two")
    parser.add_argument("--earlier", type=Path, help="outcrop of another revision")
    parser.add_argument("--chunkhound", type=Path, help="its command")
    parser.add_argument("--codegraphcontext", type=Path, help="its command, cgc")
    given = parser.parse_args()
    chosen = tools(given)
    costs: dict[str, list[Cost]] = {tool.name: [] for tool in chosen}
    print(describe_machine())
    for number in range(given.rounds):
        for tool in chosen if number % 2 == 0 else reversed(chosen):
            cost = measure(tool, given.source)
            costs[tool.name].append(cost)
            print(number, tool.name, cost, file=sys.stderr, flush=True)
    files = sum(path.is_file() for path in given.source.rglob("*"))
    print(f"{files} files of {given.source.name}, {given.rounds} rounds\n")
    print("| tool | seconds | ratio | CPU seconds | ratio | memory MB |")
    print("|---|---|---|---|---|---|")
    ours = costs[chosen[0].name]
    for name, found in costs.items():
        peak = statistics.median(cost.peak_mb for cost in found)
        cells = [
            cell
            for column in ("seconds", "cpu_seconds")
            for cell in _cells(_column(found, column), _column(ours, column))
        ]
        print(f"| {name} | {' | '.join(cells)} | {peak:.0f} |")


def _column(costs: list[Cost], name: str) -> list[float]:
    return [getattr(cost, name) for cost in costs]


def _cells(values: list[float], ours: list[float]) -> tuple[str, str]:
    """Return the median with the quartiles, and its ratio to ours."""
    middle = statistics.median(values)
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    ratio = middle / statistics.median(ours)
    return f"{middle:.1f} ({low:.1f} to {high:.1f})", f"{ratio:.1f}"


if __name__ == "__main__":
    main()
