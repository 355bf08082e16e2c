"""Index each group, ask its questions and record the candidates of each.

    python -m training.ranking.extract GROUPS

Writes `pools.pickle` into the folder of each group. Features are computed from it, so
that a change of a signal needs no index.
"""

from __future__ import annotations

import argparse
import json
import pickle
import time
from pathlib import Path
from typing import Any

from outcrop.indexing.config import IndexConfig
from outcrop.indexing.index import Index
from outcrop.search.fusion import DEFAULT_RANKING
from outcrop.search.gather import Gatherer
from outcrop.search.question import make_question
from outcrop.search.searcher import find_vector
from training.ranking.recorded import Recorded

# A user sees ten hits; programs ask for more, which are chosen from more candidates.
LIMITS = (10, 30)


def extract(folder: Path) -> list[Recorded]:
    """Index a group, unless it is indexed already, and ask its questions."""
    config = IndexConfig(workers=2)
    with Index.open(folder / "files", config=config) as index:
        # An earlier run may have used another embedder, or other rows of this one.
        index.reembed(force=True)
        index.index(".")
        spans = {
            chunk.id: (document.path, chunk.start_offset or 0, chunk.end_offset or 0)
            for document in index.documents()
            for chunk in index.store.chunks_of(document.path)
        }
        rows = map(json.loads, (folder / "questions.jsonl").open(encoding="utf-8"))
        return [
            _ask(index, spans, row, folder.name, LIMITS[at % 2])
            for at, row in enumerate(rows)
        ]


def _ask(
    index: Index,
    spans: dict[str, tuple[str, int, int]],
    row: dict[str, Any],
    group: str,
    limit: int,
) -> Recorded:
    question = make_question(row["q"], limit=limit)
    vector = find_vector(question, index.embedder)
    with index._open_source() as source:  # noqa: SLF001 - pools are not public
        gatherer = Gatherer(source, question, vector, index.embedder, DEFAULT_RANKING)
        pool = gatherer.gather()
    object.__setattr__(pool, "embed", None)  # cannot be pickled
    is_answer = [
        any(_answers(spans[candidate.id], *answer) for answer in row["answers"])
        for candidate in pool.candidates
    ]
    return Recorded(group, row["package"], row["kind"], pool, is_answer)


def _answers(chunk: tuple[str, int, int], path: str, start: int, end: int) -> bool:
    """Return whether a chunk and an answer overlap by half of the shorter one."""
    at, first, last = chunk
    shorter = min(last - first, end - start)
    return at == path and min(last, end) - max(first, start) >= 0.5 * shorter > 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("groups", type=Path)
    parser.add_argument("--only", nargs="*")
    parser.add_argument(
        "--missing", action="store_true", help="only groups without pools"
    )
    given = parser.parse_args()
    for folder in sorted(given.groups.iterdir()):
        if given.only and folder.name not in given.only:
            continue
        if given.missing and (folder / "pools.pickle").exists():
            continue
        started = time.monotonic()
        recorded = extract(folder)
        (folder / "pools.pickle").write_bytes(pickle.dumps(recorded))
        answered = sum(any(r.is_answer) for r in recorded)
        print(
            f"{folder.name}: {answered} of {len(recorded)} answers among the candidates, {time.monotonic() - started:.0f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
