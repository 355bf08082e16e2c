"""The table of sketches: complete, merged, and made for indexes that lack it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from integration.store.samples import chunk, chunks, document, vector
from integration.store.searches import search_vectors
from outcrop.model.embedder_identity import EmbedderIdentity
from outcrop.store import vectors
from outcrop.store.sketches import table
from outcrop.store.sketches.table import SketchState, read_view, write_sketches

if TYPE_CHECKING:
    from outcrop.store.database import Database
    from outcrop.store.sketches.view import SketchView
    from outcrop.store.store import PostgresStore


@pytest.fixture(autouse=True)
def few_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let searches use sketches where otherwise all vectors are compared."""
    monkeypatch.setattr(vectors, "_MAX_COMPARED", 1)
    monkeypatch.setattr(vectors, "_MIN_COMPARED", 10)
    monkeypatch.setattr(vectors, "_COMPARED_PER_MATCH", 3)


def _put(store: PostgresStore, path: str, *texts: str) -> None:
    store.replace_documents([(document(path), chunks(texts, path))])


def _view(database: Database) -> SketchView:
    with database.read() as connection:
        state = SketchState.of(*connection.execute(table.BLOCKS).fetchone() or ("", ""))
        assert state.is_complete
        return read_view(connection, state.keys, 4)


def _stored(database: Database) -> set[str]:
    with database.read() as connection:
        rows = connection.execute("SELECT id FROM chunks WHERE emb IS NOT NULL")
        return {row[0] for row in rows}


def _sketched(database: Database) -> list[str]:
    return sorted(f"{number:016x}" for number in _view(database).merged()[0].tolist())


def _fill(store: PostgresStore, documents: int = 20) -> None:
    for number in range(documents):
        _put(store, f"{number}.md", f"one {number}", f"two {number}")


def test_sketches_follow_every_change(store: PostgresStore, database: Database) -> None:
    _fill(store)
    assert _sketched(database) == sorted(_stored(database))
    _put(store, "3.md", "one 3", "something else")
    store.delete_documents(["4.md", "5.md"])
    _put(store, "5.md", "one 5")
    assert _sketched(database) == sorted(_stored(database))
    assert search_vectors(store, vector("one 5"), limit=1)[0].score > 0.999
    assert search_vectors(store, vector("something else"), limit=1)[0].score > 0.999
    assert search_vectors(store, vector("one 4"), limit=1)[0].score < 0.9999


def test_embeddings_that_come_later_are_found(
    store: PostgresStore, database: Database
) -> None:
    _fill(store)
    late = chunk("late", "late.md", emb=None)
    store.replace_documents([(document("late.md"), [late])])
    assert late.id not in _sketched(database)
    store.put_embeddings(
        {late.id: vector("late")},
        model="tiny",
        search_hashes={late.id: late.search_hash},
    )
    assert search_vectors(store, vector("late"), limit=1)[0].id == late.id
    assert _sketched(database) == sorted(_stored(database))


def test_a_late_embedding_of_an_old_text_changes_nothing(
    store: PostgresStore, database: Database
) -> None:
    """The text was replaced and embedded while its old version was being embedded."""
    _fill(store)
    before = _view(database).blocks.keys()
    late = chunk("one 3", "3.md")
    stored = store.put_embeddings(
        {late.id: vector("old")}, model="tiny", search_hashes={late.id: "old"}
    )
    assert stored == 0
    assert _view(database).blocks.keys() == before
    assert search_vectors(store, vector("one 3"), limit=1)[0].id == late.id


def test_an_embedding_that_changes_is_found_by_the_new_one(
    store: PostgresStore, database: Database
) -> None:
    _fill(store)
    changed = chunk("one 3", "3.md", search_hash="other", emb=vector("new"))
    store.replace_documents([(document("3.md", "2"), [changed])])
    assert search_vectors(store, vector("new"), limit=1)[0].id == changed.id
    assert _sketched(database) == sorted(_stored(database))


def test_many_blocks_are_merged(
    store: PostgresStore, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "_MAX_BLOCKS", 5)
    monkeypatch.setattr(table, "_MAX_BLOCK_CHUNKS", 12)
    _fill(store)
    store.delete_documents(["4.md"])
    before = _sketched(database)
    found = search_vectors(store, vector("one 7"))
    assert len(_view(database).blocks) == 21
    store.settle()
    assert len(_view(database).blocks) == 4
    assert _sketched(database) == before
    assert search_vectors(store, vector("one 7")) == found
    key = _view(database).blocks.keys()
    store.settle()
    assert _view(database).blocks.keys() == key


def test_many_deleted_sketches_are_removed(
    store: PostgresStore, database: Database
) -> None:
    _put(store, "a.md", *map(str, range(30)))
    _put(store, "b.md", "b")
    store.delete_documents(["a.md"])
    assert len(_view(database)) == 31
    store.settle()
    assert len(_view(database)) == 1


def test_what_is_written_during_a_merge_stays(
    store: PostgresStore, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A block whose transaction is still open is neither merged nor lost."""
    monkeypatch.setattr(table, "_MAX_BLOCKS", 5)
    _fill(store, 9)
    with database.write() as connection:
        gone = chunk("one 3", "3.md").id
        added = chunk("added", "added.md").id
        write_sketches(connection, {added: vector("added")}, gone=[gone])
        _put(store, "later.md", "later")
        store.settle()
        assert len(_view(database).blocks) == 1
    view = _view(database)
    assert len(view.blocks) == 2
    assert int(added, 16) in view.merged()[0].tolist()
    # Its sketch came back, and does no harm: only chunks are found.
    store.delete_documents(["3.md"])
    found = search_vectors(store, vector("one 3"), limit=9)
    assert gone not in {match.id for match in found}


def test_an_index_of_an_earlier_version_compares_all_until_the_next_run(
    store: PostgresStore, database: Database
) -> None:
    _fill(store)
    with database.write() as connection:
        connection.execute("DELETE FROM vector_sketches")
        connection.execute("DELETE FROM index_settings WHERE key = 'sketches'")
    assert not store.status().vector_indexed
    assert store.lacks_indexes()
    found = search_vectors(store, vector("one 7"))
    assert found[0].score > 0.999
    store.maintain()
    assert store.status().vector_indexed
    assert not store.lacks_indexes()
    assert _sketched(database) == sorted(_stored(database))
    assert search_vectors(store, vector("one 7"), limit=1) == found[:1]


def test_a_new_embedder_forgets_all_sketches(
    store: PostgresStore, database: Database
) -> None:
    _fill(store)
    search_vectors(store, vector("one 7"))
    store.change_embedder(EmbedderIdentity(name="other", dimension=4))
    assert store.status().vector_indexed
    assert len(_view(database)) == 0
    assert search_vectors(store, vector("one")) == []


def test_a_search_reads_only_new_blocks(
    store: PostgresStore, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fill(store)
    search_vectors(store, vector("one 7"))
    read: list[int] = []
    unpack = table._unpack

    def counted(row, words):
        read.append(1)
        return unpack(row, words)

    monkeypatch.setattr(table, "_unpack", counted)
    search_vectors(store, vector("one 7"))
    assert not read
    _put(store, "more.md", "more")
    assert search_vectors(store, vector("more"), limit=1)[0].score > 0.999
    assert len(read) == 1
