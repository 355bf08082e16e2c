"""How often a new user's question finds the right file first, or among five.

    python benchmarks/new_user.py SOURCES [--set SET] [--rerank NAME] [--misses]

`new_user.tsv` has 40 questions in the words of someone who does not know the text, each
with the files that answer it (a folder stands for every file in it). They were written
before any search was run. `SOURCES` has a folder for each set:

- `python_docs`: the `*.html` files below `usr/share/doc/python3.11/html` of Debian's
  `python3.11-doc` 3.11.2-6, without `_static`;
- `mixed_code`: the source archives of `fastapi==0.115.0` and `flask==3.0.3` from PyPI,
  and `tokio-1.24.2` below `usr/share/cargo/registry` of Debian's `librust-tokio-dev`
  1.24.2-1.

A folder without an index is indexed first. Hits are those of a search with default
settings; a hit counts if its file is one of the answers.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path
from typing import NamedTuple

from _machine import describe_machine

from outcrop.indexing.index import Index

QUESTIONS = Path(__file__).with_suffix(".tsv")
FIVE = 5


class Asked(NamedTuple):
    """A question with its answers and the files that were found."""

    question: str
    answers: list[str]
    found: list[str]

    @property
    def rank(self) -> int | None:
        """The rank of the first right file."""
        for rank, path in enumerate(self.found, 1):
            if any(path == a or path.startswith(f"{a}/") for a in self.answers):
                return rank
        return None


def ask(folder: Path, rows: list[dict[str, str]], rerank: str | None) -> list[Asked]:
    """Ask the questions of a set."""
    with Index.open(folder, reranker=rerank) as index:
        if not index.documents(limit=1):
            index.index(".")
        return [
            Asked(
                row["question"],
                row["files"].split(),
                [hit.path for hit in index.search(row["question"], FIVE)],
            )
            for row in rows
        ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("sources", type=Path)
    parser.add_argument("--set", help="only this set")
    parser.add_argument("--rerank", metavar="NAME", help="as for outcrop search")
    parser.add_argument(
        "--misses", action="store_true", help="show questions whose first hit is wrong"
    )
    options = parser.parse_args()
    with QUESTIONS.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    print(describe_machine())
    for name in dict.fromkeys(row["set"] for row in rows):
        if options.set not in (None, name):
            continue
        chosen = [row for row in rows if row["set"] == name]
        asked = ask(options.sources / name, chosen, options.rerank)
        first = sum(a.rank == 1 for a in asked)
        five = sum(a.rank is not None for a in asked)
        print(f"{name}: {len(asked)} questions, first {first}, in five {five}")
        for a in asked:
            if options.misses and a.rank != 1:
                print(f"  {a.question}: rank {a.rank or '-'}; {a.found}")


if __name__ == "__main__":
    main()
