"""What the server says of tables and indexes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outcrop.store.database import Connection, Database


def file_of(database: Database, relation: str) -> int:
    """Return the number of a table's or an index's file, which a rewrite changes."""
    with database.read() as connection:
        query = "SELECT pg_relation_filenode(%s::regclass)"
        row = connection.execute(query, (relation,)).fetchone()
    assert row is not None
    return int(row[0])


def count_changes_now(connection: Connection) -> None:
    """Count changed rows at once; the server does so with a delay, which a run outlasts."""
    connection.execute("SELECT pg_stat_force_next_flush()")
