"""Precision of call edges inside real packages, judged by reading the source.

    python benchmarks/callgraph_precision.py
    python benchmarks/callgraph_precision.py --draw PACKAGE ... [--count 200] [--seed 5]

Without options, the figures of the judgements kept in `callgraph_judged.tsv`: one edge a
line, with package and version, where the call stands, the verdict and the reason.
With `--draw`, a sample of the edges that a build of the packages finds today, the same
number from each, as lines of such a file; edges that were judged before keep their
verdict, others have none yet.

A verdict is `true` where some run of the package can make the call: the callee is what
the name or the value at the call can be, classes derived in the package included. It is
`false` where no run can.
"""

from __future__ import annotations

import argparse
import csv
import random
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from outcrop.codegraph import build
from outcrop.model.edge import EdgeKind

if TYPE_CHECKING:
    from outcrop.codegraph import Graph

JUDGED = Path(__file__).parent / "callgraph_judged.tsv"
COLUMNS = ("package", "src", "dst", "resolution", "place", "verdict", "why")

Row = dict[str, str]


def read_judged(path: Path = JUDGED) -> list[Row]:
    """Return the judgements that are kept."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t"))


def draw(folder: Path, count: int, seed: int) -> list[Row]:
    """Return a sample of the internal calls of a package."""
    graph = build(folder)
    edges = [e for e in graph.edges if e.kind == EdgeKind.CALLS and not e.external]
    edges.sort(key=lambda e: (graph.name_of(e.src), graph.name_of(e.dst)))
    chosen = random.Random(seed).sample(edges, min(count, len(edges)))  # noqa: S311
    return [
        {
            "package": folder.name,
            "src": graph.name_of(edge.src),
            "dst": graph.name_of(edge.dst),
            "resolution": str(edge.resolution),
            "place": place(graph, edge.src, edge.dst),
            "verdict": "",
            "why": "",
        }
        for edge in chosen
    ]


def place(graph: Graph, src: str, dst: str) -> str:
    """Return file and line of the first line of the caller that names the callee."""
    caller, callee = graph.by_id[src], graph.by_id[dst]
    names = [callee.name]
    if callee.name.startswith("__"):
        names.append(callee.fqn.split(".")[-2])
    start = caller.line_start or 1
    for number, line in enumerate((caller.source_code or "").splitlines()):
        if any(name in line for name in names) and (number or caller.kind == "MODULE"):
            return f"{caller.file_path}:{start + number}"
    return f"{caller.file_path}:{start}"


def print_sample(options: argparse.Namespace) -> None:
    """Write a sample as lines of the file of judgements."""
    known = {
        (row["package"].split()[0], row["src"], row["dst"]): row
        for row in read_judged()
    }
    writer = csv.DictWriter(sys.stdout, COLUMNS, delimiter="\t", lineterminator="\n")
    writer.writeheader()
    each = options.count // len(options.draw)
    for folder in options.draw:
        for row in draw(folder, each, options.seed):
            judged = known.get((row["package"], row["src"], row["dst"]))
            if judged is not None:
                row.update(verdict=judged["verdict"], why=judged["why"])
            writer.writerow(row)


def print_figures() -> None:
    """Print the precision of each level and of each package."""
    right: Counter[str] = Counter()
    whole: Counter[str] = Counter()
    for row in read_judged():
        for key in ("all", f"resolution {row['resolution']}", row["package"]):
            whole[key] += 1
            right[key] += row["verdict"] == "true"
    print(f"{'edges':<24}{'judged':>8}{'true':>6}{'precision':>11}")
    for key in sorted(whole, key=lambda name: (name != "all", name)):
        share = 100 * right[key] / whole[key]
        print(f"{key:<24}{whole[key]:>8}{right[key]:>6}{share:>11.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draw", type=Path, nargs="+", metavar="PACKAGE")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=5)
    options = parser.parse_args()
    if options.draw:
        print_sample(options)
    else:
        print_figures()


if __name__ == "__main__":
    main()
