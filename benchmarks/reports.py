"""Which file and which functions a report is about: issues of our own choice.

    python benchmarks/reports.py REPORTS TREES [--save FILE] [--against FILE]

REPORTS is a file of JSON lines with `id`, `url`, `package`, `version`, `text`, `files` and
`functions`; `reports.tsv` lists those that were used, without their texts, which belong
to their authors. TREES holds the code of the release before each fix, unpacked from its
wheel: a folder `PACKAGE-VERSION`. Questions about a release that is not there are left
out. Values are computed as by `swe_lite.py`. Packages are divided in two halves by name,
so that what is chosen on one half can be confirmed on the other.

`--save` writes the value of every report, and `--against` prints the differences to the
values of another revision, with 95 % intervals; whole packages are resampled. The sources
that are measured are those on PYTHONPATH.
"""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np
from _machine import describe_machine
from swe_lite import (
    ask,
    indexed_trees,
    locate_functions,
    read_arguments,
    score_files,
    score_functions,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from outcrop.indexing.index import Index

COLUMNS = ("file@1", "file@3", "file@5", "MRR", "function@5", "function@10")
RESAMPLES = 2_000
Row = dict[str, Any]
# By id, and then by column; `package` is the package's name.
Values = dict[str, dict[str, Any]]


def measure(rows: Iterable[Row], trees: Path) -> Values:
    """Return the values of the reports whose release is there."""
    by_tree: defaultdict[Path, list[Row]] = defaultdict(list)
    for row in rows:
        by_tree[trees / f"{row['package']}-{row['version']}"].append(row)
    return {
        row["id"]: score(index, row, tree)
        for tree, asked, index in indexed_trees(by_tree)
        for row in asked
    }


def score(index: Index, row: Row, tree: Path) -> dict[str, Any]:
    """Ask one report; a package of a single file says nothing about files."""
    hits = ask(index, row["text"], "hybrid")
    found: dict[str, Any] = {"package": row["package"]}
    if row["files"]:
        found |= score_files(row["files"], hits)
    functions = locate_functions(row["functions"], tree)
    return found | score_functions(functions, hits) if functions else found


def halves(values: Values) -> dict[str, list[str]]:
    """Return the ids of all reports, and those of every other package by name."""
    packages = sorted({value["package"].lower() for value in values.values()})
    found: dict[str, list[str]] = {"all": sorted(values), "half 1": [], "half 2": []}
    for key in sorted(values):
        at = packages.index(values[key]["package"].lower())
        found[f"half {at % 2 + 1}"].append(key)
    return found


def difference(ours: Values, theirs: Values, keys: Sequence[str], column: str) -> str:
    """Return the mean difference and its interval over packages, in words."""
    by_package: defaultdict[str, list[float]] = defaultdict(list)
    for key in keys:
        if column in ours[key] and column in theirs.get(key, {}):
            change = ours[key][column] - theirs[key][column]
            by_package[ours[key]["package"]].append(change)
    if not by_package:
        return ""
    sums = np.array([sum(changes) for changes in by_package.values()])
    counts = np.array([len(changes) for changes in by_package.values()])
    drawn = np.random.default_rng(0).integers(0, len(sums), (RESAMPLES, len(sums)))
    means = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return f"{sums.sum() / counts.sum():+.3f} [{low:+.3f}, {high:+.3f}]"


def print_table(ours: Values, theirs: Mapping[str, Any] | None) -> None:
    heads = ("reports", *COLUMNS)
    print(f"\n| packages | {' | '.join(heads)} |\n|{'---|' * (len(heads) + 1)}")
    for title, keys in halves(ours).items():
        cells = [str(len(keys))]
        for column in COLUMNS:
            known = [ours[key][column] for key in keys if column in ours[key]]
            cell = f"{np.mean(known):.3f}" if known else ""
            if theirs:
                cell += f" ({difference(ours, dict(theirs), keys, column)})"
            cells.append(cell)
        print(f"| {title} | {' | '.join(cells)} |")


def main() -> None:
    given = read_arguments(__doc__.splitlines()[0], "reports")
    print(describe_machine())
    lines = given.reports.read_text(encoding="utf-8").splitlines()
    values = measure(map(json.loads, lines), given.trees)
    if given.save:
        given.save.write_text(json.dumps(values), encoding="utf-8")
    other = json.loads(given.against.read_text()) if given.against else None
    print_table(values, other)


if __name__ == "__main__":
    main()
