"""Chunks one edge away, read in one statement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.model.candidate import Neighbour
from outcrop.model.filter import Filter
from outcrop.store.filters import CHUNKS_CONDITION, resolve

if TYPE_CHECKING:
    from collections.abc import Collection

    from outcrop.store.database import Connection

# An end of an edge is a node, or a chunk of a document that mentions one. A
# definition that was split is represented by its first part.
_NEIGHBOURS = f"""
WITH near AS (
    (SELECT e.src AS here, e.dst AS there, e.kind, true AS leaving, e.confidence,
        e.resolution
    FROM edges e
    WHERE e.src = ANY(%(ends)s) AND e.kind = ANY(%(leaving)s) AND NOT e.external
    ORDER BY e.confidence DESC, e.dst, e.src, e.kind LIMIT %(limit)s)
    UNION ALL
    (SELECT e.dst, e.src, e.kind, false, e.confidence, e.resolution
    FROM edges e
    WHERE e.dst = ANY(%(ends)s) AND e.kind = ANY(%(entering)s)
    ORDER BY e.confidence DESC, e.src, e.dst, e.kind LIMIT %(limit)s)
), places AS (
    SELECT near.*, c.id FROM near JOIN chunks c ON c.node_id = near.there
    UNION ALL
    SELECT near.*, c.id FROM near JOIN chunks c ON c.id = near.there
    WHERE near.kind = 'MENTIONS' AND NOT near.leaving
)
SELECT p.here, p.id, p.kind, p.leaving, p.confidence, p.resolution
FROM places p JOIN chunks c ON c.id = p.id
WHERE c.indexable AND coalesce((c.metadata->>'part')::int, 0) = 0
    AND {CHUNKS_CONDITION}
ORDER BY p.confidence DESC, p.id, p.here, p.kind, p.leaving
LIMIT %(limit)s
"""  # noqa: S608 - constants; values are bound


def read_neighbours(
    connection: Connection,
    ends: Collection[str],
    *,
    leaving: Collection[str],
    entering: Collection[str],
    limit: int,
    restriction: Filter | None = None,
) -> list[Neighbour]:
    """Return the chunks one edge away, by falling confidence.

    Args:
        connection: In a transaction.
        ends: Ids of nodes, and of chunks of documents.
        leaving: Kinds of edge to follow forwards.
        entering: Kinds of edge to follow backwards.
        limit: Maximum number of neighbours.
        restriction: Which chunks count.
    """
    if not ends or not (leaving or entering):
        return []
    parameters = {
        **resolve(connection, restriction or Filter()).parameters,
        "ends": list(ends),
        "leaving": list(leaving),
        "entering": list(entering),
        "limit": limit,
    }
    rows = connection.execute(_NEIGHBOURS, parameters).fetchall()
    return [Neighbour(*row) for row in rows]
