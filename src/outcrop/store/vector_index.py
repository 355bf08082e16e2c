"""The index that makes searches by vector fast: when it is built, dropped and rebuilt.

It is built once there are enough embeddings, and dropped if there are too few. It is never
vacuumed: after deletions nearly every vector has a deleted neighbour, and connecting them
again takes longer than a new build. Searches skip the rows that are deleted. When there
are many of them, the index is rebuilt, and a run that will delete many drops it first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from psycopg import errors, sql

from outcrop.store import vectors
from outcrop.store.free_memory import free_memory_mb
from outcrop.store.vectors import read_embedder

if TYPE_CHECKING:
    from outcrop.store.database import Connection, Database

# The maximum of pgvector for vectors in half precision, which take three fifths of the
# space and find as much.
_MAX_DIMENSIONS = 4_000
# Vectors that do not fit into memory during the build are added on disk, which is five
# times slower. More is taken where it is free: a part of what this machine has left.
_MIN_MEMORY_MB = 64
_MAX_MEMORY_MB = 640
_SHARE_OF_FREE = 4
_NEIGHBOURS_BYTES = 720  # of one vector, besides its numbers

_EXISTS = "SELECT to_regclass('chunks_emb') IS NOT NULL"
_COUNT_SOME = (
    "SELECT count(*) FROM (SELECT FROM chunks WHERE emb IS NOT NULL LIMIT %s) x"
)
_COUNT_CHUNKS = "SELECT coalesce(sum(chunk_count), 0)::bigint FROM documents"
_IS_WORN = """
SELECT to_regclass('chunks_emb') IS NOT NULL AND EXISTS (
    SELECT FROM pg_stat_user_tables
    WHERE schemaname = current_schema() AND relname = 'chunks'
        AND n_dead_tup > %s * (n_live_tup + n_dead_tup)
)
"""
# Less than what makes the server vacuum a table on its own, which is a fifth.
_MAX_DEAD_SHARE = 0.15
_DROP = "DROP INDEX IF EXISTS chunks_emb"
_LOCK_INDEX = "SELECT pg_advisory_xact_lock(1872, hashtext(current_schema()))"
_SET_MEMORY = "SELECT set_config('maintenance_work_mem', %s, true)"
_ALONE = "SET LOCAL max_parallel_maintenance_workers = 0"
_CREATE = sql.SQL(
    "CREATE INDEX IF NOT EXISTS chunks_emb ON chunks USING hnsw"
    " ((emb::halfvec({})) halfvec_cosine_ops) WITH (m = {}, ef_construction = {})"
)
# Neighbours of a vector, and how many are compared to find them. A small index is built
# with half the work; the effort of a search is chosen so that it finds as much.
_SMALL = (12, 40)
_LARGE = (16, 64)
_LARGE_FROM_CHUNKS = 100_000


def lacks_index(connection: Connection) -> bool:
    """Return whether the index is missing though there are enough embeddings."""
    embedder = read_embedder(connection)
    if embedder is None or embedder.dimension > _MAX_DIMENSIONS:
        return False
    if has_index(connection):
        return False
    enough = vectors.INDEX_FROM_ROWS
    return _count(connection, _COUNT_SOME, enough) >= enough


def ensure_index(database: Database) -> None:
    """Build the index if it is missing and there are enough embeddings."""
    with database.read() as connection:
        embedder = read_embedder(connection)
        if embedder is None or not lacks_index(connection):
            return
        chunks = _count(connection, _COUNT_CHUNKS)
    free = free_memory_mb() if database.info.embedded else 0
    memory = _memory_mb(chunks, embedder.dimension, free)
    with database.write() as connection:
        connection.execute(_LOCK_INDEX)
        connection.execute(_SET_MEMORY, (f"{memory}MB",))
        # Writers wait while it is built; readers do not.
        density = _SMALL if chunks < _LARGE_FROM_CHUNKS else _LARGE
        values = map(sql.Literal, (embedder.dimension, *density))
        _create(connection, _CREATE.format(*values))


def has_index(connection: Connection) -> bool:
    """Return whether there is an index."""
    return connection.execute(_EXISTS).fetchone() == (True,)


def is_worn(connection: Connection) -> bool:
    """Return whether enough rows were deleted for a rebuild of the index."""
    return connection.execute(_IS_WORN, (_MAX_DEAD_SHARE,)).fetchone() == (True,)


def drop_index(database: Database) -> None:
    """Drop the index, if there is one; searches scan all vectors until the next build."""
    with database.write() as connection:
        connection.execute(_LOCK_INDEX)
        connection.execute(_DROP)


def drop_small_index(database: Database) -> None:
    """Drop the index if there are so few embeddings that an exact scan is used."""
    with database.read() as connection:
        if not _is_too_large(connection):
            return
    with database.write() as connection:
        connection.execute(_LOCK_INDEX)
        if _is_too_large(connection):
            connection.execute(_DROP)


def _is_too_large(connection: Connection) -> bool:
    if not has_index(connection):
        return False
    enough = vectors.INDEX_FROM_ROWS
    return _count(connection, _COUNT_SOME, enough) < enough


def _create(connection: Connection, statement: sql.Composed) -> None:
    try:
        with connection.transaction():
            connection.execute(statement)
    except (errors.DiskFull, errors.OutOfMemory):
        # A parallel build uses shared memory, and containers often have little of it.
        connection.execute(_ALONE)
        connection.execute(statement)


def _memory_mb(chunks: int, dimension: int, free: int) -> int:
    """Return the memory that holds all vectors during the build, within limits."""
    needed = chunks * (2 * dimension + _NEIGHBOURS_BYTES) // 1_000_000
    allowed = max(_MAX_MEMORY_MB, free // _SHARE_OF_FREE)
    return min(allowed, max(_MIN_MEMORY_MB, needed))


def _count(connection: Connection, statement: str, *parameters: int) -> int:
    row = connection.execute(statement, parameters).fetchone()
    return int(row[0]) if row else 0
