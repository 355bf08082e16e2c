"""Reading back: chunks, their surroundings, and counts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from integration.store.samples import chunk, chunks, document, vector
from integration.store.searches import search_words
from outcrop.errors import SchemaVersionError, StorageError
from outcrop.model.embedder_identity import EmbedderIdentity
from outcrop.store.columns import COLUMNS
from outcrop.store.database import Database
from outcrop.store.store import PostgresStore

if TYPE_CHECKING:
    from pathlib import Path

    from outcrop.model.stored import StoredChunk


def _content(found: list[StoredChunk]) -> list[str]:
    return [each.content for each in found]


def test_chunks_come_in_the_order_asked_for(store: PostgresStore) -> None:
    given = chunks(["one", "two", "three"])
    store.replace_documents([(document(), given)])
    ids = [given[2].id, "0" * 16, given[0].id, given[2].id]
    assert _content(store.get_chunks(ids)) == ["three", "one", "three"]
    assert store.get_chunks([]) == []


def test_chunks_of_a_document_are_in_its_order(store: PostgresStore) -> None:
    given = chunks([f"text {number}" for number in range(12)])
    store.replace_documents([(document(), list(reversed(given)))])
    assert _content(store.chunks_of("docs/a.md")) == [each.content for each in given]
    assert store.chunks_of("unknown.md") == []


def test_chunks_of_a_document_come_in_pages(store: PostgresStore) -> None:
    given = chunks([f"text {number}" for number in range(12)])
    store.replace_documents([(document(), given)])
    everything = _content(store.chunks_of("docs/a.md"))
    page = store.chunks_of("docs/a.md", limit=5, offset=4)
    assert _content(page) == everything[4:9]
    assert _content(store.chunks_of("docs/a.md", limit=5, offset=10)) == everything[10:]
    assert store.chunks_of("docs/a.md", limit=5, offset=12) == []


def test_the_leaves_of_a_part_of_a_document_are_read_without_the_others(
    store: PostgresStore,
) -> None:
    given = chunks([f"text {number}" for number in range(6)])
    given[2] = replace(given[2], is_leaf=False, indexable=False)
    given = [
        replace(each, start_offset=number * 10, end_offset=number * 10 + 10)
        for number, each in enumerate(given)
    ]
    store.replace_documents([(document(), given)])
    found = store.leaves_within("docs/a.md", 10, 40)
    assert _content(found) == ["text 1", "text 3"]
    places = {each.content: each.place for each in store.chunks_of("docs/a.md")}
    ids = store.leaf_ids("docs/a.md", places["text 1"], places["text 4"])
    assert ids == [given[1].id, given[3].id, given[4].id]
    assert store.leaf_ids("unknown.md", 0, 9) == []


def test_neighbours_are_the_leaves_next_to_a_chunk(store: PostgresStore) -> None:
    given = chunks([f"text {number}" for number in range(6)])
    given[2] = replace(given[2], is_leaf=False, indexable=False)
    store.replace_documents([(document(), given)])
    store.replace_documents([(document("other.md"), chunks(["other"], "other.md"))])

    def around(index: int, **span: int) -> list[str]:
        return _content(store.neighbours(given[index].id, **span))

    assert around(3) == ["text 1", "text 4"]
    assert around(0) == ["text 1"]
    assert around(5, before=2, after=3) == ["text 3", "text 4"]
    assert around(1, before=0, after=0) == []
    assert store.neighbours("0" * 16) == []


def test_chunk_is_found_by_the_start_of_its_id(store: PostgresStore) -> None:
    given = chunks([f"text {number}" for number in range(40)])
    store.replace_documents([(document(), given)])
    wanted = given[7]
    assert store.find_chunks(wanted.id[:10].upper()) == [store.get_chunk(wanted.id)]
    for wrong in ("%", "zz", "0' OR true --", wanted.id + "0"):
        assert store.find_chunks(wrong) == []
    assert len(store.find_chunks("", limit=5)) == 5


def test_unembedded_chunks_come_in_pages(store: PostgresStore) -> None:
    given = [replace(each, emb=None) for each in chunks([f"t{n}" for n in range(7)])]
    given[0] = replace(given[0], indexable=False)
    store.replace_documents([(document(), given)])
    pages: list[list[StoredChunk]] = []
    after = ""
    while page := store.unembedded(after=after, limit=4):
        pages.append(page)
        after = page[-1].id
    assert [len(page) for page in pages] == [4, 2]
    found = {each.id for page in pages for each in page}
    assert found == {each.id for each in given[1:]}


def test_embeddings_are_put_where_the_text_is_the_same(store: PostgresStore) -> None:
    given = [replace(each, emb=None) for each in chunks(["one", "two"])]
    store.replace_documents([(document(), given)])
    done = store.put_embeddings(
        {each.id: vector(each.content) for each in given} | {"0" * 16: vector("x")},
        model="tiny",
        search_hashes={
            given[0].id: given[0].search_hash,
            given[1].id: "of an older text",
            "0" * 16: None,
        },
    )
    assert done == 1
    assert store.get_chunk(given[0].id).embed_model == "tiny"
    assert [each.id for each in store.unembedded()] == [given[1].id]


def test_status_counts_what_there_is(store: PostgresStore) -> None:
    given = chunks(["one two", "three"])
    given.append(chunk("inner", index=2, indexable=False, is_leaf=False, emb=None))
    given.append(chunk("bare", index=3, emb=None))
    store.replace_documents([(document(), given)])
    status = store.status()
    assert (status.documents, status.chunks, status.indexable) == (1, 4, 3)
    assert (status.unembedded, status.worded, status.cut) == (1, 3, 0)
    assert (status.sections, status.nodes, status.edges, status.runs) == (0, 0, 0, 0)
    assert status.embedder == EmbedderIdentity(name="tiny", dimension=4)
    assert status.average_length == pytest.approx(4 / 3)
    assert status.size_bytes > 0
    assert status.vector_indexed


def test_empty_store_has_a_status(database: Database) -> None:
    status = PostgresStore(database).status()
    assert status.embedder is None
    assert status.pinned_length is None
    assert (status.documents, status.worded, status.average_length) == (0, 0, 0.0)


def test_another_embedder_is_refused_with_both_names(store: PostgresStore) -> None:
    store.use_embedder(EmbedderIdentity(name="tiny", dimension=4))
    for other in (
        EmbedderIdentity(name="huge", dimension=4),
        EmbedderIdentity(name="tiny", dimension=5),
    ):
        with pytest.raises(SchemaVersionError, match="run: outcrop reembed") as caught:
            store.use_embedder(other)
        assert "'tiny' (4 dimensions)" in str(caught.value)
        assert str(other) in str(caught.value)


def test_changing_the_embedder_forgets_all_embeddings(store: PostgresStore) -> None:
    given = chunks(["one", "two"])
    store.replace_documents([(document(), given)])
    store.change_embedder(EmbedderIdentity(name="huge", dimension=8))
    assert len(store.unembedded()) == 2
    assert store.embedder() == EmbedderIdentity(name="huge", dimension=8)
    store.use_embedder(EmbedderIdentity(name="huge", dimension=8))
    assert len(search_words(store, "one")) == 1


def test_embedder_of_a_new_store_is_bound_once(
    target: str | Path, database: Database, schema: str
) -> None:
    store = PostgresStore(database)
    assert store.embedder() is None
    store.use_embedder(EmbedderIdentity(name="tiny", dimension=4))
    with PostgresStore(Database.open(target, schema=schema)) as other:
        assert other.embedder() == EmbedderIdentity(name="tiny", dimension=4)
        assert other.server.version == store.server.version
    with pytest.raises(StorageError, match="expected 4 dimensions"):
        store.replace_documents([(document(), [chunk("x", emb=vector("x")[:2])])])


def test_the_table_of_columns_names_those_of_the_database(database: Database) -> None:
    with database.read() as connection:
        rows = connection.execute(
            "SELECT attname FROM pg_attribute WHERE attrelid = 'chunks'::regclass"
            " AND attnum > 0 AND NOT attisdropped"
        ).fetchall()
    assert {row[0] for row in rows} == {column.name for column in COLUMNS}
