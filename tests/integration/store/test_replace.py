"""Replacing and deleting documents: a set difference, all or nothing."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from integration.store.samples import chunk, chunks, document, vector
from integration.store.searches import search_vectors, search_words
from integration.store.servers import EVERY_SERVER
from outcrop.errors import InputError, NotFoundError, StorageError
from outcrop.model.stored import ChunkChanges, StoredChunk, document_id, store_id

if TYPE_CHECKING:
    from outcrop.store.store import PostgresStore

_FULL = StoredChunk(
    path="src/a.py",
    chunk_id="n1:code:snippet",
    source="code",
    kind="snippet",
    lang_detected="python",
    content="prefix\nтело 本文 🎉\nsuffix",
    content_raw="raw\r\n\ttext",
    prefix="prefix\n",
    suffix="\nsuffix",
    content_hash="c" * 64,
    search_hash="s",
    token_count=12,
    chunk_index=3,
    start_line=10,
    end_line=12,
    start_offset=100,
    end_offset=5_000_000_000,
    title="a.b.C",
    section_path=("a", "b", 'C "quoted" \\ {x}', ""),
    header_level=2,
    level=3,
    parent_id="0123456789abcdef",
    is_leaf=False,
    indexable=True,
    application_id="app",
    node_id="n1",
    relations=[{"kind": "CALLS", "dst_node_id": "n2", "confidence": 0.7}],
    used_objects=[{"name": "x"}],
    pipeline={"stages": ["embed"], "params": {"a": None}},
    metadata={"header_path": "/A/Б", "flags": [True, 1, 1.5, None]},
    freshness_at=datetime(2026, 1, 2, tzinfo=UTC),
    rank_boost=1.5,
    uses_md="uses",
    used_by_md="used by",
    explain_md="explains",
    explain_quality={"score": 1},
    emb=vector("full"),
    embed_model="tiny",
    terms={"body": 2},
)


def _content(found: list[StoredChunk]) -> list[str]:
    return [each.content for each in found]


@EVERY_SERVER
def test_every_field_of_a_chunk_comes_back(store: PostgresStore) -> None:
    store.replace_documents([(document("src/a.py"), [_FULL])])
    found = store.get_chunk(_FULL.id)
    assert found.created_at is not None
    assert found.updated_at == found.created_at
    assert found.embed_ts is not None
    set_by_store = {"created_at": None, "updated_at": None, "embed_ts": None}
    assert replace(found, **set_by_store) == _FULL


def test_defaults_of_a_chunk_come_back(store: PostgresStore) -> None:
    plain = StoredChunk(
        path="docs/a.md", chunk_id="x", source="doc", content="t", chunk_index=0
    )
    store.replace_documents([(document(), [plain])])
    found = store.get_chunk(plain.id)
    shown = replace(found, created_at=None, updated_at=None, freshness_at=None)
    assert shown == plain


@EVERY_SERVER
def test_every_field_of_a_document_comes_back(store: PostgresStore) -> None:
    given = document(
        lang="en",
        title="T",
        content_hash="h",
        size_bytes=5_000_000_000,
        modified_ns=1_700_000_000_000_000_000,
        summary="S",
        metadata={"front": {"matter": [1]}},
    )
    store.replace_documents([(given, chunks(["one", "two"]))])
    found = store.get_document("docs/a.md")
    assert found.chunk_count == 2
    times = {"created_at": None, "updated_at": None, "chunk_count": 0}
    assert replace(found, **times) == given
    assert store.documents() == [found]


def test_columns_of_the_table_are_those_of_the_record(store: PostgresStore) -> None:
    with store._database.read() as connection:
        rows = connection.execute(
            "SELECT attname FROM pg_attribute WHERE attrelid = 'chunks'::regclass"
            " AND attnum > 0 AND NOT attisdropped"
        ).fetchall()
    columns = {row[0] for row in rows}
    names = {each.name for each in fields(StoredChunk)}
    as_ranges = {"start_line", "end_line", "start_offset", "end_offset"}
    elsewhere = {"path", "terms"}
    assert names - as_ranges - elsewhere <= columns
    assert {"span_lines", "span_chars", "id", "document_id"} <= columns


def test_ids_are_hashes_of_path_and_chunk_id(store: PostgresStore) -> None:
    one = chunk("text")
    store.replace_documents([(document(), [one])])
    assert len(one.id) == 16
    assert one.id == store_id("docs/a.md", one.chunk_id)
    assert one.document_id == document_id("docs/a.md")
    assert chunk("text", "docs/b.md").id != one.id


def test_unchanged_chunks_keep_their_rows(store: PostgresStore) -> None:
    store.replace_documents([(document(), chunks(["one", "two", "three"]))])
    before = {each.content: each for each in store.chunks_of("docs/a.md")}
    versions = _row_versions(store)

    again = store.replace_documents(
        [(document(version="2"), chunks(["one", "two", "changed"]))]
    )

    assert again == ChunkChanges(inserted=1, unchanged=2, deleted=1)
    after = {each.content: each for each in store.chunks_of("docs/a.md")}
    assert set(after) == {"one", "two", "changed"}
    assert after["one"] == before["one"]
    assert after["two"] == before["two"]
    for text in ("one", "two"):
        assert _row_versions(store)[after[text].id] == versions[after[text].id]
    assert store.get_document("docs/a.md").fingerprint == "2"


def test_chunk_that_moved_keeps_its_embedding_and_times(store: PostgresStore) -> None:
    old = chunk("text", start_line=1, end_line=2, explain_md="made by a stage")
    store.replace_documents([(document(), [old])])
    before = store.get_chunk(old.id)

    moved = replace(
        old, start_line=5, end_line=6, chunk_index=7, explain_md=None, emb=None
    )
    done = store.replace_documents([(document(), [moved])])

    assert done == ChunkChanges(updated=1)
    after = store.get_chunk(old.id)
    assert (after.start_line, after.end_line, after.chunk_index) == (5, 6, 7)
    assert after.explain_md == "made by a stage"
    assert after.embed_ts == before.embed_ts
    assert after.created_at == before.created_at
    assert after.updated_at == before.updated_at
    assert store.embedded_hashes(["docs/a.md"]) == {old.id: old.search_hash}


def test_chunk_with_other_search_text_loses_what_was_made_from_it(
    store: PostgresStore,
) -> None:
    old = chunk("text", explain_md="old")
    store.replace_documents([(document(), [old])])
    before = store.get_chunk(old.id)

    other = replace(
        old, search_hash="other", emb=None, explain_md=None, terms={"fresh": 1}
    )
    assert store.replace_documents([(document(), [other])]) == ChunkChanges(updated=1)

    after = store.get_chunk(old.id)
    assert after.explain_md is None
    assert after.embed_ts is None
    assert after.created_at == before.created_at
    assert after.updated_at != before.updated_at
    assert store.embedded_hashes(["docs/a.md"]) == {}
    assert search_words(store, "text") == []
    assert [match.id for match in search_words(store, "fresh")] == [old.id]


def test_embedding_given_later_is_taken(store: PostgresStore) -> None:
    bare = chunk("text", emb=None)
    store.replace_documents([(document(), [bare])])
    assert [each.id for each in store.unembedded()] == [bare.id]
    done = store.replace_documents([(document(), [replace(bare, emb=vector("text"))])])
    assert done == ChunkChanges(updated=1)
    assert store.unembedded() == []


def test_chunk_that_is_no_longer_indexable_is_not_found(store: PostgresStore) -> None:
    one = chunk("needle")
    store.replace_documents([(document(), [one])])
    store.replace_documents([(document(), [replace(one, indexable=False)])])
    assert search_words(store, "needle") == []
    assert search_vectors(store, vector("needle")) == []
    store.replace_documents([(document(), [one])])
    assert len(search_words(store, "needle")) == 1
    assert len(search_vectors(store, vector("needle"))) == 1


def test_same_document_again_writes_no_chunk(store: PostgresStore) -> None:
    given = chunks([f"text {number}" for number in range(20)])
    store.replace_documents([(document(), given)])
    versions = _row_versions(store)
    assert store.replace_documents([(document(), given)]) == ChunkChanges(unchanged=20)
    assert _row_versions(store) == versions


def test_document_without_chunks_is_kept(store: PostgresStore) -> None:
    store.replace_documents([(document(), chunks(["one"]))])
    assert store.replace_documents([(document(), [])]) == ChunkChanges(deleted=1)
    assert store.get_document("docs/a.md").chunk_count == 0


@EVERY_SERVER
def test_several_documents_are_replaced_at_once(store: PostgresStore) -> None:
    items = [
        (
            document(f"{name}.md"),
            chunks([f"{name} {n}" for n in range(5)], f"{name}.md"),
        )
        for name in ("c", "a", "b")
    ]
    assert store.replace_documents(items) == ChunkChanges(inserted=15)
    assert [each.path for each in store.documents()] == ["a.md", "b.md", "c.md"]
    assert store.replace_documents([]) == ChunkChanges()


def test_deleted_documents_leave_nothing_behind(store: PostgresStore) -> None:
    for path in ("a.md", "b.md"):
        store.replace_documents(
            [(document(path), chunks(["shared words", path], path))]
        )
    assert store.delete_documents(["a.md", "unknown.md"]) == 1
    assert [each.path for each in store.documents()] == ["b.md"]
    assert store.chunks_of("a.md") == []
    status = store.status()
    assert (status.documents, status.chunks, status.worded) == (1, 2, 2)
    assert len(search_words(store, "shared")) == 1
    assert store.delete_documents(["b.md"]) == 1
    assert store.status().worded == 0
    assert store.delete_documents([]) == 0


def test_chunk_of_another_document_is_refused(store: PostgresStore) -> None:
    with pytest.raises(InputError, match=r"given for document docs/b\.md"):
        store.replace_documents([(document("docs/b.md"), chunks(["one"]))])
    assert store.documents() == []


def test_sections_of_another_document_are_refused(store: PostgresStore) -> None:
    with pytest.raises(InputError, match=r"without their document: b\.md"):
        store.replace_documents(
            [(document("a.md"), chunks(["one"], "a.md"))], {"b.md": []}
        )


def test_rows_without_a_document_are_refused_after_a_replacement(
    store: PostgresStore,
) -> None:
    store.replace_documents([(document("a.md"), chunks(["one"], "a.md"))])
    with (
        pytest.raises(StorageError, match="foreign key"),
        store._database.write() as connection,
    ):
        connection.execute("UPDATE chunks SET document_id = 'none'")


def test_two_chunks_with_one_id_are_refused(store: PostgresStore) -> None:
    with pytest.raises(InputError, match="two chunks of"):
        store.replace_documents([(document(), [chunk("same"), chunk("same", index=1)])])
    assert store.documents() == []


def test_document_given_twice_is_refused(store: PostgresStore) -> None:
    with pytest.raises(InputError, match="given twice"):
        store.replace_documents([(document(), []), (document(), [])])


@pytest.mark.parametrize(
    "bad",
    [
        {"source": None},
        {"emb": vector("x")[:3]},
    ],
    ids=["null", "dimension"],
)
def test_refused_chunk_changes_nothing(
    store: PostgresStore, bad: dict[str, Any]
) -> None:
    store.replace_documents([(document(), chunks(["old one", "old two"]))])
    wrong = replace(chunk("new"), **bad)
    with pytest.raises(StorageError):
        store.replace_documents([(document(version="2"), [chunk("fine"), wrong])])
    assert _content(store.chunks_of("docs/a.md")) == ["old one", "old two"]
    assert store.get_document("docs/a.md").fingerprint == "1"
    assert search_words(store, "fine") == []
    assert store.status().worded == 2


@pytest.mark.parametrize("bad", ["\0", "\ud800"], ids=["nul", "surrogate"])
def test_characters_that_cannot_be_stored_are_replaced_everywhere(
    store: PostgresStore, bad: str
) -> None:
    given = replace(
        chunk("text"),
        content=f"text é{bad}",
        content_raw=bad,
        prefix=f"a{bad}b",
        title=bad,
        section_path=("one", f"two{bad}"),
        metadata={f"k{bad}": [bad, {"deep": bad}], "kept": "\\u0000"},
        relations=[{"name": bad}],
        uses_md=bad,
        explain_md=bad,
        terms={"text": 1},
    )
    described = document(title=f"T{bad}", summary=bad, metadata={"m": bad})
    store.replace_documents([(described, [given])])
    (found,) = store.chunks_of("docs/a.md")
    assert found.content == "text é\ufffd"
    assert (found.content_raw, found.prefix) == ("\ufffd", "a\ufffdb")
    assert found.section_path == ("one", "two\ufffd")
    assert found.metadata == {
        "k\ufffd": ["\ufffd", {"deep": "\ufffd"}],
        "kept": "\\u0000",
    }
    assert found.relations == [{"name": "\ufffd"}]
    assert (found.uses_md, found.explain_md) == ("\ufffd", "\ufffd")
    stored = store.get_document("docs/a.md")
    assert (stored.title, stored.summary) == ("T\ufffd", "\ufffd")
    assert stored.metadata == {"m": "\ufffd"}
    # The same again writes nothing.
    assert store.replace_documents([(described, [given])]) == ChunkChanges(unchanged=1)


def test_unknown_chunks_and_documents_are_named(store: PostgresStore) -> None:
    with pytest.raises(NotFoundError, match="no chunk 'ffff'"):
        store.get_chunk("ffff")
    with pytest.raises(NotFoundError, match=r"no document 'x\.md'"):
        store.get_document("x.md")


def _row_versions(store: PostgresStore) -> dict[str, tuple[Any, ...]]:
    with store._database.read() as connection:
        rows = connection.execute("SELECT id, ctid::text, xmin::text FROM chunks")
        return {row[0]: row[1:] for row in rows}
