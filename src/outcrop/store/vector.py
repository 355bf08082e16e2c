"""The search for the nearest embeddings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from psycopg import sql

from outcrop.model.candidate import Match
from outcrop.model.filter import Filter
from outcrop.store.filters import CHUNKS_CONDITION, resolve
from outcrop.store.packing import vector_literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from outcrop.store.database import Connection

# Below this an exact scan is about as fast as the index, and misses nothing.
INDEX_FROM_ROWS = 5_000
# How many neighbours the index keeps in view: more is slower and misses less.
_DEFAULT_MIN_EFFORT = 200
_MAX_EFFORT = 1_000  # the limit of pgvector
_ITERATIVE_SINCE = (0, 8)

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
