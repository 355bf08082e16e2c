"""Writing the code graph: a set difference, in one transaction.

What is stored of an application is compared with its new graph: rows that are the same
stay as they are, the others are written, those that are gone are deleted. Readers see
the old graph or the new one.

Whoever changes a graph first locks its application, then the documents concerned in
the order of their ids, then edges in the order of their keys, so writers wait for each
other but never in a circle.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from outcrop.errors import InputError
from outcrop.model.edge import EdgeKind
from outcrop.store._graph_rows import (
    COPY_EDGES,
    COPY_NODES,
    UPDATE_NODES,
    pack_edge,
    pack_node,
)
from outcrop.store._text import to_json
from outcrop.store.bulk import Difference, Row, copy_rows, lock_documents, staged_rows
from outcrop.store.deletion import DELETE_EDGES, count_chunks, delete_chunks
from outcrop.store.lexical.write import write_words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from outcrop.model.edge import Edge
    from outcrop.model.node import Node
    from outcrop.store.database import Connection

_PUT_APPLICATION = """
INSERT INTO applications (id, name, metadata) VALUES (%s, %s, %s::jsonb)
ON CONFLICT (id) DO UPDATE SET name = excluded.name,
    metadata = applications.metadata || excluded.metadata
"""
_LOCK_APPLICATION = "SELECT 1 FROM applications WHERE id = %s FOR NO KEY UPDATE"
_SET_METADATA = """
UPDATE applications SET metadata = metadata || %s::jsonb
WHERE id = %s AND NOT metadata @> %s::jsonb
"""
_READ_NODES = "SELECT id, row_hash FROM nodes WHERE application_id = %s"
_DELETE_NODES = "DELETE FROM nodes WHERE id = ANY(%s)"
_SAME_KEY = "(e.src, e.kind, e.dst) = (s.src, s.kind, s.dst)"
_DELETE_EDGES = f"""
DELETE FROM edges e USING (
    SELECT src, kind, dst FROM edges e
    WHERE application_id = %s
        AND NOT EXISTS (SELECT FROM edges_stage s WHERE {_SAME_KEY})
    ORDER BY src, kind, dst FOR UPDATE
) s WHERE {_SAME_KEY} RETURNING e.src, e.dst
"""  # noqa: S608 - names of columns
_UPDATE_EDGES = f"""
UPDATE edges e SET resolution = s.resolution, confidence = s.confidence,
    external = s.external
FROM edges_stage s
WHERE {_SAME_KEY} AND (e.resolution, e.confidence, e.external)
    IS DISTINCT FROM (s.resolution, s.confidence, s.external)
RETURNING e.src, e.dst
"""  # noqa: S608 - names of columns
_INSERT_EDGES = f"""
INSERT INTO edges (src, dst, kind, resolution, confidence, external, application_id)
SELECT s.src, s.dst, s.kind, s.resolution, s.confidence, s.external, %s
FROM edges_stage s WHERE NOT EXISTS (SELECT FROM edges e WHERE {_SAME_KEY})
ORDER BY s.src, s.kind, s.dst
ON CONFLICT DO NOTHING RETURNING src, dst
"""  # noqa: S608 - names of columns
# Edges of the application itself are compared one by one; these come from documents.
_DELETE_MENTIONS_OF = DELETE_EDGES.format(
    condition="dst = ANY(%s) AND kind = 'MENTIONS'"
)
_DELETE_AT_NODES = DELETE_EDGES.format(
    condition="src = ANY(%(ids)s) OR dst = ANY(%(ids)s)"
)
_NODES_OF_DOCUMENTS = "SELECT id, application_id FROM nodes WHERE document_id = ANY(%s)"
_CHUNKS_OF_NODES = "SELECT id, document_id FROM chunks WHERE node_id = ANY(%s)"
_INSERT_MENTIONS = f"""
INSERT INTO edges (src, dst, kind, resolution, confidence, external)
SELECT s.src, s.dst, s.kind, s.resolution, s.confidence, s.external
FROM edges_stage s JOIN nodes n ON n.id = s.dst
WHERE NOT EXISTS (SELECT FROM edges e WHERE {_SAME_KEY})
ORDER BY s.src, s.kind, s.dst ON CONFLICT DO NOTHING
"""  # noqa: S608 - names of columns
_DROP_MENTIONS = DELETE_EDGES.format(
    condition=f"""src = ANY(%s) AND kind = 'MENTIONS'
        AND NOT EXISTS (SELECT FROM edges_stage s WHERE {_SAME_KEY.replace("e.", "edges.")})"""
)


_SET_PENDING = """
INSERT INTO index_settings (key, value) VALUES ('mentions_pending', %s::jsonb)
ON CONFLICT (key) DO UPDATE SET value = excluded.value
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphReplaced:
    """What replacing a graph did.

    Attributes:
        nodes_inserted: New nodes.
        nodes_updated: Nodes whose row changed.
        nodes_unchanged: Nodes that were left alone.
        nodes_deleted: Nodes that are no more.
        edges_inserted: New edges.
        edges_updated: Edges with another label.
        edges_deleted: Edges that are no more.
        changed: Ids of the nodes that are new, different or no more.
        touched: Ids of the nodes with edges that are so, names of what is external
            included; empty where there was no graph before.
    """

    nodes_inserted: int = 0
    nodes_updated: int = 0
    nodes_unchanged: int = 0
    nodes_deleted: int = 0
    edges_inserted: int = 0
    edges_updated: int = 0
    edges_deleted: int = 0
    changed: frozenset[str] = field(default=frozenset(), repr=False)
    touched: frozenset[str] = field(default=frozenset(), repr=False)

    @property
    def rows_written(self) -> int:
        """How many rows are different now."""
        return (
            self.nodes_inserted
            + self.nodes_updated
            + self.nodes_deleted
            + self.edges_inserted
            + self.edges_updated
            + self.edges_deleted
        )

    @property
    def wrote(self) -> bool:
        """Whether anything is different now."""
        return self.rows_written > 0


def application_id(name: str) -> str:
    """Return the id of an application: its name, as nodes of the code graph say it."""
    if not name.strip() or "\0" in name:
        raise InputError(f"{name!r} is no name of an application: give it a name")
    return name


def put_application(
    connection: Connection, name: str, metadata: Mapping[str, Any] | None
) -> str:
    """Store an application; return its id."""
    key = application_id(name)
    given = to_json(dict(metadata or {}))
    connection.execute(_PUT_APPLICATION, (key, name, given))
    return key


def replace_graph(
    connection: Connection,
    application: str,
    nodes: Iterable[Node],
    edges: Iterable[Edge],
    *,
    metadata: Mapping[str, Any] | None = None,
    keep_chunks: bool = False,
) -> GraphReplaced:
    """Put a graph in the place of an application's earlier one.

    Raises:
        InputError: There is no such application, or a node belongs to another one.
    """
    if connection.execute(_LOCK_APPLICATION, (application,)).fetchone() is None:
        raise InputError(f"there is no application {application!r}; store it first")
    rows = connection.execute(_READ_NODES, (application,)).fetchall()
    stored: dict[str, int] = dict(rows)
    difference = _compare(application, nodes, stored)
    _forget_nodes(connection, difference.deleted, keep_chunks=keep_chunks)
    _write_nodes(connection, difference)
    inserted, updated, deleted = _write_edges(connection, application, edges)
    _set_metadata(connection, application, metadata)
    changed = {row[0] for row in (*difference.inserted, *difference.updated)}
    changed.update(difference.deleted)
    touched: set[str] = set()
    if stored:
        touched.update(*inserted, *updated, *deleted)
    return GraphReplaced(
        nodes_inserted=len(difference.inserted),
        nodes_updated=len(difference.updated),
        nodes_unchanged=difference.unchanged,
        nodes_deleted=len(difference.deleted),
        edges_inserted=len(inserted),
        edges_updated=len(updated),
        edges_deleted=len(deleted),
        changed=frozenset(changed),
        touched=frozenset(touched),
    )


def put_mentions(
    connection: Connection, edges: Sequence[Edge], chunk_ids: Collection[str]
) -> int:
    """Make these edges all that some chunks mention; return how many changed."""
    wrong = next((e for e in edges if e.kind != EdgeKind.MENTIONS), None)
    if wrong is not None:
        raise InputError(f"an edge of a chunk is MENTIONS, not {wrong.kind}")
    with _staged_edges(connection, edges):
        dropped = connection.execute(_DROP_MENTIONS, (list(chunk_ids),)).rowcount
        updated = connection.execute(_UPDATE_EDGES).rowcount
        inserted = connection.execute(_INSERT_MENTIONS).rowcount
    return dropped + updated + inserted


def set_mentions_pending(connection: Connection, *, pending: bool) -> None:
    """Note whether edges of documents may be out of date."""
    connection.execute(_SET_PENDING, (to_json(pending),))


def lock_graphs(connection: Connection, documents: Sequence[str]) -> None:
    """Lock the applications with nodes in some documents, before the documents."""
    rows = connection.execute(_NODES_OF_DOCUMENTS, (list(documents),)).fetchall()
    for application in sorted({row[1] for row in rows}):
        connection.execute(_LOCK_APPLICATION, (application,))


def forget_documents(connection: Connection, documents: Sequence[str]) -> None:
    """Delete the nodes and edges of documents that are about to go."""
    rows = connection.execute(_NODES_OF_DOCUMENTS, (list(documents),)).fetchall()
    ids = [row[0] for row in rows]
    if ids:
        connection.execute(_DELETE_AT_NODES, {"ids": ids})
        connection.execute(_DELETE_NODES, (ids,))


def _compare(
    application: str, nodes: Iterable[Node], stored: Mapping[str, int]
) -> Difference[Row]:
    result, seen = Difference[Row](), set()
    for node in nodes:
        if node.application_id != application or node.id in seen:
            raise InputError(
                f"node {node.id} ({node.fqn}) of {node.application_id!r} is given twice, "
                f"or to application {application!r}"
            )
        seen.add(node.id)
        row = pack_node(node)
        if node.id not in stored:
            result.inserted.append(row)
        elif stored[node.id] != row[1]:
            result.updated.append(row)
        else:
            result.unchanged += 1
    result.delete_others(stored, seen)
    return result


def _forget_nodes(
    connection: Connection, ids: Sequence[str], *, keep_chunks: bool
) -> None:
    if not ids:
        return
    if not keep_chunks:
        _forget_chunks(connection, ids)
    connection.execute(_DELETE_MENTIONS_OF, (list(ids),))
    connection.execute(_DELETE_NODES, (list(ids),))


def _forget_chunks(connection: Connection, nodes: Sequence[str]) -> None:
    rows = connection.execute(_CHUNKS_OF_NODES, (list(nodes),)).fetchall()
    if not rows:
        return
    documents = sorted({row[1] for row in rows})
    lock_documents(connection, documents)
    rows = connection.execute(_CHUNKS_OF_NODES, (list(nodes),)).fetchall()
    chunks = [row[0] for row in rows]
    write_words(connection, gone=chunks)
    delete_chunks(connection, chunks)
    count_chunks(connection, documents)


def _write_nodes(connection: Connection, difference: Difference[Row]) -> None:
    if difference.updated:
        with staged_rows(connection, "nodes", COPY_NODES, difference.updated):
            connection.execute(UPDATE_NODES)
    if difference.inserted:
        copy_rows(connection, "nodes", COPY_NODES, difference.inserted)


def _write_edges(
    connection: Connection, application: str, edges: Iterable[Edge]
) -> tuple[list[Any], list[Any], list[Any]]:
    """Return the ends of the edges that were inserted, updated and deleted."""
    with _staged_edges(connection, edges):
        deleted = connection.execute(_DELETE_EDGES, (application,)).fetchall()
        updated = connection.execute(_UPDATE_EDGES).fetchall()
        inserted = connection.execute(_INSERT_EDGES, (application,)).fetchall()
    return inserted, updated, deleted


@contextmanager
def _staged_edges(connection: Connection, edges: Iterable[Edge]) -> Iterator[None]:
    with staged_rows(connection, "edges", COPY_EDGES, map(pack_edge, edges)):
        # Without statistics the server expects few rows, and compares them one by one.
        connection.execute("ANALYZE edges_stage")
        yield


def _set_metadata(
    connection: Connection, application: str, metadata: Mapping[str, Any] | None
) -> None:
    if metadata:
        given = to_json(dict(metadata))
        connection.execute(_SET_METADATA, (given, application, given))
