"""Whether a search for a public name finds the definition that the package exports.

    python benchmarks/public_names.py PACKAGES [--names 40] [--misses]

`PACKAGES` has a folder for each package, such as an unpacked wheel. The questions are
names that the `__init__.py` of a package at the top imports from its own modules; the
answer is the definition that the import leads to. Many of these names are defined several
times: overloads, a class per backend, a copy for compatibility. A folder without an
index is indexed first.
"""

from __future__ import annotations

import argparse
import ast
import random
from pathlib import Path
from typing import NamedTuple

from _machine import describe_machine

from outcrop.indexing.index import Index

HITS = 10
MAX_IMPORTS = 6
MIN_LETTERS = 3
Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


class Answer(NamedTuple):
    """Where a name is defined: a file, and its lines."""

    path: str
    first_line: int
    last_line: int


def module_file(root: Path, parts: tuple[str, ...]) -> Path | None:
    """Return the file of a module."""
    folder = root.joinpath(*parts)
    found = (folder / "__init__.py", folder.with_suffix(".py"))
    return next((file for file in found if file.is_file()), None)


def parse(file: Path) -> ast.Module:
    """Return the syntax tree of a file; that of an empty one if it is not Python."""
    try:
        return ast.parse(file.read_bytes())
    except SyntaxError:
        return ast.Module([], [])


def imported(tree: ast.Module, file: Path, root: Path) -> dict[str, Path | None]:
    """Return the names that a module imports, and the files they come from."""
    package = file.parent.relative_to(root).parts
    found: dict[str, Path | None] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            parts = tuple(node.module.split(".")) if node.module else ()
            target = module_file(root, (*above, *parts))
            # An import under another name does not define this one.
            found |= {a.name: target for a in node.names if a.asname in (None, a.name)}
    return found


def find(root: Path, file: Path, name: str) -> Answer | None:
    """Return where a module gets a name from."""
    for _ in range(MAX_IMPORTS):
        tree = parse(file)
        for node in reversed(tree.body):
            if isinstance(node, Definition) and node.name == name:
                path = file.relative_to(root).as_posix()
                return Answer(path, node.lineno, node.end_lineno or node.lineno)
        source = imported(tree, file, root).get(name)
        if source is None:
            return None
        file = source
    return None


def public_names(root: Path, most: int) -> dict[str, Answer]:
    """Return some names that the packages at the top export, and their definitions."""
    found = {}
    for file in sorted(root.glob("*/__init__.py")):
        for name in imported(parse(file), file, root):
            if len(name) >= MIN_LETTERS and not name.startswith("_"):
                answer = find(root, file, name)
                if answer is not None:
                    found[name] = answer
    names = random.Random(3).sample(sorted(found), min(most, len(found)))  # noqa: S311 - the same names in every run
    return {name: found[name] for name in names}


def ranks(root: Path, questions: dict[str, Answer]) -> dict[str, int | None]:
    """Return the rank of each answer among the first hits."""
    found: dict[str, int | None] = {}
    with Index.open(root) as index:
        if not index.documents(limit=1):
            index.index(".")
        for name, answer in questions.items():
            hits = index.search(name, HITS)
            found[name] = next(
                (
                    rank
                    for rank, hit in enumerate(hits, 1)
                    if hit.path == answer.path
                    and hit.start_line <= answer.last_line
                    and hit.end_line >= answer.first_line
                ),
                None,
            )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("packages", type=Path)
    parser.add_argument("--names", type=int, default=40, help="at most, per package")
    parser.add_argument("--misses", action="store_true", help="show names not first")
    options = parser.parse_args()
    print(describe_machine())
    every: list[int | None] = []
    for root in sorted(path for path in options.packages.iterdir() if path.is_dir()):
        found = ranks(root, public_names(root, options.names))
        every += found.values()
        for name, rank in found.items():
            if options.misses and rank != 1:
                print(f"  {root.name}: {name}: rank {rank or '-'}")
    reciprocal = sum(1 / rank for rank in every if rank) / max(1, len(every))
    first = sum(rank == 1 for rank in every) / max(1, len(every))
    print(f"{len(every)} names, MRR@{HITS} {reciprocal:.3f}, first {first:.1%}")


if __name__ == "__main__":
    main()
