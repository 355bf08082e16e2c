"""Tables after a load: as small as their rows, whoever uses them meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from integration.store.relations import count_changes_now, file_of
from integration.store.samples import chunk, document
from outcrop.store import bulk

if TYPE_CHECKING:
    import pytest

    from outcrop.store.database import Database
    from outcrop.store.store import PostgresStore


def _write(store: PostgresStore, folder: str, words: int, documents: int) -> None:
    for number in range(documents):
        path = f"{folder}/{number}.md"
        text = " ".join(f"{folder}{number}word{at}" for at in range(words))
        store.replace_documents([(document(path), [chunk(text, path)])])


def _load(store: PostgresStore) -> None:
    """Write short chunks and then long ones, so that all weights are computed again."""
    store.expect_load()
    _write(store, "short", words=4, documents=20)
    _write(store, "long", words=120, documents=60)
    store.maintain()


def _sizes(database: Database) -> tuple[int, int]:
    with database.read() as connection:
        row = connection.execute(
            "SELECT pg_relation_size('chunk_lex'), sum(pg_column_size(l.*))"
            " FROM chunk_lex l"
        ).fetchone()
    assert row is not None
    return int(row[0]), int(row[1])


def test_a_load_leaves_no_space_of_replaced_rows(
    store: PostgresStore, database: Database
) -> None:
    _load(store)
    table, rows = _sizes(database)
    assert table < 1.4 * rows


def test_chunks_that_were_written_once_are_not_rewritten(
    store: PostgresStore, database: Database
) -> None:
    before = file_of(database, "chunks")
    _load(store)
    assert file_of(database, "chunks") == before


def test_words_that_were_weighted_once_are_not_rewritten(
    store: PostgresStore, database: Database
) -> None:
    before = file_of(database, "chunk_lex")
    store.expect_load()
    _write(store, "some", words=40, documents=20)
    store.maintain()
    assert file_of(database, "chunk_lex") == before


def test_chunks_that_were_replaced_are_rewritten(
    store: PostgresStore, database: Database
) -> None:
    before = file_of(database, "chunks")
    _write(store, "some", words=4, documents=20)
    with database.autocommit() as connection:
        connection.execute("UPDATE chunks SET rank_boost = 2")
        count_changes_now(connection)
    bulk.compact(database)
    assert file_of(database, "chunks") != before


def test_a_table_in_use_is_left_as_it_is(
    store: PostgresStore, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "_SET_PATIENCE", "SET lock_timeout = '10ms'")
    with database.read() as connection:
        connection.execute("SELECT FROM chunks LIMIT 1")
        bulk.compact(database)
    with database.autocommit() as connection:
        assert connection.execute("SHOW lock_timeout").fetchone() == ("0",)
