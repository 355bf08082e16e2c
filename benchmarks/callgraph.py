"""Precision and recall of call edges against ground truth in PyCG's format.

    python benchmarks/callgraph.py FOLDER [--level flow|local] [--internal] [--misses]
    python benchmarks/callgraph.py PACKAGE --traced CALLS.json
    python benchmarks/callgraph.py FOLDER --speed [--growth]

FOLDER holds snippets, each a folder with a `callgraph.json`: caller -> callees. The
name of the folder above a snippet is its category. Callees outside the snippet are
written by their qualified names, builtins as `builtins.print`; PyCG's own spelling of
builtins is understood too.

With `--traced`, recall against calls that were seen while tests ran (`trace_calls.py`
writes them down), and how many found edges of functions that ran were seen: a lower
bound of precision, as tests do not take every way. `callgraph_precision.py` has the
precision by judgement.

With `--speed`, the CPU time of a build beside that of bare parsing of the same files:
in all, and on the way to the result, where the workers share the cores and the rest is
done by one process. With `--growth`, a quarter, a half and all of the files.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from outcrop.codegraph import build
from outcrop.model.edge import EdgeKind

if TYPE_CHECKING:
    from collections.abc import Callable

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


def print_traced(package: Path, traced: Path) -> None:
    """Score a graph against calls seen at run time, level by level."""
    seen = {tuple(pair) for pair in json.loads(traced.read_text("utf-8"))}
    print(f"{'level':<8}{'seen':>6}{'recall':>8}{'found':>7}{'of ran':>8}{'seen %':>8}")
    for level in ("local", "flow"):
        graph = build(package, level="local" if level == "local" else "flow")
        names = {node.fqn for node in graph.nodes}
        known = {pair for pair in seen if set(pair) <= names}
        found = {
            (graph.name_of(edge.src), graph.name_of(edge.dst))
            for edge in graph.edges
            if edge.kind == EdgeKind.CALLS and not edge.external
        }
        found = {pair for pair in found if "<lambda" not in "".join(pair)}
        ran = {caller for caller, _ in known}
        covered = {pair for pair in found if pair[0] in ran}
        recall = ratio(len(found & known), len(known))
        lower = ratio(len(covered & known), len(covered))
        print(
            f"{level:<8}{len(known):>6}{recall:>8.1f}{len(found):>7}"
            f"{len(covered):>8}{lower:>8.1f}"
        )


def print_speed(folder: Path) -> None:
    """Time builds beside bare parsing; CPU time, as machines are shared."""
    from tree_sitter import Parser

    from outcrop.codegraph.discovery import discover
    from outcrop.codegraph.languages import language

    files = [
        (language(lang).tree_language, (folder / path).read_bytes())
        for path, lang in discover(folder).files
    ]

    def parse() -> float:
        start = time.process_time()
        for grammar, raw in files:
            Parser(grammar).parse(raw)
        return time.process_time() - start

    parse()
    build(folder, level="local")
    print(f"{len(files)} files, {sum(len(raw) for _, raw in files) / 1e6:.1f} MB")
    cores = os.cpu_count() or 1
    print(
        f"{'level':<8}{'parse s':>9}{'one s':>8}{'workers s':>11}{'wall s':>8}"
        f"{'CPU / parse':>13}{f'on {cores} cores / parse':>21}"
    )
    for level in ("local", "flow"):
        # Best of three, each beside its own parse: other work only ever adds time.
        rounds = [_round(folder, level, parse) for _ in range(3)]
        bare, own, workers, wall = min(rounds, key=lambda r: (r[1] + r[2]) / r[0])
        print(
            f"{level:<8}{bare:>9.2f}{own:>8.2f}{workers:>11.2f}{wall:>8.2f}"
            f"{(own + workers) / bare:>13.1f}{(own + workers / cores) / bare:>21.1f}"
        )


def _round(
    folder: Path, level: str, parse: Callable[[], float]
) -> tuple[float, float, float, float]:
    bare = parse()
    before, wall = os.times(), time.perf_counter()
    build(folder, level="local" if level == "local" else "flow")
    wall, after = time.perf_counter() - wall, os.times()
    own = after.user + after.system - before.user - before.system
    workers = after.children_user + after.children_system
    workers -= before.children_user + before.children_system
    return bare, own, workers, wall


def print_growth(folder: Path) -> None:
    """Time builds of parts of a folder; linear time gives the same time a file."""
    from outcrop.codegraph.discovery import discover

    paths = [path for path, _ in discover(folder).files]
    for step in (4, 2, 1):
        with tempfile.TemporaryDirectory() as part:
            for path in paths[::step]:
                target = Path(part, folder.name, path)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes((folder / path).read_bytes())
            print_speed(Path(part, folder.name))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--level", choices=["local", "flow"], default="flow")
    parser.add_argument("--internal", action="store_true")
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--traced", type=Path)
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--growth", action="store_true")
    parser.add_argument(
        "--by-language", action="store_true", help="FOLDER/LANGUAGE/CATEGORY/CASE"
    )
    options = parser.parse_args()
    if options.traced is not None:
        print_traced(options.folder, options.traced)
        return
    if options.speed:
        (print_growth if options.growth else print_speed)(options.folder)
        return
    print_scores(options)


def print_scores(options: argparse.Namespace) -> None:
    """Score snippets by category and by resolution."""
    rows: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for truth in sorted(options.folder.rglob(TRUTH)):
        snippet = truth.parent
        found = score(snippet, options.level, internal=options.internal)
        expected = found.pop("expected")
        everything = set().union(*found.values())
        category = snippet.parent.name
        if options.by_language:
            category = snippet.relative_to(options.folder).parts[0]
            found = {f"{category}, {key}": pairs for key, pairs in found.items()}
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
    for key, (cases, wanted, found_count, right) in sorted(rows.items()):
        precision, recall = ratio(right, found_count), ratio(right, wanted)
        print(
            f"{key:<24}{cases:>6}{wanted:>9}{found_count:>7}"
            f"{precision:>7.1f}{recall:>7.1f}"
        )


if __name__ == "__main__":
    main()
