"""A new embedded database has the schema that migrations make of an older one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from outcrop.errors import StorageError
from outcrop.store import schema as schemas
from outcrop.store.database import DEFAULT_SCHEMA, Database
from outcrop.store.schema import Migration, known_migrations
from outcrop.store.server.embedded import EmbeddedServer

if TYPE_CHECKING:
    from pathlib import Path

_MIGRATED = "migrated"
_FIRST_OF_USERS = 16384  # pg_dump leaves objects with lower numbers out
_CATALOGS = {
    "relations": """
        SELECT relname, relkind, reloptions, reltoastrelid > 0, relpersistence
        FROM pg_class WHERE relnamespace = %(schema)s::regnamespace
    """,
    "columns": """
        SELECT c.relname, a.attnum, a.attname, format_type(a.atttypid, a.atttypmod),
            a.attnotnull, a.attstorage, a.attcompression, a.attisdropped, a.attoptions,
            a.attcollation::regcollation::text, a.attgenerated, a.attidentity,
            pg_get_expr(d.adbin, d.adrelid)
        FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
            LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        WHERE c.relnamespace = %(schema)s::regnamespace
    """,
    "constraints": """
        SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid)
        FROM pg_constraint WHERE connamespace = %(schema)s::regnamespace
    """,
    "indexes": """
        SELECT tablename, indexname, indexdef FROM pg_indexes
        WHERE schemaname = %(schema)s
    """,
    "migrations": "SELECT 'schema_migrations', version, name FROM schema_migrations",
}


def _described(database: Database, schema: str) -> dict[str, list[tuple[Any, ...]]]:
    found = {}
    with database.read() as connection:
        for name, query in _CATALOGS.items():
            rows = connection.execute(query, {"schema": schema}).fetchall()
            texts = [
                tuple(
                    value.replace(schema, "") if isinstance(value, str) else value
                    for value in row
                )
                for row in rows
            ]
            found[name] = sorted(texts, key=repr)
    return found


def test_a_new_database_has_the_schema_of_all_migrations(new_project: Path) -> None:
    with Database.open(new_project) as created:
        expected = _described(created, DEFAULT_SCHEMA)
    with Database.open(new_project, schema=_MIGRATED) as migrated:
        assert _described(migrated, _MIGRATED) == expected
    assert len(expected["migrations"]) == len(known_migrations())
    assert len(expected["columns"]) > 100


def test_nothing_is_left_to_migrate_in_a_new_database(new_project: Path) -> None:
    with (
        EmbeddedServer(new_project / ".outcrop") as server,
        psycopg.connect(**server.ensure_running()) as connection,
    ):
        rows = connection.execute(
            "SELECT version, name FROM outcrop.schema_migrations ORDER BY version"
        ).fetchall()
    assert rows == [(each.version, each.name) for each in known_migrations()]


def test_objects_of_a_new_database_are_not_numbered_as_those_of_postgresql(
    new_project: Path,
) -> None:
    with Database.open(new_project) as created, created.read() as connection:
        row = connection.execute(
            "SELECT least("
            " (SELECT min(oid) FROM pg_class"
            "  WHERE relnamespace = 'outcrop'::regnamespace),"
            " (SELECT oid FROM pg_extension WHERE extname = 'vector'))"
        ).fetchone()
    assert row is not None
    assert row[0] >= _FIRST_OF_USERS


def test_a_schema_that_cannot_be_made_leaves_no_database(
    new_project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = Migration(
        version=99, name="wrong", statements="CREATE TABLE t (x nothing);\n"
    )
    monkeypatch.setattr(schemas, "known_migrations", lambda: (wrong,))
    with pytest.raises(StorageError, match='type "nothing" does not exist'):
        EmbeddedServer(new_project / ".outcrop").ensure_running()
    assert not list((new_project / ".outcrop").glob("data*"))
