"""How many texts an embedder takes per second of CPU time.

    python benchmarks/embedders.py FOLDER --embedder local --embedder model2vec:MODEL

The texts are those that an index of the Markdown below FOLDER would embed. How well
search works with an embedder is measured by `retrieval.py --embedder NAME`.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from _machine import describe_machine

from outcrop import MarkdownChunker
from outcrop.indexing.config import IndexConfig
from outcrop.providers import open_embedder

ROUNDS = 3


def read_texts(folder: Path, limit: int) -> list[str]:
    chunker = MarkdownChunker(IndexConfig().chunking())
    texts: list[str] = []
    for file in sorted(folder.rglob("*.md")):
        texts += [chunk.content for chunk in chunker.chunk(file.read_text("utf-8"))]
        if len(texts) >= limit:
            break
    return texts[:limit]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--embedder", action="append", required=True)
    parser.add_argument("--texts", type=int, default=2000)
    given = parser.parse_args()
    print(describe_machine())
    texts = read_texts(given.folder, given.texts)
    mean = sum(map(len, texts)) / len(texts)
    print(f"{len(texts):,} texts of {mean:.0f} characters, best of {ROUNDS} rounds")
    print("\n| embedder | dimensions | texts per second |\n|---|--:|--:|")
    for name in given.embedder:
        embedder = open_embedder(name)
        embedder.embed(texts[:10])  # loads the model
        best = float("inf")
        for _ in range(ROUNDS):
            started = time.process_time()
            embedder.embed(texts)
            best = min(best, time.process_time() - started)
        rate = len(texts) / best
        print(f"| {name} | {embedder.dimension} | {rate:,.0f} |", flush=True)


if __name__ == "__main__":
    main()
