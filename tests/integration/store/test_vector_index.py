"""The index of vectors after changes: kept after few, built again after many."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from integration.store.relations import count_changes_now, file_of
from integration.store.samples import chunk, document, vector
from integration.store.searches import search_vectors
from outcrop.store import vectors

if TYPE_CHECKING:
    from outcrop.store.database import Database
    from outcrop.store.store import PostgresStore

_NUMBER = 200


@pytest.fixture
def indexed(store: PostgresStore, monkeypatch: pytest.MonkeyPatch) -> PostgresStore:
    """Return a store with an index of vectors."""
    monkeypatch.setattr(vectors, "INDEX_FROM_ROWS", 10)
    for number in range(_NUMBER):
        path = f"{number}.md"
        store.replace_documents([(document(path), [chunk(f"text {number}", path)])])
    store.maintain()
    assert store.status().vector_indexed
    return store


def _replace_rows(database: Database, rows: int) -> None:
    with database.autocommit() as connection:
        connection.execute(
            "UPDATE chunks SET rank_boost = 2"
            " WHERE id IN (SELECT id FROM chunks ORDER BY id LIMIT %s)",
            (rows,),
        )
        count_changes_now(connection)


def _dead_rows(database: Database) -> int:
    with database.read() as connection:
        row = connection.execute(
            "SELECT n_dead_tup FROM pg_stat_user_tables"
            " WHERE schemaname = current_schema() AND relname = 'chunks'"
        ).fetchone()
    assert row is not None
    return int(row[0])


def test_an_index_with_few_dead_rows_is_neither_cleaned_nor_built_again(
    indexed: PostgresStore, database: Database
) -> None:
    before = file_of(database, "chunks_emb")
    _replace_rows(database, _NUMBER // 10)
    assert not indexed.lacks_indexes()
    indexed.maintain()
    assert file_of(database, "chunks_emb") == before
    assert _dead_rows(database) == _NUMBER // 10


def test_an_index_with_many_dead_rows_is_built_again(
    indexed: PostgresStore, database: Database
) -> None:
    before = file_of(database, "chunks_emb")
    _replace_rows(database, _NUMBER // 3)
    assert indexed.lacks_indexes()
    indexed.maintain()
    assert file_of(database, "chunks_emb") != before
    assert _dead_rows(database) == 0
    assert not indexed.lacks_indexes()


def test_dead_rows_are_not_found(indexed: PostgresStore) -> None:
    gone = [f"{number}.md" for number in range(0, _NUMBER, 20)]
    indexed.delete_documents(gone)
    indexed.maintain()
    found = search_vectors(indexed, vector("text 40"), limit=_NUMBER)
    assert len(found) == _NUMBER - len(gone)


def test_searches_are_exact_while_much_is_rewritten(indexed: PostgresStore) -> None:
    indexed.expect_rewrite()
    assert not indexed.status().vector_indexed
    assert indexed.lacks_indexes()
    more = chunk("one", "more.md")
    indexed.replace_documents([(document("more.md"), [more])])
    assert search_vectors(indexed, vector("one"))[0].id == more.id
    indexed.maintain()
    assert indexed.status().vector_indexed
    assert search_vectors(indexed, vector("one"))[0].id == more.id
