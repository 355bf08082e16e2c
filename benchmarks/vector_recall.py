"""What the index of vectors finds of the true nearest ten, and what it costs.

    python benchmarks/vector_recall.py FOLDER ... --sizes 10000 100000

Texts are the files of the folders, cut every 500 characters; a question is a hundred
characters out of one of them. Times are of the server's process alone.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import psycopg
from _machine import describe_machine
from psycopg.conninfo import make_conninfo

from outcrop.providers.local_embedder import LocalEmbedder
from outcrop.store.packing import pack_vector, vector_literal
from outcrop.store.server.embedded import EmbeddedServer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Connection = psycopg.Connection[tuple[Any, ...]]

TEXT_CHARS = 500
QUESTIONS = 200
NEAREST = 10
KINDS = (".md", ".rst", ".txt", ".py")
DENSITIES = ("16/64", "12/40")
EFFORTS = (100, 150, 200, 300, 400, 600, 800)


def read_texts(folders: list[Path]) -> list[str]:
    """Return the distinct pieces of all files."""
    found: dict[str, None] = {}
    for folder in folders:
        for file in sorted(folder.rglob("*")):
            if file.suffix in KINDS and file.is_file():
                text = file.read_text(errors="replace").replace("\0", "")
                starts = range(0, len(text), TEXT_CHARS)
                found |= dict.fromkeys(text[at : at + TEXT_CHARS] for at in starts)
    return list(found)


def server_seconds(connection: Connection) -> float:
    status = Path(f"/proc/{connection.info.backend_pid}/schedstat").read_text()
    return int(status.split()[0]) / 1e9


def store(connection: Connection, vectors: NDArray[np.float32]) -> None:
    connection.execute("DROP TABLE IF EXISTS v")
    connection.execute(f"CREATE TABLE v (id int, emb vector({vectors.shape[1]}))")
    with connection.cursor().copy("COPY v FROM STDIN (FORMAT BINARY)") as copy:
        copy.set_types(["int4", "bytea"])
        for number, vector in enumerate(vectors):
            copy.write_row((number, pack_vector(vector)))


def measure_effort(
    connection: Connection,
    questions: NDArray[np.float32],
    truth: NDArray[np.int64],
    effort: int,
) -> str:
    """Return the share of the true nearest that is found, and milliseconds a search."""
    connection.execute(f"SET hnsw.ef_search = {effort}")
    started, hits = server_seconds(connection), 0
    statement = (
        f"SELECT id FROM v ORDER BY emb::halfvec({questions.shape[1]})"  # noqa: S608 - numbers
        f" <=> %s::vector::halfvec({questions.shape[1]}) LIMIT {NEAREST}"
    )
    for question, nearest in zip(questions, truth, strict=True):
        rows = connection.execute(statement, (vector_literal(question),)).fetchall()
        hits += len({row[0] for row in rows} & set(nearest.tolist()))
    spent = (server_seconds(connection) - started) / len(questions) * 1000
    return f"{hits / truth.size:.3f} ({spent:.1f})"


def measure(
    connection: Connection, texts: list[str], size: int, densities: list[str]
) -> None:
    step = max(1.0, len(texts) / size)
    chosen = [texts[int(at * step)] for at in range(min(size, len(texts)))]
    embedder, choose = LocalEmbedder(), np.random.default_rng(0)
    vectors = embedder.embed(chosen)
    places = choose.choice(len(chosen), QUESTIONS, replace=False)
    questions = embedder.embed([chosen[place][100:200] for place in places])
    truth = np.argsort(-(questions @ vectors.T), axis=1)[:, :NEAREST]
    store(connection, vectors)
    for density in densities:
        neighbours, _, compared = density.partition("/")
        connection.execute("DROP INDEX IF EXISTS v_emb")
        started = server_seconds(connection)
        connection.execute(
            f"CREATE INDEX v_emb ON v USING hnsw ((emb::halfvec({vectors.shape[1]}))"
            f" halfvec_cosine_ops) WITH (m={int(neighbours)},"
            f" ef_construction={int(compared)})"
        )
        build = server_seconds(connection) - started
        found = [measure_effort(connection, questions, truth, ef) for ef in EFFORTS]
        cells = (f"{len(vectors):,}", density, f"{build:.1f}")
        print(f"| {' | '.join((*cells, *found))} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument(
        "--densities",
        nargs="+",
        default=DENSITIES,
        help="neighbours of a vector, and how many are compared to find them",
    )
    parser.add_argument("--memory", default="1GB", help="for building the index")
    given = parser.parse_args()
    texts = read_texts(given.folders)
    print(describe_machine())
    efforts = " | ".join(f"ef {effort}" for effort in EFFORTS)
    print(f"| vectors | m / ef_construction | build s | {efforts} |")
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
