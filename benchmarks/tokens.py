"""Token counts, chunking by tokens, sections and the local embedder, measured.

    taskset -c 0 python benchmarks/tokens.py [FOLDER]

FOLDER holds Markdown. Time is CPU time, the best of three rounds after a first one that
loads the models, so one core is measured whatever the libraries would use; the counter's
cache of words is warm, as it is after the first document of an index.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import time
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from outcrop.chunking.chunker import MarkdownChunker
from outcrop.chunking.config import ChunkConfig
from outcrop.sections import IndexingConfig, MarkdownSplitter
from outcrop.text.tokens import ENCODINGS, TokenCounter

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parent.parent
_CORPUS = ROOT / "../shared/corpus/markdown"
_ROUNDS = 3
_MEGABYTE = 1_000_000


def best_time(work: Callable[[], object]) -> float:
    work()
    times = []
    for _ in range(_ROUNDS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def pieces(text: str, size: int) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


def report(what: str, seconds: float, count: int, chars: int) -> None:
    rate = f"{count / seconds:>12,.0f}/s"
    print(f"| {what:<48} | {rate} | {chars / seconds / _MEGABYTE:>8.1f} |")


def measure_counting(text: str) -> None:
    for encoding in ENCODINGS:
        counter = TokenCounter(encoding)
        for size in (10, 100, 1600):
            texts = pieces(text, size)
            name = f"count, {encoding}, {size} characters"
            one_by_one = best_time(partial(_count_each, counter, texts))
            report(f"{name}, one by one", one_by_one, len(texts), len(text))
            batch = best_time(partial(counter.count_batch, texts))
            report(f"{name}, batch", batch, len(texts), len(text))


def _count_each(counter: TokenCounter, texts: list[str]) -> list[int]:
    return [counter(text) for text in texts]


def _chunk_each(chunker: MarkdownChunker, documents: list[str]) -> None:
    for text in documents:
        chunker.chunk(text)


def time_chunking(documents: list[str]) -> dict[str, float]:
    """Seconds by 1600 characters and by 400 tokens, which are about as long."""
    by_tokens = ChunkConfig(max_chunk_size=400, length=TokenCounter())
    chunkers = {
        "chunk by 1600 characters": MarkdownChunker(ChunkConfig(max_chunk_size=1600)),
        "chunk by 400 tokens": MarkdownChunker(by_tokens),
    }
    return {
        name: best_time(partial(_chunk_each, chunker, documents))
        for name, chunker in chunkers.items()
    }


def measure_chunking(documents: list[str]) -> None:
    times = time_chunking(documents)
    for name, seconds in times.items():
        chars = sum(map(len, documents))
        report(f"{name} (documents)", seconds, len(documents), chars)
    characters, tokens = times.values()
    print(f"\nBy tokens takes {tokens / characters:.2f} times as long (at most 3).\n")


def measure_sections(documents: list[str]) -> None:
    splitter = MarkdownSplitter(IndexingConfig(1_000_000_000))  # reports are no work
    seconds = best_time(lambda: [splitter.split(text, "", "") for text in documents])
    chars = sum(map(len, documents))
    report("split into sections (documents)", seconds, len(documents), chars)


def measure_embedding(text: str) -> None:
    from outcrop.providers import open_embedder

    texts = pieces(text, 700)
    random.Random(1).shuffle(texts)  # noqa: S311 - a sample, no secret
    texts = texts[:4000]
    embedder = open_embedder()
    seconds = best_time(lambda: embedder.embed(texts))
    report("embed locally, 700 characters", seconds, len(texts), sum(map(len, texts)))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    default = _CORPUS if _CORPUS.is_dir() else ROOT / "docs"
    parser.add_argument("folder", type=Path, nargs="?", default=default)
    folder: Path = parser.parse_args().folder
    documents = [
        path.read_bytes().decode(errors="replace")
        for path in sorted(folder.rglob("*.md"))
    ]
    text = "\n".join(documents)
    print(
        f"{len(documents)} documents, {len(text):,} characters;"
        f" Python {platform.python_version()}, splintr-rs {version('splintr-rs')},"
        f" tokenizers {version('tokenizers')}, {os.cpu_count()} cores\n"
    )
    print(f"| {'what':<48} | {'rate':>14} | {'MB/s':>8} |\n|---|---|---|")
    measure_counting(text[:_MEGABYTE])
    measure_embedding(text)
    measure_sections(documents)
    measure_chunking(documents)


if __name__ == "__main__":
    main()
