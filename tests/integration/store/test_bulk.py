"""COPY, staging tables and locks on documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from psycopg import errors

from integration.store.samples import chunks, document
from integration.store.servers import EVERY_SERVER
from outcrop.errors import StorageError
from outcrop.store.bulk import Difference, copy_rows, lock_documents, staged_rows

if TYPE_CHECKING:
    from outcrop.model.stored import StoredChunk
    from outcrop.store.database import Database
    from outcrop.store.store import PostgresStore

COLUMNS = {"src": "text", "dst": "text", "kind": "text", "confidence": "float4"}
ROWS = [("a", "b", "CALLS", 1.0), ("a", "c", "READS", 0.5)]


@EVERY_SERVER
def test_a_stage_has_the_named_columns_until_the_block_ends(database: Database) -> None:
    with database.write() as connection:
        with staged_rows(connection, "edges", COLUMNS, ROWS):
            rows = connection.execute("SELECT * FROM edges_stage").fetchall()
            assert sorted(rows) == sorted(ROWS)
        found = connection.execute("SELECT to_regclass('edges_stage')").fetchone()
        assert found == (None,)


@EVERY_SERVER
def test_an_error_among_staged_rows_is_the_one_that_is_raised(
    database: Database,
) -> None:
    with (
        pytest.raises(StorageError, match="division by zero"),
        database.write() as connection,
        staged_rows(connection, "edges", COLUMNS, ROWS),
    ):
        connection.execute("SELECT 1 / 0")


@EVERY_SERVER
def test_rows_are_copied_in_the_order_of_the_columns(database: Database) -> None:
    reversed_columns = dict(reversed(list(COLUMNS.items())))
    with database.write() as connection:
        connection.execute("CREATE TEMPORARY TABLE copied (LIKE edges) ON COMMIT DROP")
        connection.execute("ALTER TABLE copied ALTER resolution DROP NOT NULL")
        connection.execute("ALTER TABLE copied ALTER external DROP NOT NULL")
        copy_rows(connection, "copied", reversed_columns, [row[::-1] for row in ROWS])
        rows = connection.execute("SELECT src, dst, kind, confidence FROM copied")
        assert rows.fetchall() == ROWS


@pytest.fixture
def stored(store: PostgresStore) -> list[StoredChunk]:
    """Return the chunks of two documents."""
    items = [(document(path), chunks([path], path)) for path in ("a.md", "b.md")]
    store.replace_documents(items)
    return [chunk for _, given in items for chunk in given]


@EVERY_SERVER
def test_documents_are_locked_by_id_and_by_chunk(
    database: Database, stored: list[StoredChunk]
) -> None:
    first, second = stored
    with database.write() as connection:
        assert lock_documents(connection, [first.document_id, "unknown"]) == [
            first.document_id
        ]
        assert lock_documents(connection, of_chunks=[second.id]) == [second.document_id]
        assert lock_documents(connection, of_nodes=["unknown"]) == []
        both = sorted([first.document_id, second.document_id])
        locked = lock_documents(
            connection, [second.document_id], of_chunks=[first.id, second.id]
        )
        assert locked == both


def _lock_at_once(database: Database, document_id: str) -> None:
    with database.write() as connection:
        connection.execute("SET LOCAL lock_timeout = '50ms'")
        lock_documents(connection, [document_id])


@EVERY_SERVER
def test_others_wait_for_a_locked_document(
    database: Database, stored: list[StoredChunk]
) -> None:
    with database.write() as connection:
        lock_documents(connection, of_chunks=[stored[0].id])
        _lock_at_once(database, stored[1].document_id)
        with pytest.raises(StorageError) as caught:
            _lock_at_once(database, stored[0].document_id)
    assert isinstance(caught.value.__cause__, errors.LockNotAvailable)


def test_what_the_new_rows_lack_is_deleted() -> None:
    difference = Difference[str]()
    difference.delete_others({"a": 1, "b": 2, "c": 3}, {"b", "d"})
    assert difference.deleted == ["a", "c"]
