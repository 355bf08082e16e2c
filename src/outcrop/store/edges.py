"""Edges of the code graph: their rows, reading them, and replacing them in bulk.

Whoever deletes edges locks them first, in the order of their keys.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from outcrop.model.edge import Edge, EdgeKind, Resolution
from outcrop.store._text import clean_text
from outcrop.store.bulk import staged_rows
from outcrop.store.connected import ConnectedStore

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from outcrop.store.database import Connection

# Types are those of binary COPY.
_COLUMNS = {
    "src": "text",
    "dst": "text",
    "kind": "text",
    "resolution": "text",
    "confidence": "float4",
    "external": "bool",
}
# As much of an external name as an ordered index can hold.
_MAX_NAME = 500

_FROM = f"""
SELECT {", ".join(f"e.{name}" for name in _COLUMNS)} FROM edges e
WHERE e.src = ANY(%(ids)s) AND (%(kinds)s::text[] IS NULL OR e.kind = ANY(%(kinds)s))
ORDER BY e.src, e.kind, e.dst
"""  # noqa: S608 - names of columns
_TO = _FROM.replace("e.src = ANY", "e.dst = ANY")

SAME_EDGE = "(e.src, e.kind, e.dst) = (s.src, s.kind, s.dst)"
DELETE_EDGES = f"""
DELETE FROM edges e USING (
    SELECT src, kind, dst FROM edges e WHERE {{condition}}
    ORDER BY src, kind, dst FOR UPDATE
) s WHERE {SAME_EDGE}
"""  # noqa: S608 - names of columns
# True of an edge `e` that is not staged.
NOT_STAGED = f"NOT EXISTS (SELECT FROM edges_stage s WHERE {SAME_EDGE})"
UPDATE_EDGES = f"""
UPDATE edges e SET resolution = s.resolution, confidence = s.confidence,
    external = s.external
FROM edges_stage s
WHERE {SAME_EDGE} AND (e.resolution, e.confidence, e.external)
    IS DISTINCT FROM (s.resolution, s.confidence, s.external)
RETURNING e.src, e.dst
"""  # noqa: S608 - as above


class Edges(ConnectedStore):
    """The edges between nodes, to external names, and from chunks to nodes."""

    def edges_from(
        self, ids: Sequence[str], kinds: Collection[EdgeKind] | None = None
    ) -> list[Edge]:
        """Return the edges from nodes, or from chunks that mention nodes."""
        return self._edges(_FROM, ids, kinds)

    def edges_to(
        self, ids: Sequence[str], kinds: Collection[EdgeKind] | None = None
    ) -> list[Edge]:
        """Return the edges to nodes, or to external names."""
        return self._edges(_TO, ids, kinds)

    def _edges(
        self, statement: str, ids: Sequence[str], kinds: Collection[EdgeKind] | None
    ) -> list[Edge]:
        if not ids:
            return []
        names = None if kinds is None else [str(kind) for kind in kinds]
        rows = self._fetch(statement, {"ids": list(ids), "kinds": names})
        return list(map(_unpack, rows))


@contextmanager
def staged_edges(connection: Connection, edges: Iterable[Edge]) -> Iterator[None]:
    """Hold edges in `edges_stage` for the statements of a block."""
    with staged_rows(connection, "edges", _COLUMNS, map(_pack, edges)):
        # Without statistics the server expects few rows, and compares them one by one.
        connection.execute("ANALYZE edges_stage")
        yield


def _pack(edge: Edge) -> tuple[Any, ...]:
    return (
        clean_text(edge.src),
        clean_text(edge.dst[:_MAX_NAME]),
        str(edge.kind),
        str(edge.resolution),
        edge.confidence,
        edge.external,
    )


def _unpack(row: Sequence[Any]) -> Edge:
    src, dst, kind, resolution, confidence, external = row
    return Edge(
        src=src,
        dst=dst,
        kind=EdgeKind(kind),
        resolution=Resolution(resolution),
        # Stored as four bytes: 0.4 comes back as 0.4000000059.
        confidence=round(confidence, 6),
        external=external,
    )
