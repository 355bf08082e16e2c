"""What the projects of a shared database hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from psycopg import errors, sql

from outcrop.store.projects import registry
from outcrop.store.projects.names import name_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from outcrop.store.address import Connection

_SIZE = """
SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = %s AND c.relkind = 'r'
"""
# Runs that found nothing to do are not noted.
_COUNTS = sql.SQL("""
SELECT (SELECT count(*) FROM {schema}.documents),
    (SELECT count(*) FROM {schema}.chunks),
    (SELECT max(updated_at) FROM {schema}.documents)
""")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectInfo:
    """A project in a shared database.

    Attributes:
        name: What it is called.
        schema: The PostgreSQL schema that holds it.
        root: Its folder, on the machine that indexed it last; None where the project
            has no owner.
        documents: Documents in it; None where this user may not look.
        chunks: Chunks in it; None where this user may not look.
        size_bytes: Size on disk.
        created_at: When it was registered; None where the project has no owner.
        indexed_at: When a document was last written.
    """

    name: str
    schema: str
    root: str | None
    documents: int | None
    chunks: int | None
    size_bytes: int
    created_at: datetime | None
    indexed_at: datetime | None


def describe_projects(connection: Connection) -> list[ProjectInfo]:
    """Return what a database holds, by name; those without an owner come last."""
    found = [
        _describe(connection, entry.name, entry.schema, entry)
        for entry in registry.read_entries(connection)
    ]
    for schema in registry.find_unowned(connection):
        name = str(name_of(schema))
        found.append(_describe(connection, name, schema, None))
    return found


def _describe(
    connection: Connection, name: str, schema: str, entry: registry.Entry | None
) -> ProjectInfo:
    size = connection.execute(_SIZE, (schema,)).fetchone()
    documents, chunks, indexed_at = _count(connection, schema)
    return ProjectInfo(
        name=name,
        schema=schema,
        root=str(entry.root) if entry is not None else None,
        documents=documents,
        chunks=chunks,
        size_bytes=size[0] if size is not None else 0,
        created_at=entry.created_at if entry is not None else None,
        indexed_at=indexed_at,
    )


def _count(
    connection: Connection, schema: str
) -> tuple[int | None, int | None, datetime | None]:
    query = _COUNTS.format(schema=sql.Identifier(schema))
    try:
        with connection.transaction():
            documents, chunks, indexed_at = next(_rows(connection, query))
    except (errors.UndefinedTable, errors.InvalidSchemaName):
        return 0, 0, None  # registered, but nothing was ever written
    except errors.InsufficientPrivilege:
        return None, None, None
    return documents, chunks, indexed_at


def _rows(connection: Connection, query: sql.Composed) -> Iterator[tuple[Any, ...]]:
    yield from connection.execute(query)
