"""Which file and which functions an issue is about, found by the text of the issue.

    python benchmarks/swe_lite.py SET TREES [--save FILE] [--against FILE]

SET holds `queries_public.jsonl` (repo, commit, q, relevant, functions). TREES holds the
code: a folder `OWNER__NAME/COMMIT` for each checkout, with the files of that commit or
of the release next to it. Questions about a checkout that is not there are left out.
Tests are not indexed. Files are ranked by the first of their hits; a hit stands for the
functions that it overlaps by half of the shorter of the two. The lines of a function are
looked up by its name; questions about a function that is not there are left out of the
figures of functions. `swe_trees.py` makes TREES from releases.

`--save` writes the value of every question, and `--against` prints the differences to
the values of another revision, with paired 95 % intervals. The sources that are measured
are those on PYTHONPATH.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import shutil
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from _machine import describe_machine
from _retrieval_metrics import interval

from outcrop.indexing.index import Index
from outcrop.search.question import Mode

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

HITS = 50
MODES = ("hybrid", "text", "vector")
FILES = ("file@1", "file@3", "file@5", "file@10", "MRR")
FUNCTIONS = ("function@5", "function@10", "function recall@10")
MIN_SHARE = 0.5
_TEST = re.compile(
    r"(^|/)tests/|(^|/)(test_[^/]*|[^/]*_test|tests|conftest)\.py$"
)  # the files that the set leaves out
Hit = tuple[str, int, int]  # path, first line and last line
Row = dict[str, Any]
# By mode, question and column.
Values = dict[str, dict[str, dict[str, float]]]


def score_files(relevant: Sequence[str], hits: Sequence[Hit]) -> dict[str, float]:
    """Return whether the file is among the first, and its reciprocal rank."""
    files = list(dict.fromkeys(path for path, _, _ in hits))[:10]
    rank = next((at for at, file in enumerate(files, 1) if file in relevant), None)
    found = {
        f"file@{most}": float(rank is not None and rank <= most)
        for most in (1, 3, 5, 10)
    }
    return found | {"MRR": 1 / rank if rank else 0.0}


def score_functions(functions: Sequence[Row], hits: Sequence[Hit]) -> dict[str, float]:
    """Return whether the first hits stand for all functions, and for which share."""
    shares = {
        most: sum(
            any(_stands_for(hit, row) for hit in hits[:most]) for row in functions
        )
        / len(functions)
        for most in (5, 10)
    }
    found = {f"function@{most}": float(share == 1) for most, share in shares.items()}
    return found | {"function recall@10": shares[10]}


def _stands_for(hit: Hit, function: Row) -> bool:
    path, first, last = hit
    common = min(last, function["end"]) - max(first, function["start"]) + 1
    shorter = min(last - first, function["end"] - function["start"]) + 1
    return path == function["path"] and common >= MIN_SHARE * shorter


def copy_code(tree: Path, folder: Path) -> None:
    """Copy the Python files of a checkout that are no tests."""
    for file in sorted(tree.rglob("*.py")):
        path = file.relative_to(tree).as_posix()
        if not _TEST.search(path):
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)


def locate_functions(functions: Sequence[Row], tree: Path) -> list[Row] | None:
    """Return the functions with their lines in a tree; None if one is not there."""
    located = []
    for row in functions:
        lines = _lines_of_functions(tree / row["path"]).get(row["name"])
        if lines is None:
            return None
        located.append(row | {"start": lines[0], "end": lines[1]})
    return located


def _lines_of_functions(file: Path) -> dict[str, tuple[int, int]]:
    """Return the first and last line of each function, by qualified name."""
    if not file.exists():
        return {}
    found: dict[str, tuple[int, int]] = {}

    def visit(node: ast.AST, above: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                name = f"{above}{child.name}"
                first = min([child.lineno, *(d.lineno for d in child.decorator_list)])
                found.setdefault(name, (first, child.end_lineno or first))
                visit(child, f"{name}.")
            else:
                visit(child, above)

    visit(ast.parse(file.read_bytes()), "")
    return found


def ask(index: Index, text: str, mode: str) -> list[Hit]:
    return [
        (hit.path, hit.start_line, hit.end_line)
        for hit in index.search(text, HITS, mode=Mode(mode))
    ]


def measure(rows: Sequence[Row], trees: Path, save: Path | None) -> Values:
    """Return the values of the questions whose code is there, by mode and id.

    They are saved after each tree, so that a run that is stopped is not lost.
    """
    values: Values = {mode: {} for mode in MODES}
    by_tree: defaultdict[Path, list[Row]] = defaultdict(list)
    for row in rows:
        by_tree[trees / row["repo"].replace("/", "__") / row["commit"]].append(row)
    for tree, asked, index in indexed_trees(by_tree):
        for row in asked:
            functions = locate_functions(row["functions"], tree)
            for mode in MODES:
                hits = ask(index, row["q"], mode)
                found = score_files(row["relevant"], hits)
                if functions:
                    found |= score_functions(functions, hits)
                values[mode][row["id"]] = found
        if save:
            save.write_text(json.dumps(values), encoding="utf-8")
    return values


def indexed_trees(
    by_tree: Mapping[Path, Sequence[Row]],
) -> Iterator[tuple[Path, Sequence[Row], Index]]:
    """Index the code of each tree that is there; yield it with its questions."""
    for tree, asked in by_tree.items():
        if not tree.is_dir():
            print(f"left out: {tree} ({len(asked)} questions)")
            continue
        with tempfile.TemporaryDirectory(prefix="outcrop-bench-") as name:
            Path(name).chmod(0o755)  # an embedded server may run as another user
            copy_code(tree, Path(name))
            with Index.open(name) as index:
                index.index(".")
                yield tree, asked, index
        print(f"measured {tree.parent.name}/{tree.name}", flush=True)


def print_table(values: Values, other: Values | None) -> None:
    columns = (*FILES, *FUNCTIONS)
    heads = ("mode", "questions", *FILES, "with functions", *FUNCTIONS)
    print(f"\n| {' | '.join(heads)} | file@5 minus the other |")
    print(f"|{'---|' * (len(heads) + 1)}")
    for mode, found in values.items():
        cells = []
        for column in columns:
            known = [value[column] for value in found.values() if column in value]
            if column == FUNCTIONS[0]:
                cells.append(str(len(known)))
            cells.append(f"{np.mean(known):.3f}" if known else "")
        theirs = (other or {}).get(mode, {})
        both = sorted(found.keys() & theirs.keys())
        cells.append(
            interval(
                np.array([found[key]["file@5"] for key in both]),
                np.array([theirs[key]["file@5"] for key in both]),
            )
            if both
            else ""
        )
        print(f"| {mode} | {len(found)} | {' | '.join(cells)} |")


def read_arguments(description: str, questions: str) -> argparse.Namespace:
    """Read the arguments: the questions, the trees, and values to save or compare."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(questions, type=Path)
    parser.add_argument("trees", type=Path)
    parser.add_argument("--save", type=Path)
    parser.add_argument("--against", type=Path)
    return parser.parse_args()


def main() -> None:
    given = read_arguments(__doc__.splitlines()[0], "set")
    print(describe_machine())
    lines = (given.set / "queries_public.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in lines.splitlines()]
    values = measure(rows, given.trees, given.save)
    print_table(
        values, json.loads(given.against.read_text()) if given.against else None
    )


if __name__ == "__main__":
    main()
