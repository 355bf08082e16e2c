"""Exports into the real stores of others; `make test` runs them in .venv-stores."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path

import pytest

pytest.importorskip("psycopg", reason="needs the extra store")

import psycopg
from click.testing import CliRunner

from integration.store.servers import fresh_database, tcp_server
from outcrop import Index, IndexConfig
from outcrop.cli.main import main
from outcrop.errors import InputError, StorageError
from outcrop.export.target import export_index

TEA = "# Tea\n\n## Boil\n\nHeat the water.\n\n## Steep\n\nWait three minutes.\n"
COFFEE = "# Coffee\n\nGrind the beans, then pour.\n"
QUESTION = "heat the water"


@pytest.fixture(scope="module")
def index():
    project = Path(tempfile.mkdtemp(prefix="outcrop-test-"))
    project.chmod(0o755)  # the server may run as another user
    (project / "tea.md").write_text(TEA)
    with Index.open(project, config=IndexConfig(workers=1, max_tokens=16)) as opened:
        opened.index()
        yield opened
    shutil.rmtree(project)


@pytest.fixture
def more(index):
    """Add a document for one test; it is deleted again in the test or at its end."""
    file = index.project / "coffee.md"
    file.write_text(COFFEE)
    index.index()
    yield file
    file.unlink(missing_ok=True)
    index.index()


def expected(index):
    """Return the chunks that search finds, as the index has them."""
    return {
        chunk.id: chunk
        for document in index.documents()
        for chunk in index.store.chunks_of(document.path)
        if chunk.indexable
    }


def check(index, records):
    """Compare records, as (id, content, metadata, vector), with the index."""
    known = expected(index)
    assert {record[0] for record in records} == set(known)
    for chunk_id, content, metadata, vector in records:
        chunk = known[chunk_id]
        text = (index.project / chunk.path).read_text()
        assert content == chunk.content
        assert metadata["path"] == chunk.path
        own = text[metadata["start_offset"] : metadata["end_offset"]]
        assert own
        assert own in content
        embedded = index.embedder.embed([QUESTION])[0]
        assert len(vector) == len(embedded)
        assert sum(value * value for value in vector) == pytest.approx(1, abs=1e-3)


def test_lines_of_json_hold_every_chunk(index, tmp_path):
    file = tmp_path / "chunks.jsonl"
    assert export_index(index, "jsonl", str(file))[0] == len(expected(index))
    lines = list(map(json.loads, file.read_text().splitlines()))
    check(
        index,
        [(row["id"], row["content"], row["metadata"], row["vector"]) for row in lines],
    )
    assert [path.name for path in tmp_path.iterdir()] == ["chunks.jsonl"]


def test_a_parquet_file_has_a_column_per_field(index, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra arrow")
    file = tmp_path / "chunks.parquet"
    export_index(index, "parquet", str(file))
    table = parquet.read_table(file)
    rows = table.to_pylist()
    check(index, [(row["id"], row["content"], row, row["vector"]) for row in rows])
    assert table.schema.field("vector").type.list_size == len(rows[0]["vector"])
    steep = next(row for row in rows if "Wait" in row["content"])
    assert steep["headers"] == ["Tea", "Steep"]


def test_qdrant_finds_the_chunks_and_loses_those_that_are_deleted(
    index, more, tmp_path
):
    qdrant = pytest.importorskip("qdrant_client", reason="needs the extra qdrant")
    folder = str(tmp_path / "qdrant")
    export_index(index, "qdrant", folder)

    def read():
        client = qdrant.QdrantClient(path=folder)
        try:
            points, _ = client.scroll("outcrop", limit=1000, with_vectors=True)
            vector = index.embedder.embed([QUESTION])[0].tolist()
            best = client.query_points("outcrop", query=vector, limit=1).points[0]
        finally:
            client.close()
        return points, best

    points, best = read()
    check(
        index,
        [
            (p.payload["chunk_id"], p.payload["content"], p.payload, p.vector)
            for p in points
        ],
    )
    assert "Heat the water." in best.payload["content"]
    more.unlink()
    index.index()
    export_index(index, "qdrant", folder)
    assert {p.payload["path"] for p in read()[0]} == {"tea.md"}


def test_qdrant_refuses_a_collection_of_another_dimension(index, tmp_path):
    qdrant = pytest.importorskip("qdrant_client", reason="needs the extra qdrant")
    client = qdrant.QdrantClient(path=str(tmp_path))
    size = qdrant.models.VectorParams(size=3, distance=qdrant.models.Distance.COSINE)
    client.create_collection("outcrop", vectors_config=size)
    client.close()
    with pytest.raises(InputError, match="has vectors of 3 dimensions"):
        export_index(index, "qdrant", str(tmp_path))


@pytest.mark.filterwarnings("default")  # of chromadb itself
def test_chroma_finds_the_chunks_and_loses_those_that_are_deleted(
    index, more, tmp_path
):
    chroma = pytest.importorskip("chromadb", reason="needs the extra chroma")
    export_index(index, "chroma", str(tmp_path))

    def read():
        client = chroma.PersistentClient(
            str(tmp_path), settings=chroma.Settings(anonymized_telemetry=False)
        )
        return client.get_collection("outcrop", embedding_function=None)

    found = read().get(include=["documents", "metadatas", "embeddings"])
    rows = zip(found["documents"], found["metadatas"], found["embeddings"], strict=True)
    check(
        index,
        [(fields["chunk_id"], text, fields, vector) for text, fields, vector in rows],
    )
    vector = index.embedder.embed([QUESTION])[0].tolist()
    best = read().query(query_embeddings=[vector], n_results=1)
    assert "Heat the water." in best["documents"][0][0]
    more.unlink()
    index.index()
    export_index(index, "chroma", str(tmp_path))
    left = read().get(include=["metadatas"])["metadatas"]
    assert {fields["path"] for fields in left} == {"tea.md"}


def test_a_table_of_pgvector_is_searched_and_kept_up_to_date(index, more):
    with tcp_server() as server, fresh_database(server) as url:
        export_index(index, "pgvector", url, collection='my "chunks"')

        def ask(statement, *values):
            with psycopg.connect(url) as connection:
                return connection.execute(statement, values).fetchall()

        rows = ask(
            'SELECT id, content, metadata, embedding::real[] FROM "my ""chunks"""'
        )
        check(index, rows)
        vector = str(index.embedder.embed([QUESTION])[0].tolist())
        nearest = (
            'SELECT content FROM "my ""chunks""" ORDER BY embedding <=> %s::vector'
        )
        assert "Heat the water." in ask(nearest, vector)[0][0]
        more.unlink()
        index.index()
        export_index(index, "pgvector", url, collection='my "chunks"')
        assert ask('SELECT DISTINCT path FROM "my ""chunks"""') == [("tea.md",)]


def test_a_destination_that_is_not_a_database_is_refused(index):
    with pytest.raises(InputError, match="not a PostgreSQL URL"):
        export_index(index, "pgvector", "somewhere")


@pytest.mark.filterwarnings("default")  # of chromadb itself
@pytest.mark.parametrize(
    ("target", "library"), [("qdrant", "qdrant_client"), ("chroma", "chromadb")]
)
def test_a_server_that_is_not_there_is_a_storage_error(index, target, library):
    pytest.importorskip(library)
    with pytest.raises(StorageError, match=f"the export to {target} failed: "):
        export_index(index, target, "http://127.0.0.1:9")


@pytest.mark.parametrize("target", ["jsonl", "parquet"])
def test_a_file_that_cannot_be_made_is_refused(index, target, tmp_path):
    pytest.importorskip("pyarrow")
    with pytest.raises(InputError, match="is a folder; name a file in it"):
        export_index(index, target, str(tmp_path))
    with pytest.raises(InputError, match="nowhere is not a folder; create it first"):
        export_index(index, target, str(tmp_path / "nowhere" / "chunks"))


def test_an_unknown_target_is_refused_with_those_there_are(index):
    with pytest.raises(
        InputError, match="unknown target 'redis'; choose one of: qdrant"
    ):
        export_index(index, "redis", "somewhere")


def test_the_command_says_how_many_chunks_it_wrote(index, tmp_path):
    file = tmp_path / "chunks.jsonl"
    arguments = ["export", "--to", "jsonl", str(file), "--project", str(index.project)]
    done = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert done.stdout == f"{len(expected(index))} chunks written\n"
