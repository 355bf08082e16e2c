"""Precision and recall of call edges against ground truth in PyCG's format.

    python benchmarks/callgraph.py FOLDER [--level flow|local] [--internal] [--misses]

FOLDER holds snippets, each a folder with a `callgraph.json`: caller -> callees. The
name of the folder above a snippet is its category. Callees outside the snippet are
written by their qualified names, builtins as `builtins.print`; PyCG's own spelling of
builtins is understood too.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import defaultdict
from pathlib import Path

from outcrop.codegraph import build
from outcrop.model.edge import EdgeKind

TRUTH = "callgraph.json"
_BUILTIN_TYPE = re.compile(r"<\*\*Py(\w+)\*\*>")

Pair = tuple[str, str]


def read_truth(path: Path) -> set[Pair]:
    """Return the (caller, callee) pairs of a ground truth file."""
    found = json.loads(path.read_text("utf-8"))
    return {(src, _plain(dst)) for src, callees in found.items() for dst in callees}


def _plain(name: str) -> str:
    name = name.replace("<builtin>", "builtins")
    return _BUILTIN_TYPE.sub(lambda m: f"builtins.{m.group(1).lower()}", name)


def score(folder: Path, level: str, *, internal: bool) -> dict[str, set[Pair]]:
    """Return the expected pairs of a snippet, and the found ones by their label."""
    graph = build(folder, level="local" if level == "local" else "flow", workers=1)
    truth = read_truth(folder / TRUTH)
    found: dict[str, set[Pair]] = defaultdict(set)
    own = {node.fqn for node in graph.nodes}
    for edge in graph.edges:
        if edge.kind == EdgeKind.CALLS and not (internal and edge.external):
            pair = (graph.name_of(edge.src), graph.name_of(edge.dst))
            found[str(edge.resolution)].add(pair)
    if internal:
        truth = {pair for pair in truth if pair[1] in own}
    found["expected"] = truth
    return found


def ratio(part: int, whole: int) -> float:
    """Return a percentage, 100 of nothing."""
    return 100.0 * part / whole if whole else 100.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--level", choices=["local", "flow"], default="flow")
    parser.add_argument("--internal", action="store_true")
    parser.add_argument("--misses", action="store_true")
    options = parser.parse_args()
    rows: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for truth in sorted(options.folder.rglob(TRUTH)):
        snippet = truth.parent
        found = score(snippet, options.level, internal=options.internal)
        expected = found.pop("expected")
        everything = set().union(*found.values())
        category = snippet.parent.name
        for key, pairs in {"all": everything, category: everything, **found}.items():
            row = rows[key]
            row[0] += 1
            row[1] += len(expected)
            row[2] += len(pairs)
            row[3] += len(pairs & expected)
        if options.misses and everything != expected:
            print(snippet.relative_to(options.folder))
            for src, dst in sorted(expected - everything):
                print(f"  missed  {src} -> {dst}")
            for src, dst in sorted(everything - expected):
                print(f"  wrong   {src} -> {dst}")
    print(f"{'category':<24}{'cases':>6}{'expected':>9}{'found':>7}{'P':>7}{'R':>7}")
    for key, (cases, expected, found_count, right) in sorted(rows.items()):
        precision, recall = ratio(right, found_count), ratio(right, expected)
        print(
            f"{key:<24}{cases:>6}{expected:>9}{found_count:>7}"
            f"{precision:>7.1f}{recall:>7.1f}"
        )


if __name__ == "__main__":
    main()
