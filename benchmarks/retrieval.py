"""How well search finds answers, through the real store, beside other chunkers.

Each set is written to a folder, indexed with the defaults and asked every question in
each mode. The peers' chunks get the same embedder and the same words; they are ranked
by bm25s, by cosine, and by the usual fusion of ranks (k = 60).

    python benchmarks/retrieval.py --data ../shared/eval [--save FILE] [--against FILE]

A set is named by its folder in --data, or by a path of its own. Peers are compared with
the default embedder alone. `--save` writes the value of every question, and `--against`
prints the differences to the values of another revision, with paired 95 % intervals. The
sources that are measured are those on PYTHONPATH.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import bm25s
import numpy as np
from _machine import describe_machine
from _retrieval_metrics import (
    RankedHit,
    Scores,
    covered,
    interval,
    precision_omega,
    score_rankings,
)
from _retrieval_peer import PEERS, PYTHON_PEERS
from _retrieval_sets import EvalSet, Question, load_sets

from outcrop.indexing.config import IndexConfig
from outcrop.indexing.index import Index
from outcrop.providers.local_embedder import LocalEmbedder
from outcrop.providers.registry import DEFAULT_EMBEDDER
from outcrop.search.question import Mode
from outcrop.text.analysis import count_terms
from outcrop.text.tokens import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Sequence

HERE = Path(__file__).parent
MODES = ("hybrid", "text", "vector")
# As hybrid, with all relations of the code graph followed.
EXPANDED = "hybrid+all"
DEEP = 100  # of the peers' rankings
HITS = 30  # more than fit into 2,000 tokens
RRF_K = 60
COLUMNS = (
    "MRR@10", "recall@5", "Pass@10", "nDCG@10", "cov@1000", "cov@2000", "span recall@5",
)  # fmt: skip
# By set, mode and column: one value per question.
COMPARED = ("MRR@10", "cov@2000")
Values = dict[str, dict[str, dict[str, list[float]]]]
COUNT = TokenCounter()
EMBEDDER = LocalEmbedder()


class Row:
    """One line of the table, with every question's values for the intervals."""

    def __init__(
        self, name: str, mode: str, scores: Scores, chunks: list[tuple[str, int, int]]
    ) -> None:
        self.name, self.mode, self.scores = name, mode, scores
        self.chunks = chunks
        self.mean_tokens = 0.0
        self.omega = 0.0


def measure_outcrop(
    data: EvalSet,
    folder: Path,
    config: IndexConfig,
    embedder: str,
    modes: Sequence[str] | None,
) -> list[Row]:
    for path, text in data.texts.items():
        file = folder / "docs" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
    with Index.open(folder, config=config, embedder=embedder) as index:
        started = time.monotonic()
        report = index.index("docs")
        seconds = time.monotonic() - started
        print(f"indexed {len(report.added)} documents in {seconds:.1f} s", flush=True)
        leaves = [
            chunk
            for document in index.documents()
            for chunk in index.store.chunks_of(document.path)
            if chunk.indexable
        ]
        has_code = any(document.kind == "code" for document in index.documents())
        fitting = (*MODES, EXPANDED) if has_code else MODES
        rows = [_ask(index, data, mode) for mode in modes or fitting]
    places = [
        (c.path.removeprefix("docs/"), c.start_offset or 0, c.end_offset or 0)
        for c in leaves
    ]
    tokens = [c.token_count or 0 for c in leaves]
    for row in rows:
        _describe(row, data, places, tokens)
    return rows


def _ask(index: Index, data: EvalSet, mode: str) -> Row:
    rankings, packed = [], []
    for question in data.questions:
        ranked_by, _, expand = mode.partition("+")
        hits = index.search(question.text, HITS, mode=Mode(ranked_by), expand=expand)
        rankings.append(
            [
                RankedHit(
                    hit.path.removeprefix("docs/"),
                    hit.start_offset,
                    hit.end_offset,
                    COUNT(hit.content),
                )
                for hit in hits
            ]
        )
        if mode == "hybrid":
            packed.append(_covered_by_context(index, question))
    scores = score_rankings(data.questions, rankings)
    if packed:
        scores["context@2000"] = np.array(packed)
    return Row("outcrop", mode, scores, [])


def _covered_by_context(index: Index, question: Question) -> float:
    """Return the share of the answer that a language model would be given."""
    found = [
        RankedHit(
            piece.hit.path.removeprefix("docs/"),
            piece.hit.start_offset,
            piece.hit.start_offset + len(piece.text) - len(piece.hit.prefix)
            if piece.is_cut
            else piece.hit.end_offset,
            1,
        )
        for piece in index.context(question.text, 2000).pieces
    ]
    return covered(question, found, len(found))


def measure_peer(name: str, data: EvalSet, python: str) -> list[Row]:
    done = subprocess.run(
        [python, str(HERE / "_retrieval_peer.py"), name],
        input=json.dumps(list(data.texts.values())),
        capture_output=True,
        text=True,
        check=True,
    )
    places = [
        (path, start, end)
        for path, spans in zip(data.texts, json.loads(done.stdout), strict=True)
        for start, end in spans
    ]
    texts = [data.texts[path][start:end] for path, start, end in places]
    tokens = [COUNT(text) for text in texts]
    words = _rank_words(data, texts)
    vectors = _rank_vectors(data, texts)
    orders = {
        "text": words,
        "vector": vectors,
        "hybrid": [_fuse(w, v) for w, v in zip(words, vectors, strict=True)],
    }
    rows = []
    for mode in MODES:
        rankings = [
            [RankedHit(*places[at], tokens[at]) for at in order]
            for order in orders[mode]
        ]
        row = Row(name, mode, score_rankings(data.questions, rankings), places)
        _describe(row, data, places, tokens)
        rows.append(row)
    return rows


def _rank_words(data: EvalSet, texts: Sequence[str]) -> list[list[int]]:
    ranker = bm25s.BM25(k1=1.2, b=0.75)
    terms = [list(count_terms(text).elements()) or ["_"] for text in texts]
    ranker.index(terms, show_progress=False)
    orders = []
    for question in data.questions:
        asked = count_terms(question.text).elements()
        known = [term for term in asked if term in ranker.vocab_dict]
        scores = ranker.get_scores(known) if known else np.zeros(len(texts))
        orders.append(np.argsort(-scores, kind="stable")[:DEEP].tolist())
    return orders


def _rank_vectors(data: EvalSet, texts: Sequence[str]) -> list[list[int]]:
    asked = EMBEDDER.embed([question.text for question in data.questions])
    scores = asked @ EMBEDDER.embed(texts).T
    return np.argsort(-scores, axis=1, kind="stable")[:, :DEEP].tolist()


def _fuse(*orders: Sequence[int]) -> list[int]:
    scores: dict[int, float] = {}
    for order in orders:
        for rank, at in enumerate(order):
            scores[at] = scores.get(at, 0.0) + 1 / (RRF_K + rank)
    return sorted(scores, key=lambda at: -scores[at])[:DEEP]


def _describe(
    row: Row,
    data: EvalSet,
    places: list[tuple[str, int, int]],
    tokens: Sequence[int],
) -> None:
    row.chunks = places
    row.mean_tokens = float(np.mean(tokens))
    row.omega = precision_omega(data.questions, places)


def _fitting_peers(data: EvalSet) -> list[str]:
    is_python = all(path.endswith(".py") for path in data.texts)
    return list(PYTHON_PEERS if is_python else PEERS)


def print_table(data: EvalSet, rows: Sequence[Row]) -> None:
    print(f"\n### {data.name}: {len(data.questions)} questions\n")
    heads = ("chunks of", "mode", "chunks", "tokens", *COLUMNS, "context@2000")
    print(f"| {' | '.join(heads)} | precision Ω | MRR vs | cov@2000 vs |")
    print(f"|{'---|' * (len(heads) + 3)}")
    ours = {row.mode: row.scores for row in rows if row.name == "outcrop"}
    for row in rows:
        cells = [row.name, row.mode, str(len(row.chunks)), f"{row.mean_tokens:.0f}"]
        for column in (*COLUMNS, "context@2000"):
            known = row.scores.get(column)
            cells.append("" if known is None else f"{known.mean():.3f}")
        cells.append(f"{row.omega:.3f}")
        for column in ("MRR@10", "cov@2000"):
            is_peer = row.name != "outcrop"
            cells.append(
                interval(ours["hybrid"][column], row.scores[column]) if is_peer else ""
            )
        print(f"| {' | '.join(cells)} |", flush=True)


def print_differences(values: Values, other: Values) -> None:
    for name in values.keys() & other.keys():
        for mode in values[name].keys() & other[name].keys():
            for column in COMPARED:
                change = interval(
                    np.array(values[name][mode][column]),
                    np.array(other[name][mode][column]),
                )
                print(f"{name}, {mode}, {column} minus the other revision: {change}")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=HERE.parents[1] / "shared/eval")
    parser.add_argument(
        "--sets", nargs="*", default=["docs_xref", "anthropic_code", "chroma"]
    )
    parser.add_argument("--peers", nargs="*", help="those that fit by default")
    parser.add_argument(
        "--peer-python", default=str(HERE.parent / ".venv-bench/bin/python")
    )
    parser.add_argument("--embedder", default=DEFAULT_EMBEDDER)
    parser.add_argument(
        "--modes",
        nargs="+",
        choices=[*MODES, EXPANDED],
        help="those that fit by default; hybrid has to be one of them",
    )
    parser.add_argument("--save", type=Path)
    parser.add_argument("--against", type=Path)
    parser.add_argument("--max-tokens", type=int, default=IndexConfig().max_tokens)
    return parser.parse_args()


def main() -> None:
    given = parse_arguments()
    if not given.data.is_dir():
        raise SystemExit(f"there are no evaluation sets in {given.data}")
    print(describe_machine())
    print("differences are outcrop's hybrid minus the row, with a paired 95 % interval")
    config = IndexConfig(max_tokens=given.max_tokens)
    values: Values = {}
    for data in load_sets(given.data, given.sets):
        with tempfile.TemporaryDirectory(prefix="outcrop-bench-") as folder:
            Path(folder).chmod(0o755)
            rows = measure_outcrop(
                data, Path(folder), config, given.embedder, given.modes
            )
        values[data.name] = {
            row.mode: {column: row.scores[column].tolist() for column in COMPARED}
            for row in rows
        }
        if given.save:
            given.save.write_text(json.dumps(values), encoding="utf-8")
        peers = _fitting_peers(data) if given.peers is None else given.peers
        if given.embedder != DEFAULT_EMBEDDER:
            peers = []
        for name in peers if Path(given.peer_python).exists() else []:
            rows += measure_peer(name, data, given.peer_python)
        print_table(data, rows)
    if given.against:
        print_differences(values, json.loads(given.against.read_text("utf-8")))


if __name__ == "__main__":
    main()
