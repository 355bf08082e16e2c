"""The index of the embeddings: built once there are enough, dropped if too few."""

from __future__ import annotations

from typing import TYPE_CHECKING

from psycopg import errors, sql

from outcrop.store import vector
from outcrop.store.embeddings import read_embedder

if TYPE_CHECKING:
    from outcrop.store.database import Connection, Database

# The maximum of pgvector for vectors in half precision, which take three fifths of the
# space and find as much.
_MAX_DIMENSIONS = 4_000
# Vectors that do not fit into memory during the build are added on disk, which is five
# times slower.
_MIN_MEMORY_MB = 64
_MAX_MEMORY_MB = 640
_NEIGHBOURS_BYTES = 720  # of one vector, besides its numbers

_EXISTS = "SELECT to_regclass('chunks_emb') IS NOT NULL"
_COUNT_SOME = (
    "SELECT count(*) FROM (SELECT FROM chunks WHERE emb IS NOT NULL LIMIT %s) x"
)
_COUNT_CHUNKS = "SELECT coalesce(sum(chunk_count), 0)::bigint FROM documents"
_DROP = "DROP INDEX IF EXISTS chunks_emb"
_LOCK = "SELECT pg_advisory_xact_lock(1872, hashtext(current_schema()))"
_SET_MEMORY = "SELECT set_config('maintenance_work_mem', %s, true)"
_ALONE = "SET LOCAL max_parallel_maintenance_workers = 0"
_CREATE = sql.SQL(
    "CREATE INDEX IF NOT EXISTS chunks_emb ON chunks"
    " USING hnsw ((emb::halfvec({})) halfvec_cosine_ops)"
)


def lacks_index(connection: Connection) -> bool:
    """Return whether the index is missing though there are enough embeddings."""
    embedder = read_embedder(connection)
    if embedder is None or embedder.dimension > _MAX_DIMENSIONS:
        return False
    if connection.execute(_EXISTS).fetchone() == (True,):
        return False
    enough = vector.INDEX_FROM_ROWS
    return _count(connection, _COUNT_SOME, enough) >= enough


def ensure_index(database: Database) -> None:
    """Build the index if it is missing and there are enough embeddings."""
    with database.read() as connection:
        embedder = read_embedder(connection)
        if embedder is None or not lacks_index(connection):
            return
        memory = _memory_mb(_count(connection, _COUNT_CHUNKS), embedder.dimension)
    with database.write() as connection:
        connection.execute(_LOCK)
        connection.execute(_SET_MEMORY, (f"{memory}MB",))
        # Writers wait while it is built; readers do not.
        _create(connection, _CREATE.format(sql.Literal(embedder.dimension)))


def drop_small_index(database: Database) -> None:
    """Drop the index if there are so few embeddings that an exact scan is used."""
    with database.read() as connection:
        if not _is_too_large(connection):
            return
    with database.write() as connection:
        connection.execute(_LOCK)
        if _is_too_large(connection):
            connection.execute(_DROP)


def _is_too_large(connection: Connection) -> bool:
    if connection.execute(_EXISTS).fetchone() != (True,):
        return False
    enough = vector.INDEX_FROM_ROWS
    return _count(connection, _COUNT_SOME, enough) < enough


def _create(connection: Connection, statement: sql.Composed) -> None:
    try:
        with connection.transaction():
            connection.execute(statement)
    except (errors.DiskFull, errors.OutOfMemory):
        # A parallel build uses shared memory, and containers often have little of it.
        connection.execute(_ALONE)
        connection.execute(statement)


def _memory_mb(chunks: int, dimension: int) -> int:
    """Return the memory that holds all vectors during the build."""
    needed = chunks * (2 * dimension + _NEIGHBOURS_BYTES) // 1_000_000
    return min(_MAX_MEMORY_MB, max(_MIN_MEMORY_MB, needed))


def _count(connection: Connection, statement: str, *parameters: int) -> int:
    row = connection.execute(statement, parameters).fetchone()
    return int(row[0]) if row else 0
