"""What each signal of the ranking is worth: the ranking without it, on every set.

Each set is indexed once, through the real store, and asked all its questions with the
whole ranking and then with one signal left out at a time. Printed is the whole minus
the rest, with a paired 95 % interval: above zero, the signal earns its place.

    python benchmarks/signals.py SET...

A set is a folder as `benchmarks/retrieval.py` or `benchmarks/code_search.py` take it.
For the first kind the figure is MRR@10, for the second nDCG@10 by file.
"""

from __future__ import annotations

import argparse
import tempfile
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from _code_search_metrics import ndcg
from _machine import describe_machine
from _retrieval_metrics import RankedHit, interval, score_rankings
from _retrieval_sets import load_sets
from code_search import load_set, write_files

from outcrop.indexing.index import Index
from outcrop.search.fusion import DEFAULT_RANKING, Ranking
from outcrop.search.question import make_question
from outcrop.search.searcher import search

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from outcrop.model.hit import Hit

HITS = 30
Scores = dict[str, "NDArray[np.float64]"]


def rankings() -> dict[str, Ranking]:
    """Return the whole ranking, and those with one thing left out."""
    whole = DEFAULT_RANKING
    found = {"(whole)": whole}
    for signal in whole.signals:
        if signal.name != "lexical":
            rest = tuple(other for other in whole.signals if other is not signal)
            found[signal.name] = replace(whole, signals=rest)
    found["document"] = replace(whole, counts_documents=False)
    found["other forms of words"] = replace(whole, uses_forms=False)
    found["lower tests and the like"] = replace(whole, lowers_files=False)
    found["definitions looked up"] = replace(whole, finds_definitions=False)
    return found


@contextmanager
def indexed(files: dict[str, str]) -> Iterator[Index]:
    with tempfile.TemporaryDirectory(prefix="outcrop-bench-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        write_files(folder, files)
        with Index.open(folder) as index:
            index.index(".")
            yield index


def ask(index: Index, text: str, ranking: Ranking) -> list[Hit]:
    question = make_question(text, limit=HITS)
    source = index._open_source  # noqa: SLF001 - rankings are not a public choice
    return search(source, question, index.embedder, ranking=ranking)


def measure_files(folder: Path) -> Scores:
    data = load_set(folder)
    variants = rankings()
    scores: dict[str, list[float]] = {name: [] for name in variants}
    for repo, files in data.files.items():
        with indexed(files) as index:
            for question in (q for q in data.questions if q.repo == repo):
                for name, ranking in variants.items():
                    found = [hit.path for hit in ask(index, question.text, ranking)]
                    scores[name].append(ndcg(found, question.answers))
    return {name: np.array(values) for name, values in scores.items()}


def measure_spans(folder: Path) -> Scores:
    (data,) = load_sets(folder.parent, [folder.name])
    scores: Scores = {}
    with indexed(data.texts) as index:
        for name, ranking in rankings().items():
            found = [
                [
                    RankedHit(
                        hit.path, hit.start_offset, hit.end_offset, hit.token_count
                    )
                    for hit in ask(index, question.text, ranking)
                ]
                for question in data.questions
            ]
            scores[name] = score_rankings(data.questions, found)["MRR@10"]
    return scores


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="+", type=Path)
    given = parser.parse_args()
    print(describe_machine())
    results: dict[str, Scores] = {}
    for folder in given.sets:
        is_files = (folder / "queries.jsonl").exists()
        results[folder.name] = (measure_files if is_files else measure_spans)(folder)
        print(f"measured {folder.name}", flush=True)
    print(f"\n| left out | {' | '.join(results)} |")
    print(f"|{'---|' * (1 + len(results))}")
    whole = {name: scores["(whole)"] for name, scores in results.items()}
    cells = [f"{values.mean():.3f}" for values in whole.values()]
    print(f"| nothing: the figure itself | {' | '.join(cells)} |")
    for left_out in rankings():
        if left_out != "(whole)":
            cells = [interval(whole[n], results[n][left_out]) for n in results]
            print(f"| {left_out} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
