"""What sketches find of the true nearest ten, and what they cost beside an HNSW index.

    python benchmarks/vector_recall.py FOLDER ... --sizes 10000 100000

Texts are the files of the folders, cut every 500 characters; a question is a fifth of one
of them. A search by sketches compares the vectors of some chunks
in the server; one by HNSW searches with some effort. Times are processor time of the
server and of this process.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import psycopg
from _machine import describe_machine
from psycopg.conninfo import make_conninfo

from outcrop.providers.local_embedder import LocalEmbedder
from outcrop.store.packing import pack_vector, vector_literal
from outcrop.store.server.embedded import EmbeddedServer
from outcrop.store.sketches.view import Block, SketchView, pack, project

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Connection = psycopg.Connection[tuple[Any, ...]]

QUESTIONS = 200
NEAREST = 10
KINDS = (".md", ".rst", ".txt", ".py")
DENSITIES = ("12/40",)
COMPARED = (100, 200, 400)
EFFORTS = (100, 200, 400)
PAGE = 10_000


def read_texts(folders: list[Path], chars: int) -> list[str]:
    """Return the distinct pieces of all files."""
    found: dict[str, None] = {}
    for folder in folders:
        for file in sorted(folder.rglob("*")):
            if file.suffix in KINDS and file.is_file():
                text = file.read_text(errors="replace").replace("\0", "")
                starts = range(0, len(text), chars)
                found |= dict.fromkeys(text[at : at + chars] for at in starts)
    return list(found)


def cpu_seconds(connection: Connection) -> float:
    status = Path(f"/proc/{connection.info.backend_pid}/schedstat").read_text()
    return int(status.split()[0]) / 1e9 + time.process_time()


def store(connection: Connection, vectors: NDArray[np.float32]) -> None:
    connection.execute("DROP TABLE IF EXISTS v")
    connection.execute(f"CREATE TABLE v (id int, emb vector({vectors.shape[1]}))")
    with connection.cursor().copy("COPY v FROM STDIN (FORMAT BINARY)") as copy:
        copy.set_types(["int4", "bytea"])
        for number, vector in enumerate(vectors):
            copy.write_row((number, pack_vector(vector)))
    connection.execute("ALTER TABLE v ADD PRIMARY KEY (id)")


def measure_searches(
    connection: Connection,
    questions: NDArray[np.float32],
    truth: NDArray[np.int64],
    search: Callable[[NDArray[np.float32]], list[int]],
) -> str:
    """Return the share of the true nearest that is found, and milliseconds a search."""
    started, hits = cpu_seconds(connection), 0
    for question, nearest in zip(questions, truth, strict=True):
        hits += len({*search(question)} & {*nearest.tolist()})
    spent = (cpu_seconds(connection) - started) / len(questions) * 1000
    return f"{hits / truth.size:.3f} ({spent:.1f})"


def make_sketches(vectors: NDArray[np.float32]) -> SketchView:
    pages = range(0, len(vectors), PAGE)
    words = [pack(project(vectors[at : at + PAGE])) for at in pages]
    ids = np.arange(len(vectors), dtype=np.uint64)
    block = Block("all", 1, ids, np.concatenate(words, axis=1), ids[:0])
    return SketchView(vectors.shape[1], [block])


def by_sketches(
    connection: Connection, view: SketchView, compared: int, question: NDArray[Any]
) -> list[int]:
    near = [int(found, 16) for found in view.nearest(question, compared)]
    statement = f"SELECT id FROM v WHERE id = ANY(%s) ORDER BY emb <=> %s::vector LIMIT {NEAREST}"  # noqa: S608 - numbers
    rows = connection.execute(statement, (near, vector_literal(question)))
    return [row[0] for row in rows]


def by_graph(connection: Connection, question: NDArray[Any]) -> list[int]:
    dimension = len(question)
    statement = (
        f"SELECT id FROM v ORDER BY emb::halfvec({dimension})"  # noqa: S608 - numbers
        f" <=> %s::vector::halfvec({dimension}) LIMIT {NEAREST}"
    )
    rows = connection.execute(statement, (vector_literal(question),))
    return [row[0] for row in rows]


def build_graph(connection: Connection, dimension: int, density: str) -> None:
    neighbours, _, compared = density.partition("/")
    connection.execute("DROP INDEX IF EXISTS v_emb")
    connection.execute(
        f"CREATE INDEX v_emb ON v USING hnsw ((emb::halfvec({dimension}))"
        f" halfvec_cosine_ops) WITH (m={int(neighbours)},"
        f" ef_construction={int(compared)})"
    )


def print_row(size: int, name: str, seconds: float, found: list[str]) -> None:
    print(f"| {size:,} | {name} | {seconds:.1f} | {' | '.join(found)} |", flush=True)


def measure(
    connection: Connection, texts: list[str], size: int, densities: list[str]
) -> None:
    step = max(1.0, len(texts) / size)
    chosen = [texts[int(at * step)] for at in range(min(size, len(texts)))]
    embedder, choose = LocalEmbedder(), np.random.default_rng(0)
    pages = range(0, len(chosen), PAGE)
    vectors = np.concatenate([embedder.embed(chosen[at : at + PAGE]) for at in pages])
    places = choose.choice(len(chosen), QUESTIONS, replace=False)
    questions = embedder.embed([_middle(chosen[place]) for place in places])
    truth = np.array([np.argsort(-(vectors @ q))[:NEAREST] for q in questions])
    store(connection, vectors)
    run = partial(measure_searches, connection, questions, truth)
    started = cpu_seconds(connection)
    view = make_sketches(vectors)
    seconds = cpu_seconds(connection) - started
    found = [run(partial(by_sketches, connection, view, each)) for each in COMPARED]
    print_row(len(vectors), "sketches", seconds, found)
    for density in densities:
        started = cpu_seconds(connection)
        build_graph(connection, vectors.shape[1], density)
        seconds = cpu_seconds(connection) - started
        found = []
        for effort in EFFORTS:
            connection.execute(f"SET hnsw.ef_search = {effort}")
            found.append(run(partial(by_graph, connection)))
        print_row(len(vectors), f"HNSW {density}", seconds, found)


def _middle(text: str) -> str:
    return text[len(text) // 5 : 2 * len(text) // 5]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument(
        "--densities",
        nargs="*",
        default=DENSITIES,
        help="of HNSW: neighbours of a vector, and how many are compared to find them",
    )
    parser.add_argument("--chars", type=int, default=500, help="length of a text")
    parser.add_argument("--memory", default="1GB", help="for building the index")
    given = parser.parse_args()
    texts = read_texts(given.folders, given.chars)
    print(describe_machine())
    efforts = " | ".join(f"compared or ef {effort}" for effort in EFFORTS)
    print(f"| vectors | by | build s | {efforts} |")
    print(f"|{'---:|' * (3 + len(EFFORTS))}")
    with tempfile.TemporaryDirectory(prefix="outcrop-bench-") as name:
        Path(name).chmod(0o755)
        with (
            EmbeddedServer(Path(name) / ".outcrop") as server,
            psycopg.connect(
                make_conninfo(**server.ensure_running()), autocommit=True
            ) as connection,
        ):
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
            connection.execute("SET max_parallel_maintenance_workers = 0")
            connection.execute(
                "SELECT set_config('maintenance_work_mem', %s, false)", (given.memory,)
            )
            connection.execute("SET enable_seqscan = off")
            for size in given.sizes:
                measure(connection, texts, size, given.densities)


if __name__ == "__main__":
    main()
