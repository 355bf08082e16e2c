"""Embeddings: the embedder of an index, and vector search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from psycopg import sql
from psycopg.types.json import Jsonb

from outcrop.errors import InputError, SchemaVersionError
from outcrop.model.candidate import Match
from outcrop.model.embedder_identity import EmbedderIdentity
from outcrop.model.filter import Filter
from outcrop.store.bulk import lock_documents, staged_rows
from outcrop.store.filters import CHUNKS_CONDITION, resolve
from outcrop.store.packing import pack_vector, vector_literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from outcrop.store.database import Connection

# Below this an exact scan is about as fast as the index, and misses nothing.
INDEX_FROM_ROWS = 5_000
_MAX_IN_ROW = 1_024
# How many neighbours the index keeps in view: more is slower and misses less.
_DEFAULT_MIN_EFFORT = 200
_MAX_EFFORT = 1_000  # the limit of pgvector
_ITERATIVE_SINCE = (0, 8)

_READ_EMBEDDER = "SELECT value FROM index_settings WHERE key = 'embedder'"
_SET_EMBEDDER = """
INSERT INTO index_settings (key, value) VALUES ('embedder', %s)
ON CONFLICT (key) DO UPDATE SET value = excluded.value
"""
_LOCK_SETTINGS = "LOCK TABLE index_settings IN SHARE ROW EXCLUSIVE MODE"
_FORGET = """
UPDATE chunks SET emb = NULL, embed_model = NULL, embed_ts = NULL
WHERE emb IS NOT NULL
"""

_PREPARE = """
SELECT to_regclass('chunks_emb') IS NOT NULL,
    set_config('hnsw.ef_search', %(ef)s, true),
    set_config('hnsw.iterative_scan', %(iterative)s, true)
"""
_NEAREST = f"""
SELECT c.id, 1 - (c.emb <=> %(vector)s::vector)
FROM chunks c
WHERE c.emb IS NOT NULL AND c.indexable AND {CHUNKS_CONDITION}
ORDER BY c.emb::halfvec({{0}}) <=> %(vector)s::vector::halfvec({{0}})
LIMIT %(limit)s
"""  # noqa: S608 - constants; values are bound
# Materialised first, so that the vector index is not used.
_NEAREST_EXACTLY = f"""
WITH passing AS MATERIALIZED (
    SELECT c.id, 1 - (c.emb <=> %(vector)s::vector) AS score FROM chunks c
    WHERE c.emb IS NOT NULL AND c.indexable AND {CHUNKS_CONDITION}
)
SELECT id, score FROM passing ORDER BY score DESC, id LIMIT %(limit)s
"""  # noqa: S608 - as above

_STAGED = {"id": "text", "search_hash": "text", "emb": "bytea"}
_PUT_STAGED = """
UPDATE chunks c SET emb = s.emb, embed_model = %s, embed_ts = now()
FROM chunks_stage s
WHERE c.id = s.id AND c.search_hash IS NOT DISTINCT FROM s.search_hash
"""


def read_embedder(connection: Connection) -> EmbedderIdentity | None:
    """Return the embedder of the index, or None before there is one."""
    row = connection.execute(_READ_EMBEDDER).fetchone()
    return EmbedderIdentity(**row[0]) if row else None


def use_embedder(connection: Connection, embedder: EmbedderIdentity) -> None:
    """Bind a new index to an embedder, or make sure it is bound to this one.

    Raises:
        SchemaVersionError: The index was built with another one.
    """
    known = read_embedder(connection)
    if known is None:
        connection.execute(_LOCK_SETTINGS)
        known = read_embedder(connection)  # another process may have been faster
    if known is None:
        _bind(connection, embedder)
    elif known != embedder:
        raise SchemaVersionError(
            f"the index was built with embedder {known}, but {embedder} is configured;"
            f" use --embedder {known.name}, or run: outcrop reembed"
        )


def change_embedder(connection: Connection, embedder: EmbedderIdentity) -> None:
    """Bind the index to another embedder, which forgets all embeddings."""
    connection.execute(_LOCK_SETTINGS)
    connection.execute("LOCK TABLE chunks IN ACCESS EXCLUSIVE MODE")
    connection.execute("DROP INDEX IF EXISTS chunks_emb")
    connection.execute(_FORGET)
    _bind(connection, embedder)


def _bind(connection: Connection, embedder: EmbedderIdentity) -> None:
    if embedder.dimension < 1:
        raise InputError(f"an embedding has no {embedder.dimension} dimensions")
    connection.execute(
        sql.SQL("ALTER TABLE chunks ALTER COLUMN emb TYPE vector({})").format(
            sql.Literal(embedder.dimension)
        )
    )
    # Changing the type has reset this. In the row a scan finds a vector at once; too
    # long a one does not fit.
    storage = "PLAIN" if embedder.dimension <= _MAX_IN_ROW else "EXTERNAL"
    connection.execute(
        sql.SQL("ALTER TABLE chunks ALTER COLUMN emb SET STORAGE {}").format(
            sql.SQL(storage)
        )
    )
    setting = {"name": embedder.name, "dimension": embedder.dimension}
    connection.execute(_SET_EMBEDDER, (Jsonb(setting),))


def put_embeddings(
    connection: Connection,
    vectors: Mapping[str, NDArray[np.float32]],
    *,
    model: str,
    search_hashes: Mapping[str, str | None],
) -> int:
    """Store embeddings made for chunks that are stored already.

    Args:
        connection: In a transaction.
        vectors: The embeddings, by the chunks' ids.
        model: The embedder's name.
        search_hashes: Of the texts that were embedded: a chunk whose text has changed
            since is left alone.

    Returns:
        How many chunks got one.
    """
    rows = (
        (chunk_id, search_hashes[chunk_id], pack_vector(vector))
        for chunk_id, vector in vectors.items()
    )
    with staged_rows(connection, "chunks", _STAGED, rows):
        lock_documents(connection, of_chunks=vectors)
        return connection.execute(_PUT_STAGED, (model,)).rowcount


def search_vectors(
    connection: Connection,
    vector: NDArray[np.float32],
    *,
    limit: int,
    min_effort: int | None = None,
    restriction: Filter | None = None,
    vector_version: tuple[int, ...] = _ITERATIVE_SINCE,
) -> list[Match]:
    """Return the chunks nearest to a vector by cosine, nearest first.

    Args:
        connection: In a transaction.
        vector: A vector of the index's embedder.
        limit: Maximum number of matches.
        min_effort: How many neighbours the index keeps in view, at least.
        restriction: Which chunks count.
        vector_version: Version of the pgvector extension; from 0.8 on it keeps
            searching until enough chunks pass a filter.
    """
    if limit < 1:
        return []
    resolved = resolve(connection, restriction or Filter())
    parameters = {
        "vector": vector_literal(vector),
        "limit": limit,
        **resolved.parameters,
    }
    effort = min(_MAX_EFFORT, max(min_effort or _DEFAULT_MIN_EFFORT, 2 * limit))
    if not resolved.leaves_at_most(INDEX_FROM_ROWS) and _prepare_index(
        connection, effort, vector_version
    ):
        nearest = sql.SQL(_NEAREST).format(sql.Literal(len(vector)))
        matches = _matches(connection, nearest, parameters)
        # With a filter the index may stop before enough chunks have passed.
        if len(matches) == limit or not restriction:
            # The index compares in half precision; the scores are exact.
            return sorted(matches, key=lambda match: (-match.score, match.id))
    return _matches(connection, sql.SQL(_NEAREST_EXACTLY), parameters)


def _prepare_index(
    connection: Connection, effort: int, vector_version: tuple[int, ...]
) -> bool:
    """Configure the vector index for this transaction; return whether there is one."""
    is_iterative = vector_version >= _ITERATIVE_SINCE
    settings = {
        "ef": str(effort),
        "iterative": "strict_order" if is_iterative else "off",
    }
    row = connection.execute(_PREPARE, settings).fetchone()
    return row is not None and row[0]


def _matches(
    connection: Connection,
    statement: sql.SQL | sql.Composed,
    parameters: Mapping[str, object],
) -> list[Match]:
    rows = connection.execute(statement, parameters).fetchall()
    return [Match(id=chunk_id, score=score) for chunk_id, score in rows]
