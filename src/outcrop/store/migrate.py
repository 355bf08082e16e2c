"""Applying the numbered SQL files of the schema, each once and in order.

A file is applied in a transaction of its own, together with the note that it was. A
lock lets one process at a time apply them; the others wait and find nothing to do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psycopg
from psycopg import errors, sql

from outcrop.errors import SchemaVersionError, StorageError
from outcrop.store.schema import (
    CREATE_EXTENSION,
    CREATE_MIGRATIONS,
    Migration,
    known_migrations,
)

if TYPE_CHECKING:
    Connection = psycopg.Connection[tuple[Any, ...]]

# Any fixed number: it names our lock among the locks of the database.
_LOCK = 0x6F75_7463_726F_7000


def ensure_extension(connection: Connection) -> str:
    """Enable the extension `vector` where it is not, and return its schema.

    Raises:
        StorageError: It cannot be enabled.
        psycopg.Error: The database refused or failed.
    """
    found = extension_schema(connection)
    if found is None:
        lock_migrations(connection)  # two would both create it
        found = extension_schema(connection) or _create_extension(connection)
    connection.commit()
    return found


def migrate(connection: Connection, schema: str) -> None:
    """Bring a schema up to date, creating it where it does not exist.

    Raises:
        SchemaVersionError: A newer Outcrop wrote the schema.
        psycopg.Error: The database refused or failed.
    """
    if _applied(connection, schema) != _versions():
        _apply_all(connection, schema)
    connection.commit()


def lock_migrations(connection: Connection) -> None:
    """Let this transaction alone change the tables of the database."""
    connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))


def _versions() -> list[int]:
    return [migration.version for migration in known_migrations()]


def _apply_all(connection: Connection, schema: str) -> None:
    connection.rollback()
    for migration in known_migrations():
        with connection.transaction():
            lock_migrations(connection)
            extension = extension_schema(connection) or "public"
            _enter_schema(connection, schema, extension)
            applied = _applied(connection, schema)
            _refuse_newer(applied, schema)
            if migration.version not in applied:
                _apply(connection, migration)


def _apply(connection: Connection, migration: Migration) -> None:
    # The files are part of the package, not input.
    connection.execute(sql.SQL(migration.statements))
    connection.execute(
        "INSERT INTO schema_migrations (version, name) VALUES (%s, %s)",
        (migration.version, migration.name),
    )


def _applied(connection: Connection, schema: str) -> list[int]:
    found = connection.execute(
        "SELECT to_regclass(format('%%I.schema_migrations', %s::text))", (schema,)
    ).fetchone()
    if found is None or found[0] is None:
        return []
    query = sql.SQL("SELECT version FROM {}.schema_migrations ORDER BY version")
    rows = connection.execute(query.format(sql.Identifier(schema))).fetchall()
    return [row[0] for row in rows]


def _refuse_newer(applied: list[int], schema: str) -> None:
    newest = _versions()[-1]
    if applied and applied[-1] > newest:
        raise SchemaVersionError(
            f"schema {schema!r} is at version {applied[-1]}, but this Outcrop knows "
            f"versions up to {newest}; install a newer Outcrop, or index into another "
            "schema"
        )


def _enter_schema(connection: Connection, schema: str, extension: str) -> None:
    name = sql.Identifier(schema)
    exists = connection.execute(
        "SELECT 1 FROM pg_namespace WHERE nspname = %s", (schema,)
    ).fetchone()
    if exists is None:
        connection.execute(sql.SQL("CREATE SCHEMA {}").format(name))
    connection.execute(
        sql.SQL("SET LOCAL search_path = {}, {}").format(
            name, sql.Identifier(extension)
        )
    )
    connection.execute(CREATE_MIGRATIONS)


def _create_extension(connection: Connection) -> str:
    try:
        with connection.transaction():
            connection.execute(CREATE_EXTENSION)
    except errors.InsufficientPrivilege as error:
        raise StorageError(
            "the extension vector is not enabled in this database and this user may "
            "not enable it; let an administrator run: CREATE EXTENSION vector"
        ) from error
    return extension_schema(connection) or "public"


def extension_schema(connection: Connection) -> str | None:
    """Return the schema that holds the extension `vector`, once it is enabled."""
    row = connection.execute(
        "SELECT n.nspname FROM pg_extension e JOIN pg_namespace n"
        " ON n.oid = e.extnamespace WHERE e.extname = 'vector'"
    ).fetchone()
    return None if row is None else str(row[0])
