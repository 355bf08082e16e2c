"""Chunks by the code graph: those that define a name, and those one edge away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.model.candidate import Neighbour
from outcrop.store.batch import Rows, Statement, array_literal, fetch
from outcrop.store.filters import CHUNKS_CONDITION

if TYPE_CHECKING:
    from collections.abc import Collection

    from outcrop.model.candidate import NameQuery
    from outcrop.store.database import Connection
    from outcrop.store.filters import Resolved

# Edges that use a definition; many are not all counted.
_USES_UP_TO = """
(SELECT count(*) FROM (
    SELECT FROM edges e
    WHERE e.dst = n.id AND e.kind NOT IN ('CONTAINS', 'MENTIONS') LIMIT {limit}
) used)
"""
# More make no difference to the ranking, where uses count on a logarithmic scale.
_USES = f"""
SELECT n.id, {_USES_UP_TO.format(limit=500)} FROM unnest(%(ids)s::text[]) n(id)
"""  # noqa: S608 - constants
# A definition that was split is represented by its first part, with the signature. Types
# and functions have the highest scores, then what is used most.
_MOST_USES = 30
_DEFINITIONS = f"""
SELECT c.id, (
    (n.kind IN ('CLASS', 'INTERFACE', 'ENUM'))::int * 2 + (n.kind = 'FUNCTION')::int
) * {_MOST_USES + 1} + {_USES_UP_TO.format(limit=_MOST_USES)} AS score
FROM nodes n JOIN chunks c ON c.node_id = n.id
WHERE n.name = ANY(%(names)s::text[]) AND c.indexable
    AND coalesce((c.metadata->>'part')::int, 0) = 0 AND {{condition}}
ORDER BY score DESC, c.id
LIMIT {{limit}}
"""  # noqa: S608 - constants; values are bound
# An end of an edge is a node, or a chunk of a document that mentions one. A
# definition that was split is represented by its first part, a small one that shares a
# chunk with others by that chunk, a function without a name by the chunk that it starts
# in. A chunk does not contain itself.
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
        AND coalesce((c.metadata->>'part')::int, 0) = 0
    UNION ALL
    SELECT near.*, c.id FROM near JOIN chunks c ON c.id = near.there
    WHERE near.kind = 'MENTIONS' AND NOT near.leaving
    UNION ALL
    SELECT near.*, c.id FROM near
    -- OFFSET keeps the planner from reading all nodes and chunks.
    CROSS JOIN LATERAL (
        SELECT n.* FROM nodes n WHERE n.id = near.there
            AND NOT EXISTS (SELECT FROM chunks own WHERE own.node_id = near.there)
        OFFSET 0
    ) n
    CROSS JOIN LATERAL (
        SELECT c.id, c.node_id
        FROM chunks c, LATERAL (SELECT c.metadata @> jsonb_build_object('folded',
            jsonb_build_array(jsonb_build_object('id', n.id))) AS is_sharing) s
        WHERE c.document_id = n.document_id AND c.span_lines @> n.line_start
            AND (s.is_sharing OR n.kind IN ('FUNCTION', 'METHOD')) AND c.indexable
        ORDER BY s.is_sharing DESC, upper(c.span_lines) - lower(c.span_lines), c.id
        LIMIT 1
    ) c
    WHERE (near.leaving OR near.kind <> 'MENTIONS')
        AND NOT (near.kind = 'CONTAINS' AND c.node_id = near.here)
)
SELECT p.here, p.id, p.kind, p.leaving, p.confidence, p.resolution
FROM places p JOIN chunks c ON c.id = p.id
WHERE c.indexable AND {CHUNKS_CONDITION}
ORDER BY p.confidence DESC, p.id, p.here, p.kind, p.leaving
LIMIT %(limit)s
"""  # noqa: S608 - constants; values are bound


def definitions(names: NameQuery, resolved: Resolved) -> Statement:
    """Return the search for chunks that define one of these names, types first."""
    restricts = resolved.restricts
    text = _DEFINITIONS.format(
        condition=CHUNKS_CONDITION if restricts else "true", limit=names.limit
    )
    restriction = resolved.parameters if restricts else {}
    return Statement(text, {"names": array_literal(names.names), **restriction})


def in_order(rows: Rows) -> list[tuple[int, str]]:
    """Return definitions as they are sorted: a rank, lower is better, and the id."""
    return sorted((-score, chunk_id) for chunk_id, score in rows)


def read_uses(connection: Connection, node_ids: Collection[str]) -> dict[str, int]:
    """Return how many edges of code lead to each node, as far as it matters."""
    return dict(fetch(connection, _USES, {"ids": array_literal(node_ids)}))


def read_neighbours(
    connection: Connection,
    ends: Collection[str],
    *,
    leaving: Collection[str],
    entering: Collection[str],
    limit: int,
    resolved: Resolved,
) -> list[Neighbour]:
    """Return the chunks one edge away, by falling confidence."""
    parameters = {
        **resolved.parameters,
        "ends": list(ends),
        "leaving": list(leaving),
        "entering": list(entering),
        "limit": limit,
    }
    rows = connection.execute(_NEIGHBOURS, parameters)
    return [Neighbour(*row) for row in rows]
