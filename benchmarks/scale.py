"""What an index costs at several sizes, and what larger ones would cost.

Documents are made as for `benchmarks/index.py`. For each size the index is built in an
embedded database and asked questions. Costs are processor seconds of all processes, the
server's included, because they depend less on what else the machine does than elapsed
time. A model with two coefficients for each cost is fitted to the sizes measured, and
gives the costs of larger ones.

    python benchmarks/scale.py --source docs --chunks 10000 30000 100000
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from math import log2, sqrt
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from _machine import describe_machine
from _processes import Watch
from index import CHUNK_BYTES, MODES, read_paragraphs, write_documents

from outcrop.indexing.index import Index
from outcrop.search.question import Mode

if TYPE_CHECKING:
    from collections.abc import Sequence

_QUESTIONS = 60
_LARGER = (1_000_000, 10_000_000, 100_000_000, 1_000_000_000)
_SIZES = """
SELECT coalesce(pg_relation_size(to_regclass('chunks_emb')), 0),
    pg_total_relation_size('chunk_lex')
"""

Measured = dict[str, float]


def measure(paragraphs: Sequence[str], chunks: int) -> Measured:
    """Build an index of about this many chunks, and ask it."""
    choose = random.Random(2)  # noqa: S311 - the same questions every time
    questions = [
        " ".join(choose.choice(paragraphs).split()[:12]) for _ in range(_QUESTIONS)
    ]
    with tempfile.TemporaryDirectory(prefix="outcrop-scale-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        write_documents(list(paragraphs), folder / "docs", chunks * CHUNK_BYTES)
        with Index.open(folder) as index:
            started = time.monotonic()
            with Watch(name) as watch:
                index.index("docs")
            contents = index.status().contents
            found: Measured = {
                "chunks": contents.indexable,
                "index_cpu": watch.cpu_seconds,
                "index_seconds": time.monotonic() - started,
                "memory_mb": watch.peak_mb,
                "disk_mb": contents.size_bytes / 1e6,
            }
            with index.database.read() as connection:
                vectors, words = connection.execute(_SIZES).fetchone() or (0, 0)
            found |= {"vector_index_mb": vectors / 1e6, "words_mb": words / 1e6}
            for mode in MODES:
                index.search(questions[0], mode=Mode(mode))  # warm
                with Watch(name) as watch:
                    for question in questions:
                        index.search(question, mode=Mode(mode))
                found[f"{mode}_ms"] = 1000 * watch.cpu_seconds / len(questions)
    return found


# Cost -> how it grows with the number of chunks, besides a constant.
GROWTHS = {
    "index_cpu": lambda n: n,
    "disk_mb": lambda n: n,
    "vector_index_mb": lambda n: n,
    "words_mb": lambda n: n,
    "hybrid_ms": sqrt,
    "text_ms": sqrt,
    "vector_ms": log2,
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
    parser.add_argument("--json", type=Path, help="also write the figures to a file")
    args = parser.parse_args()
    print(f"- Machine: {describe_machine()}\n")
    paragraphs = read_paragraphs(args.source)
    measured = []
    for chunks in args.chunks:
        measured.append(measure(paragraphs, chunks))
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
