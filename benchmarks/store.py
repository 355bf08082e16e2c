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
import math
import os
import platform
import random
import re
import sysconfig
import tempfile
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from outcrop.model.candidate import LexicalQuery, VectorQuery
from outcrop.model.embedder_identity import EmbedderIdentity
from outcrop.model.filter import Filter
from outcrop.model.stored import Document, StoredChunk
from outcrop.providers.local_embedder import LocalEmbedder
from outcrop.store.database import Database
from outcrop.store.search_source import open_source
from outcrop.store.store import PostgresStore
from outcrop.text.analysis import count_terms

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from outcrop.model.candidate import Match

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


@dataclass(frozen=True, slots=True)
class Clock:
    """Time passed, and time spent computing by this process and its connection.

    On a machine that does other things as well the second is the one to compare.
    """

    connection_pid: int

    def read(self) -> tuple[float, float]:
        """Return both, in seconds."""
        try:
            status = Path(f"/proc/{self.connection_pid}/schedstat").read_text()
            server = int(status.split()[0]) / 1e9
        except OSError:  # not Linux
            server = math.nan
        return time.perf_counter(), time.process_time() + server

    def time(self, run: Callable[[], object]) -> tuple[float, float]:
        """Return what a call took of both."""
        wall, computing = self.read()
        run()
        wall_after, computing_after = self.read()
        return wall_after - wall, computing_after - computing


def write_all(
    store: PostgresStore,
    items: Sequence[tuple[Document, list[StoredChunk]]],
    batch: int,
) -> None:
    step = max(1, batch // CHUNKS_A_DOCUMENT)
    for start in range(0, len(items), step):
        store.replace_documents(items[start : start + step])


def changed_items(pieces: Sequence[Piece]) -> list[tuple[Document, list[StoredChunk]]]:
    """Return 2,000 chunks whose text has changed."""
    word = count_terms("revised")
    changed = [
        Piece(piece.text, piece.terms + word, piece.vector) for piece in pieces[:2000]
    ]
    return list(as_documents(changed, version="2"))


def search_modes(
    store: PostgresStore, queries: Sequence[str]
) -> dict[str, Callable[[str], object]]:
    vectors = dict(zip(queries, EMBEDDER.embed(queries), strict=True))
    tenth = Filter(path_globs=["folder0/**"])
    return {
        "lexical": lambda q: search_words(store, q),
        "lexical, a tenth": lambda q: search_words(store, q, tenth),
        "vector": lambda q: search_vectors(store, vectors[q]),
        "vector, a tenth": lambda q: search_vectors(store, vectors[q], tenth),
    }


def search_words(
    store: PostgresStore, query: str, restriction: Filter | None = None
) -> Sequence[Match]:
    terms = count_terms(query)
    with open_source(store._database) as source:  # noqa: SLF001 - the inside is measured
        wanted = LexicalQuery(terms, 10)
        return source.matches(lexical=[wanted], restriction=restriction).lexical[0]


def search_vectors(
    store: PostgresStore,
    vector: NDArray[np.float32],
    restriction: Filter | None = None,
) -> Sequence[Match]:
    with open_source(store._database) as source:  # noqa: SLF001 - as above
        query = VectorQuery(vector, 10)
        return source.matches(vector=query, restriction=restriction).nearest


def search_times(
    clock: Clock, run: Callable[[str], object], queries: Sequence[str]
) -> NDArray[np.float64]:
    """Return p50 and p99 in milliseconds, of time passed and of time computing."""
    for query in queries[:50]:
        run(query)
    times = [clock.time(partial(run, query)) for query in queries]
    return np.percentile(np.array(times) * 1000, [50, 99], axis=0)


def measure(pieces: Sequence[Piece], queries: Sequence[str], batch: int) -> None:
    with tempfile.TemporaryDirectory(prefix="outcrop-bench-") as folder:
        Path(folder).chmod(0o755)
        with PostgresStore(Database.open(folder, max_connections=1)) as store:
            measure_store(store, pieces, queries, batch)


def measure_store(
    store: PostgresStore, pieces: Sequence[Piece], queries: Sequence[str], batch: int
) -> None:
    store.use_embedder(
        EmbedderIdentity(name=EMBEDDER.name, dimension=EMBEDDER.dimension)
    )
    clock = Clock(connection_pid(store))
    items = list(as_documents(pieces))
    print(f"\n## {len(pieces):,} chunks\n")
    print("| figure | time passed | time computing |\n|---|--:|--:|")
    count = len(pieces)
    wall, computing = clock.time(lambda: write_all(store, items, batch))
    print(f"| load, chunks/s | {count / wall:,.0f} | {count / computing:,.0f} |")
    wall, computing = clock.time(store.maintain)
    print(f"| maintenance after it, s | {wall:.1f} | {computing:.1f} |", flush=True)
    for name, run in search_modes(store, queries).items():
        (p50, cpu50), (p99, cpu99) = search_times(clock, run, queries)
        times = f"{p50:.1f} / {p99:.1f} | {cpu50:.1f} / {cpu99:.1f}"
        print(f"| {name}, p50 / p99 ms | {times} |", flush=True)
    sizes = [store.status().size_bytes, words_size(store)]
    total, words = (f"{size / count / 1024:.2f}" for size in sizes)
    recall = recall_at_10(store, pieces, queries)
    changed = changed_items(pieces)
    wall, computing = clock.time(lambda: write_all(store, changed, batch))
    rates = f"{len(pieces[:2000]) / wall:,.0f} | {len(pieces[:2000]) / computing:,.0f}"
    print(f"| updates, chunks/s | {rates} |")
    print(f"| vector recall@10 | {recall:.3f} | |")
    print(f"| disk, KB a chunk (words alone) | {total} ({words}) | |", flush=True)


def connection_pid(store: PostgresStore) -> int:
    with store._database.read() as connection:  # noqa: SLF001 - the inside is measured
        return connection.info.backend_pid


def recall_at_10(
    store: PostgresStore, pieces: Sequence[Piece], queries: Sequence[str]
) -> float:
    matrix = np.stack([piece.vector for piece in pieces])
    shares = []
    for vector in EMBEDDER.embed(queries[:100]):
        tenth = np.partition(matrix @ vector, -10)[-10] - 1e-5
        found = search_vectors(store, vector)
        shares.append(sum(match.score >= tenth for match in found) / 10)
    return float(np.mean(shares))


def words_size(store: PostgresStore) -> int:
    with store._database.read() as connection:  # noqa: SLF001 - as above
        row = connection.execute(
            "SELECT sum(pg_total_relation_size(name)) FROM unnest(%s::regclass[]) name",
            (["chunk_lex", "lex_df", "lex_delta", "lex_batch"],),
        ).fetchone()
    return int(row[0]) if row else 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 10_000, 100_000])
    parser.add_argument("--batch", type=int, default=5000, help="chunks a transaction")
    options = parser.parse_args()
    pieces, queries, rate = collect(max(options.sizes))
    print(
        f"{platform.machine()}, {os.cpu_count()} cores, Python "
        f"{platform.python_version()}, load average {os.getloadavg()[0]:.1f}"
    )
    terms = sum(piece.terms.total() for piece in pieces) / len(pieces)
    print(
        f"{len(queries)} queries, {terms:.0f} terms a chunk, analysis {rate:.1f} MB/s"
    )
    for size in options.sizes:
        measure(pieces[:size], queries, options.batch)


if __name__ == "__main__":
    main()
