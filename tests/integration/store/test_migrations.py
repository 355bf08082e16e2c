"""Migrations: in order, once, by several processes at a time, never backwards."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import psycopg
import pytest

from integration.store.servers import EVERY_SERVER
from outcrop.errors import SchemaVersionError, StorageError
from outcrop.store import migrate as migrations
from outcrop.store.database import Database
from outcrop.store.schema import Migration, known_migrations

if TYPE_CHECKING:
    from pathlib import Path


def _add(monkeypatch: pytest.MonkeyPatch, statements: str) -> int:
    known = known_migrations()
    version = known[-1].version + 1
    extra = Migration(version=version, name="extra", statements=statements)
    monkeypatch.setattr(migrations, "known_migrations", lambda: (*known, extra))
    return version


def test_files_are_numbered_without_gaps() -> None:
    versions = [migration.version for migration in known_migrations()]
    assert versions == list(range(1, len(versions) + 1))


@EVERY_SERVER
def test_every_migration_is_noted_once(database: Database) -> None:
    with database.read() as connection:
        rows = connection.execute(
            "SELECT version, name FROM schema_migrations ORDER BY version"
        ).fetchall()
    assert rows == [(known.version, known.name) for known in known_migrations()]


@EVERY_SERVER
def test_opening_again_changes_nothing(
    target: str | Path, database: Database, schema: str
) -> None:
    query = "SELECT version, applied_at FROM schema_migrations ORDER BY version"
    with database.read() as connection:
        before = connection.execute(query).fetchall()
    with Database.open(target, schema=schema) as again, again.read() as connection:
        assert connection.execute(query).fetchall() == before


@EVERY_SERVER
def test_new_migration_is_applied_to_an_existing_schema(
    target: str | Path,
    database: Database,
    schema: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _add(monkeypatch, "CREATE TABLE extra (x int)")
    with Database.open(target, schema=schema) as again, again.read() as connection:
        assert connection.execute("SELECT count(*) FROM extra").fetchone() == (0,)


@EVERY_SERVER
def test_failed_migration_leaves_no_trace(
    target: str | Path,
    database: Database,
    schema: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    version = _add(monkeypatch, "CREATE TABLE extra (x int); SELECT 1 / 0")
    with pytest.raises(StorageError, match="division by zero"):
        Database.open(target, schema=schema)
    with database.read() as connection:
        row = connection.execute("SELECT to_regclass('extra')").fetchone()
        assert row == (None,)
        row = connection.execute("SELECT max(version) FROM schema_migrations")
        assert row.fetchone() == (version - 1,)


@EVERY_SERVER
def test_newer_schema_is_refused(
    target: str | Path, database: Database, schema: str
) -> None:
    with database.write() as connection:
        connection.execute("INSERT INTO schema_migrations VALUES (9999, 'future')")
    with pytest.raises(SchemaVersionError, match=r"9999.*install a newer Outcrop"):
        Database.open(target, schema=schema)


def test_processes_that_migrate_at_one_instant_agree(
    server_url: str, schema: str
) -> None:
    script = (
        "import sys\n"
        "from outcrop.store.database import Database\n"
        "Database.open(sys.argv[1], schema=sys.argv[2]).close()\n"
    )
    command = [sys.executable, "-c", script, server_url, schema]
    racers = [subprocess.Popen(command) for _ in range(4)]
    assert [racer.wait(timeout=50) for racer in racers] == [0] * 4
    with psycopg.connect(server_url) as connection:
        connection.execute("SELECT set_config('search_path', %s, false)", (schema,))
        row = connection.execute("SELECT count(*) FROM schema_migrations").fetchone()
    assert row == (len(known_migrations()),)


@EVERY_SERVER
def test_row_3_34_chunks_of_an_older_index_get_places_of_their_own(
    target: str | Path,
    schema: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known = known_migrations()
    with monkeypatch.context() as older:
        before = tuple(each for each in known if each.name != "place")
        older.setattr(migrations, "known_migrations", lambda: before[:6])
        with Database.open(target, schema=schema) as database:
            _write_older_chunks(database)
    with (
        Database.open(target, schema=schema) as database,
        database.read() as connection,
    ):
        rows = connection.execute(
            "SELECT chunk_id, chunk_index, place FROM chunks ORDER BY document_id, place"
        ).fetchall()
    assert rows == [
        ("n:doc:explanation", 0, 0),
        ("m:code:snippet", 0, 1),
        ("m:code:snippet:1", 1, 2),
        ("section", 4, 4),
    ]


def _write_older_chunks(database: Database) -> None:
    with database.write() as connection:
        connection.execute(
            "INSERT INTO documents (id, path, kind, fingerprint, chunk_count)"
            " VALUES ('a', 'a.py', 'code', '', 3), ('b', 'b.md', 'markdown', '', 1)"
        )
        for chunk_id, document, index, span, pipeline in (
            ("m:code:snippet", "a", 0, "[0,5)", '{"content_key": "x"}'),
            ("n:doc:explanation", "a", 0, "[0,9)", '{"content_key": "y"}'),
            ("m:code:snippet:1", "a", 5, "[5,9)", '{"content_key": "z"}'),
            ("section", "b", 4, "[0,9)", "{}"),
        ):
            connection.execute(
                "INSERT INTO chunks (id, chunk_id, document_id, source, content,"
                " row_hash, chunk_index, span_chars, pipeline)"
                " VALUES (%s, %s, %s, 'doc', '', 0, %s, %s, %s)",
                (chunk_id, chunk_id, document, index, span, pipeline),
            )
