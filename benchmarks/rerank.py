"""What the local reranker costs: a search without it, with code ordered, and with both.

CPU time of this process, without that of the database; the least of three searches for
each question, the ways in turn. Questions are those of `training.ranking.make_questions`
about documents, of folders that were indexed.

    python benchmarks/rerank.py GROUP...
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from statistics import mean, median
from typing import TYPE_CHECKING

from outcrop.indexing.index import Index
from outcrop.providers.local_reranker import LocalReranker

if TYPE_CHECKING:
    from outcrop.providers.reranker import Reranker

KINDS = {"sentence", "link", "heading", "keywords", "mention"}
WAYS: dict[str, str | Reranker] = {
    "off": "off",
    "code": LocalReranker(documents=False),
    "code and documents": LocalReranker(documents=True),
}
REPEATS = 3
QUESTIONS = 60


def read_questions(folder: Path) -> list[str]:
    """Return the questions about documents of a group."""
    with (folder / "questions.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [r["q"] for r in rows if r["kind"].rstrip("~") in KINDS][:QUESTIONS]


def measure(index: Index, question: str, reranker: str | Reranker) -> float:
    """Return the milliseconds that a search takes."""
    times = []
    for _ in range(REPEATS):
        started = time.process_time()
        index.search(question, rerank=reranker)
        times.append(time.process_time() - started)
    return min(times) * 1000


def main() -> None:
    """Ask the questions about all groups and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("groups", type=Path, nargs="+")
    found: dict[str, list[float]] = {way: [] for way in WAYS}
    for folder in parser.parse_args().groups:
        with Index.open(folder / "files") as index:
            index.index(".")
            for question in read_questions(folder):
                for way, reranker in WAYS.items():
                    found[way].append(measure(index, question, reranker))
    print("| reranked | questions | mean, ms | median, ms |\n|---|---:|---:|---:|")
    for way, times in found.items():
        print(f"| {way} | {len(times)} | {mean(times):.1f} | {median(times):.1f} |")


if __name__ == "__main__":
    main()
