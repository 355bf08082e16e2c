"""The registry: the projects of a shared database and their folders."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from psycopg import sql

from outcrop.store.migrate import lock_migrations
from outcrop.store.projects.identity import REGISTRY_SCHEMA, name_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from outcrop.store.address import Connection

_TABLE = sql.Identifier(REGISTRY_SCHEMA, "projects")
# Not to_regclass: it may answer from a cache that waiting for a lock does not refresh.
_EXISTS = """
SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = %s AND c.relname = 'projects'
"""
_CREATE = sql.SQL("""
CREATE SCHEMA {schema};
CREATE TABLE {table} (
    name text COLLATE "C" PRIMARY KEY,
    schema text NOT NULL UNIQUE,
    root text NOT NULL,                      -- the folder, on the machine that indexed it
    id text UNIQUE,                          -- of .outcrop/project.json in that folder
    created_at timestamptz NOT NULL DEFAULT now()
)
""").format(schema=sql.Identifier(REGISTRY_SCHEMA), table=_TABLE)
_SELECT = sql.SQL(
    "SELECT name, schema, root, id, created_at FROM {} WHERE {} ORDER BY name"
)
_INSERT = sql.SQL("INSERT INTO {} (name, schema, root, id) VALUES (%s, %s, %s, %s)")
# What only an index has.
_INDEXES = """
SELECT n.nspname FROM pg_namespace n JOIN pg_class c ON c.relnamespace = n.oid
WHERE c.relkind = 'r' AND c.relname IN ('schema_migrations', 'documents', 'chunk_lex')
GROUP BY n.nspname HAVING count(*) = 3 ORDER BY n.nspname
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A row of the registry."""

    name: str
    schema: str
    root: Path
    id: str | None
    created_at: datetime


def find_by_name(connection: Connection, name: str) -> Entry | None:
    """Return the project of a name, if there is one."""
    return next(iter(_read(connection, sql.SQL("name = %s"), (name,))), None)


def find_by_id(connection: Connection, identity_id: str) -> Entry | None:
    """Return the project of the folder with an id, if there is one."""
    return next(iter(_read(connection, sql.SQL("id = %s"), (identity_id,))), None)


def read_entries(connection: Connection) -> list[Entry]:
    """Return all projects, by name."""
    return _read(connection, sql.SQL("true"), ())


def find_unowned(connection: Connection) -> list[str]:
    """Return the schemas of projects, by name, that the registry does not have."""
    owned = {entry.schema for entry in read_entries(connection)}
    return [
        schema
        for (schema,) in connection.execute(_INDEXES).fetchall()
        if name_of(schema) is not None and schema not in owned
    ]


def schema_exists(connection: Connection, schema: str) -> bool:
    """Return whether there is a schema of this name."""
    query = "SELECT 1 FROM pg_namespace WHERE nspname = %s"
    return connection.execute(query, (schema,)).fetchone() is not None


@contextmanager
def change_registry(connection: Connection) -> Iterator[None]:
    """Lock the registry for this process, creating it if it does not exist."""
    connection.rollback()  # what was read so far may be out of date by now
    with connection.transaction():
        lock_migrations(connection)
        if not _exists(connection):
            connection.execute(_CREATE)
        yield


def insert_entry(
    connection: Connection,
    *,
    name: str,
    schema: str,
    root: Path,
    identity_id: str | None,
) -> None:
    """Register a project."""
    values = (name, schema, str(root), identity_id)
    connection.execute(_INSERT.format(_TABLE), values)


def update_owner(
    connection: Connection, name: str, root: Path, identity_id: str | None
) -> None:
    """Note that a project belongs to another folder now."""
    query = sql.SQL("UPDATE {} SET root = %s, id = %s WHERE name = %s").format(_TABLE)
    connection.execute(query, (str(root), identity_id, name))


def delete_entry(connection: Connection, name: str) -> None:
    """Take a project out of the registry."""
    query = sql.SQL("DELETE FROM {} WHERE name = %s").format(_TABLE)
    connection.execute(query, (name,))


def _read(
    connection: Connection, condition: sql.SQL, values: tuple[Any, ...]
) -> list[Entry]:
    if not _exists(connection):
        return []
    rows = connection.execute(_SELECT.format(_TABLE, condition), values).fetchall()
    return [
        Entry(
            name=name,
            schema=schema,
            root=Path(root),
            id=identity_id,
            created_at=created_at,
        )
        for name, schema, root, identity_id, created_at in rows
    ]


def _exists(connection: Connection) -> bool:
    return connection.execute(_EXISTS, (REGISTRY_SCHEMA,)).fetchone() is not None
