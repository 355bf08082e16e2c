"""A table of PostgreSQL with the extension vector."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from psycopg import sql
from psycopg.types.json import Jsonb

from outcrop.errors import InputError
from outcrop.store.address import Address, is_database_url

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outcrop.export.target import Export
    from outcrop.store.vectors import EmbeddedChunk

_CREATE = """
CREATE TABLE IF NOT EXISTS {table} (
    project text NOT NULL,
    id text NOT NULL,
    run text NOT NULL,
    path text NOT NULL,
    content text NOT NULL,
    metadata jsonb NOT NULL,
    embedding vector({dimension}) NOT NULL,
    PRIMARY KEY (project, id)
)
"""
_WRITE = """
INSERT INTO {table} (project, id, run, path, content, metadata, embedding)
VALUES (%s, %s, %s, %s, %s, %s, %s::vector)
ON CONFLICT (project, id) DO UPDATE SET run = excluded.run, path = excluded.path,
    content = excluded.content, metadata = excluded.metadata,
    embedding = excluded.embedding
"""
_DELETE = "DELETE FROM {table} WHERE project = %s AND run <> %s"


def write(export: Export, pages: Iterator[Sequence[EmbeddedChunk]]) -> int:
    """Write a table in one transaction, creating it if it does not exist."""
    if not is_database_url(export.destination):
        raise InputError(
            "the destination is not a PostgreSQL URL; write it as "
            "postgresql://user:password@host:5432/database"
        )
    address = Address.find(url=export.destination)
    parts: dict[str, Any] = {
        "table": sql.Identifier(export.collection),
        "dimension": sql.Literal(export.dimension),
    }
    count = 0
    with address.explain_failures("the export failed"), address.connect() as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        connection.execute(sql.SQL(_CREATE).format(**parts))
        statement = sql.SQL(_WRITE).format(**parts)
        with connection.cursor() as cursor:
            for page in pages:
                cursor.executemany(statement, [_row(export, c) for c in page])
                count += len(page)
        remove = sql.SQL(_DELETE).format(**parts)
        connection.execute(remove, (export.project, export.run))
    return count


def _row(export: Export, chunk: EmbeddedChunk) -> tuple[Any, ...]:
    return (
        export.project,
        chunk.id,
        export.run,
        chunk.path,
        chunk.content,
        Jsonb(export.metadata(chunk)),
        str(chunk.vector),
    )
