"""What an index costs at several sizes, and what larger ones would cost.

Documents are made as for `benchmarks/index.py`. For each size the index is built in an
embedded database and asked questions. Costs are processor seconds of all processes, the
server's included, because they depend less on what else the machine does than elapsed
time; memory is the greatest sum of their proportional sizes. Recall is the share of the
ten nearest chunks that a search by vector finds. A model with two coefficients for each
cost is fitted to the sizes measured, and gives the costs of larger ones.

    python benchmarks/scale.py --source docs --chunks 10000 100000 1000000

With `--folder`, documents and indexes are kept: a run that was ended goes on with what
it left.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from contextlib import nullcontext
from functools import partial
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from _machine import describe_machine
from _processes import Watch, timed
from index import CHUNK_BYTES, MODES, read_paragraphs, write_documents

from outcrop.indexing.index import Index
from outcrop.model.candidate import VectorQuery
from outcrop.providers.local_embedder import LocalEmbedder
from outcrop.search.question import Mode
from outcrop.store.packing import vector_literal
from outcrop.store.search_source import open_source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.indexing.report import Progress

_QUESTIONS = 200
_NEAREST = 10
_EXACT_QUESTIONS = 50  # each reads all vectors
_LARGER = (1_000_000, 10_000_000, 100_000_000, 1_000_000_000)
_SIZES = """
SELECT pg_total_relation_size('vector_sketches'), pg_total_relation_size('chunk_lex')
"""

# Scores, not ids: chunks with the same vector are equally right.
_SCORES = f"""
SELECT 1 - (emb <=> %s::vector) AS score FROM chunks
WHERE emb IS NOT NULL AND indexable ORDER BY score DESC LIMIT {_NEAREST}
"""  # noqa: S608 - a number

Measured = dict[str, float]


def measure(paragraphs: Sequence[str], chunks: int, folder: Path) -> Measured:
    """Build an index of about this many chunks in a folder, and ask it."""
    choose = random.Random(2)  # noqa: S311 - the same questions every time
    questions = [
        " ".join(choose.choice(paragraphs).split()[:12]) for _ in range(_QUESTIONS)
    ]
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    if not (folder / "docs").exists():
        write_documents(list(paragraphs), folder / "docs", chunks * CHUNK_BYTES)
    with Index.open(folder) as index:
        found = measure_build(index, str(folder))
        for mode in map(Mode, MODES):
            found |= measure_searches(index, questions, mode, str(folder))
        found |= {"recall": measure_recall(index, questions[:_EXACT_QUESTIONS])}
    return found


def measure_build(index: Index, mark: str) -> Measured:
    """Return what the index costs to build, and its sizes."""
    started = time.monotonic()
    with Watch(mark) as watch:

        def tell(progress: Progress) -> None:
            if progress.doing:
                print(
                    f"{progress.chunks:,} chunks after {time.monotonic() - started:.0f}"
                    f" s and {watch.cpu_seconds:.0f} s of CPU, at most"
                    f" {watch.peak_mb:.0f} MB; now: {progress.doing}",
                    flush=True,
                )

        index.index("docs", on_progress=tell)
    seconds = time.monotonic() - started
    contents = index.status().contents
    with index.database.read() as connection:
        vectors, words = connection.execute(_SIZES).fetchone() or (0, 0)
    return {
        "chunks": contents.indexable,
        "index_cpu": watch.cpu_seconds,
        "index_seconds": seconds,
        "memory_mb": watch.peak_mb,
        "disk_mb": contents.size_bytes / 1e6,
        "sketches_mb": vectors / 1e6,
        "words_mb": words / 1e6,
    }


def measure_searches(
    index: Index, questions: Sequence[str], mode: Mode, mark: str
) -> Measured:
    """Return processor time of a search, and the middle and late times by the clock."""
    for question in questions[:20]:
        index.search(question, mode=mode)  # warm
    # Apart from the watch, which shares the interpreter and would delay them.
    times = sorted(
        timed(partial(index.search, question, mode=mode)) for question in questions
    )
    with Watch(mark) as watch:
        for question in questions:
            index.search(question, mode=mode)
    return {
        f"{mode.value}_ms": 1000 * watch.cpu_seconds / len(questions),
        f"{mode.value}_p50": 1000 * times[len(times) // 2],
        f"{mode.value}_p99": 1000 * times[int(len(times) * 0.99)],
    }


def measure_recall(index: Index, questions: Sequence[str]) -> float:
    """Return the share of the nearest chunks that a search by vector finds."""
    hits = 0
    for vector in LocalEmbedder().embed(list(questions)):
        with open_source(index.database) as source:
            found = source.matches(vector=VectorQuery(vector, _NEAREST)).nearest
        with index.database.read() as connection:
            rows = connection.execute(_SCORES, (vector_literal(vector),)).fetchall()
        hits += sum(match.score >= rows[-1][0] - 1e-6 for match in found)
    return hits / (len(questions) * _NEAREST)


# Cost -> how it grows with the number of chunks, besides a constant.
GROWTHS = {
    "index_cpu": lambda n: n,
    "disk_mb": lambda n: n,
    "sketches_mb": lambda n: n,
    "words_mb": lambda n: n,
    "hybrid_ms": sqrt,
    "text_ms": sqrt,
    "vector_ms": lambda n: n,
}


def fit(measured: Sequence[Measured]) -> dict[str, tuple[float, float]]:
    """Return the constant and the factor of each cost, by least squares."""
    fitted = {}
    for cost, growth in GROWTHS.items():
        terms = np.array([[1.0, growth(row["chunks"])] for row in measured])
        values = np.array([row[cost] for row in measured])
        # Relative errors count, so that the smallest size does as well.
        scale = 1 / values[:, None]
        solved = np.linalg.lstsq(terms * scale, np.ones(len(values)), rcond=None)[0]
        fitted[cost] = (float(solved[0]), float(solved[1]))
    return fitted


def predict(fitted: dict[str, tuple[float, float]], chunks: int) -> Measured:
    """Return the costs of an index of any size."""
    return {
        "chunks": chunks,
        **{
            cost: max(0.0, constant + factor * GROWTHS[cost](chunks))
            for cost, (constant, factor) in fitted.items()
        },
    }


def print_table(rows: Sequence[Measured]) -> None:
    """Print costs, one row for each size."""
    names = list(rows[0])
    print("| " + " | ".join(names) + " |")
    print("|" + "---:|" * len(names))
    for row in rows:
        print("| " + " | ".join(f"{row[name]:,.1f}" for name in names) + " |")


def main() -> None:
    """Measure, fit, and print what was measured and what follows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path, default=Path("docs"))
    parser.add_argument("--chunks", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--folder", type=Path, help="keep documents and indexes here")
    parser.add_argument("--json", type=Path, help="also write the figures to a file")
    args = parser.parse_args()
    print(f"- Machine: {describe_machine()}\n")
    paragraphs = read_paragraphs(args.source)
    measured = []
    for chunks in args.chunks:
        with (
            nullcontext(args.folder / str(chunks))
            if args.folder
            else tempfile.TemporaryDirectory(prefix="outcrop-scale-")
        ) as name:
            measured.append(measure(paragraphs, chunks, Path(name).resolve()))
        print(json.dumps(measured[-1]), flush=True)
        if args.json:
            args.json.write_text(json.dumps(measured, indent=1))
    print()
    print_table(measured)
    if len(measured) > 1:
        fitted = fit(measured)
        print("\nFitted (constant, factor):\n")
        print(json.dumps(fitted, indent=1))
        print()
        print_table([predict(fitted, chunks) for chunks in _LARGER])


if __name__ == "__main__":
    main()
