"""Edges of the code graph, and mentions: edges from chunks of documents to nodes.

Whoever deletes edges locks them first, in the order of their keys.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from outcrop.errors import InputError
from outcrop.model.edge import Edge, EdgeKind, Resolution
from outcrop.model.stored import document_id
from outcrop.store.bulk import copy_rows, staged_rows
from outcrop.store.connected import ConnectedStore
from outcrop.store.packing import clean_text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from outcrop.store.bulk import Row
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
MAX_NAME = 500

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
_IS_EMPTY = "SELECT NOT EXISTS (SELECT FROM edges WHERE kind <> 'MENTIONS')"
_MADE_BY_CHUNKS = "src = ANY(%s) AND kind = 'MENTIONS'"
_DELETE = DELETE_EDGES.format(condition=_MADE_BY_CHUNKS)
_DELETE_OTHERS = DELETE_EDGES.format(condition=f"{_MADE_BY_CHUNKS} AND {NOT_STAGED}")
_INSERT = f"""
INSERT INTO edges (src, dst, kind, resolution, confidence, external)
SELECT s.src, s.dst, s.kind, s.resolution, s.confidence, s.external
FROM edges_stage s JOIN nodes n ON n.id = s.dst
WHERE NOT EXISTS (SELECT FROM edges e WHERE {SAME_EDGE})
ORDER BY s.src, s.kind, s.dst ON CONFLICT DO NOTHING
"""  # noqa: S608 - names of columns
_DOCUMENT_TEXTS = """
SELECT c.id, c.content FROM chunks c
WHERE c.source = 'doc' AND c.node_id IS NULL AND c.indexable AND c.id > %(after)s
    AND (%(documents)s::text[] IS NULL OR c.document_id = ANY(%(documents)s))
ORDER BY c.id LIMIT %(limit)s
"""


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

    def put_mentions(
        self, edges: Sequence[Edge], *, chunk_ids: Collection[str] | None = None
    ) -> int:
        """Replace the mentions of chunks: those given, or those the edges come from.

        An edge to a node that does not exist is left out.

        Returns:
            The number of edges that were inserted, updated or deleted.

        Raises:
            InputError: An edge is of another kind.
        """
        chunks = {edge.src for edge in edges} if chunk_ids is None else chunk_ids
        with self._database.write() as connection:
            return replace_mentions(connection, edges, chunks)

    def document_texts(
        self, *, after: str, limit: int, paths: Collection[str] | None
    ) -> dict[str, str]:
        """Return a page of the texts of chunks that may mention nodes, by id."""
        documents = None if paths is None else [document_id(path) for path in paths]
        parameters = {"after": after, "limit": limit, "documents": documents}
        return dict(self._fetch(_DOCUMENT_TEXTS, parameters))


@contextmanager
def staged_edges(connection: Connection, edges: Iterable[Edge]) -> Iterator[None]:
    """Hold edges in `edges_stage` for the statements of a block."""
    with staged_rows(connection, "edges", _COLUMNS, map(_pack, edges)):
        # Without statistics the server expects few rows, and compares them one by one.
        connection.execute("ANALYZE edges_stage")
        yield


def is_without_graph(connection: Connection) -> bool:
    """Return whether the store has no edge of any application."""
    return connection.execute(_IS_EMPTY).fetchone() == (True,)


def copy_edges(
    connection: Connection, application: str, edges: Iterable[Edge]
) -> list[tuple[str, str]]:
    """Append the edges of an application where there are none; return their ends.

    Half the work of staged rows, which have to be compared with the stored ones.
    """
    rows: dict[tuple[str, str, str], Row] = {}
    for edge in edges:
        row = _pack(edge)
        rows.setdefault((row[0], row[2], row[1]), (*row, application))
    columns = {**_COLUMNS, "application_id": "text"}
    copy_rows(connection, "edges", columns, rows.values())
    return [(src, dst) for src, _, dst in rows]


def _pack(edge: Edge) -> tuple[Any, ...]:
    src, dst, kind, resolution, confidence, external = edge
    dst = clean_text(dst[:MAX_NAME])
    return clean_text(src), dst, str(kind), str(resolution), confidence, external


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


def replace_mentions(
    connection: Connection, edges: Sequence[Edge], chunk_ids: Collection[str]
) -> int:
    """Replace the mentions of chunks in a transaction; see `Edges.put_mentions`."""
    wrong = next((edge for edge in edges if edge.kind != EdgeKind.MENTIONS), None)
    if wrong is not None:
        raise InputError(f"an edge of a chunk is MENTIONS, not {wrong.kind}")
    with staged_edges(connection, edges):
        deleted = connection.execute(_DELETE_OTHERS, (list(chunk_ids),)).rowcount
        updated = connection.execute(UPDATE_EDGES).rowcount
        inserted = connection.execute(_INSERT).rowcount
    return deleted + updated + inserted


def forget_mentions(connection: Connection, chunk_ids: Collection[str]) -> None:
    """Delete the mentions of chunks that are about to be deleted."""
    connection.execute(_DELETE, (list(chunk_ids),))
