"""How fast the store loads, searches and updates, and how much disk it takes.

The text is real: sources and documents of the installed Python packages, cut into
pieces of 400 to 1,600 characters, embedded with the local embedder. Queries are
sentences from comments and docstrings of other pieces. Loading is timed from analysed
and embedded chunks on; searching is warm, one at a time, ten results each.

    python benchmarks/store.py --sizes 1000 10000 100000
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import random
import re
import sysconfig
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from outcrop.providers.local_embedder import LocalEmbedder
from outcrop.store.filters import Filter
from outcrop.store.records import Document, StoredChunk
from outcrop.store.store import PostgresStore
from outcrop.store.vector import EmbedderIdentity
from outcrop.text.analysis import count_terms

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

CHUNKS_A_DOCUMENT = 20
LONGEST_FILE = 200_000
SHORTEST_CHUNK = 100
SUFFIXES = (".md", ".py", ".pyi", ".rst", ".txt")
QUERY = re.compile(r'(?:"""|# )([A-Z][^"\n]{40,140})[.\n]')
EMBEDDER = LocalEmbedder()


@dataclass(frozen=True, slots=True)
class Piece:
    """A chunk's text, its terms and its vector."""

    text: str
    terms: Counter[str]
    vector: NDArray[np.float32]


def iterate_texts() -> Iterator[str]:
    roots = {sysconfig.get_path("purelib"), sysconfig.get_path("stdlib")}
    files = sorted(
        Path(folder, name)
        for root in roots
        for folder, _, names in os.walk(root)
        for name in names
        if name.endswith(SUFFIXES)
    )
    random.Random(1).shuffle(files)  # noqa: S311 - a fixed order, not a secret
    seen = set()
    for file in files:
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        if len(text) < LONGEST_FILE and "\0" not in text and text[:1000] not in seen:
            seen.add(text[:1000])
            yield text


def cut(text: str) -> Iterator[str]:
    chance = random.Random(len(text))  # noqa: S311 - as above
    start = 0
    while start < len(text):
        end = text.find("\n", start + chance.randint(400, 1600)) + 1
        end = end if 0 < end < start + 3000 else min(len(text), start + 1600)
        if len(text[start:end].strip()) > SHORTEST_CHUNK:
            yield text[start:end]
        start = end


def collect(count: int) -> tuple[list[Piece], list[str], float]:
    pieces: list[str] = []
    for text in iterate_texts():
        pieces += cut(text)
        if len(pieces) >= count * 11 // 10:
            break
    random.Random(2).shuffle(pieces)  # noqa: S311 - as above
    queries = [m[1] for piece in pieces[count:] if (m := QUERY.search(piece))]
    started = time.perf_counter()
    terms = [count_terms(piece) for piece in pieces[:count]]
    rate = sum(map(len, pieces[:count])) / (time.perf_counter() - started) / 1e6
    vectors = EMBEDDER.embed(pieces[:count])
    made = list(map(Piece, pieces, terms, vectors))
    return made, queries[:500], rate


def as_documents(
    pieces: Sequence[Piece], *, version: str = "1"
) -> Iterator[tuple[Document, list[StoredChunk]]]:
    for start in range(0, len(pieces), CHUNKS_A_DOCUMENT):
        path = f"folder{start // CHUNKS_A_DOCUMENT % 10}/document{start}.md"
        chunks = [
            StoredChunk(
                path=path,
                chunk_id=f"{start + index:08x}",
                source="doc",
                kind="section",
                content=piece.text,
                content_hash=hashlib.sha256(piece.text.encode()).hexdigest(),
                search_hash=version + hashlib.sha256(piece.text.encode()).hexdigest(),
                token_count=len(piece.text) // 4,
                chunk_index=index,
                start_line=1,
                end_line=piece.text.count("\n") + 1,
                start_offset=0,
                end_offset=len(piece.text),
                section_path=("Chapter", "Section"),
                level=1 + index % 3,
                metadata={"header_path": "/Chapter/Section", "strategy": "structural"},
                emb=piece.vector,
                embed_model=EMBEDDER.name,
                terms=piece.terms,
            )
            for index, piece in enumerate(pieces[start : start + CHUNKS_A_DOCUMENT])
        ]
        yield Document(path=path, kind="markdown", fingerprint=version), chunks


def load(store: PostgresStore, pieces: Sequence[Piece], batch: int) -> float:
    items = list(as_documents(pieces))
    step = max(1, batch // CHUNKS_A_DOCUMENT)
    started = time.perf_counter()
    for start in range(0, len(items), step):
        store.replace_documents(items[start : start + step])
    return len(pieces) / (time.perf_counter() - started)


def update(store: PostgresStore, pieces: Sequence[Piece], batch: int) -> float:
    """Write 2,000 chunks whose text has changed, in batches."""
    changed = [
        Piece(piece.text, piece.terms + count_terms("revised"), piece.vector)
        for piece in pieces[:2000]
    ]
    items = list(as_documents(changed, version="2"))
    step = max(1, batch // CHUNKS_A_DOCUMENT)
    started = time.perf_counter()
    for start in range(0, len(items), step):
        store.replace_documents(items[start : start + step])
    return len(changed) / (time.perf_counter() - started)


def latencies(
    run: Callable[[str], object], queries: Sequence[str]
) -> tuple[float, float]:
    for query in queries[:50]:
        run(query)
    times = []
    for query in queries:
        started = time.perf_counter()
        run(query)
        times.append(1000 * (time.perf_counter() - started))
    return float(np.percentile(times, 50)), float(np.percentile(times, 99))


def measure(pieces: Sequence[Piece], queries: Sequence[str], batch: int) -> None:
    vectors = dict(zip(queries, EMBEDDER.embed(queries), strict=True))
    folder_filter = Filter(path_globs=["folder0/**"])
    modes: dict[str, Callable[[str], object]] = {}
    with tempfile.TemporaryDirectory(prefix="outcrop-bench-") as folder:
        Path(folder).chmod(0o755)
        with PostgresStore.open(folder) as store:
            store.use_embedder(
                EmbedderIdentity(name=EMBEDDER.name, dimension=EMBEDDER.dimension)
            )
            rate = load(store, pieces, batch)
            started = time.perf_counter()
            store.maintain()
            maintained = time.perf_counter() - started
            modes["lexical"] = store.lexical_search
            modes["lexical, filtered"] = lambda query: store.lexical_search(
                query, restriction=folder_filter
            )
            modes["vector"] = lambda query: store.vector_search(vectors[query])
            modes["vector, filtered"] = lambda query: store.vector_search(
                vectors[query], restriction=folder_filter
            )
            timed = {name: latencies(run, queries) for name, run in modes.items()}
            recall = recall_at_10(store, pieces, vectors)
            size = store.status().size_bytes
            words = words_size(store)
            updated = update(store, pieces, batch)
    print(f"\n## {len(pieces):,} chunks\n")
    print("| figure | value |\n|---|--:|")
    print(f"| load, chunks/s (batches of {batch}) | {rate:,.0f} |")
    print(f"| maintenance after the load, s | {maintained:.1f} |")
    print(f"| updates, chunks/s | {updated:,.0f} |")
    for name, (median, slowest) in timed.items():
        print(f"| {name}, p50 / p99 ms | {median:.1f} / {slowest:.1f} |")
    print(f"| vector recall@10 | {recall:.3f} |")
    print(f"| disk, KB a chunk | {size / len(pieces) / 1024:.2f} |")
    print(
        f"| of that words, KB a chunk | {words / len(pieces) / 1024:.2f} |", flush=True
    )


def recall_at_10(
    store: PostgresStore,
    pieces: Sequence[Piece],
    vectors: dict[str, NDArray[np.float32]],
) -> float:
    matrix = np.stack([piece.vector for piece in pieces])
    shares = []
    for vector in list(vectors.values())[:100]:
        similar = matrix @ vector
        tenth = np.partition(similar, -10)[-10] - 1e-5
        found = store.vector_search(vector)
        shares.append(sum(match.score >= tenth for match in found) / 10)
    return float(np.mean(shares))


def words_size(store: PostgresStore) -> int:
    with store._database.read() as connection:  # noqa: SLF001 - a figure of the inside
        row = connection.execute(
            "SELECT sum(pg_total_relation_size(name)) FROM unnest(%s::regclass[]) name",
            (["chunk_lex", "lex_df", "lex_delta", "lex_batch"],),
        ).fetchone()
    return int(row[0]) if row else 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 10_000, 100_000])
    parser.add_argument("--batch", type=int, default=2000, help="chunks a transaction")
    options = parser.parse_args()
    pieces, queries, rate = collect(max(options.sizes))
    print(
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    )
    terms = sum(piece.terms.total() for piece in pieces) / len(pieces)
    print(
        f"{len(queries)} queries, {terms:.0f} terms a chunk, analysis {rate:.1f} MB/s"
    )
    for size in options.sizes:
        measure(pieces[:size], queries, options.batch)


if __name__ == "__main__":
    main()
