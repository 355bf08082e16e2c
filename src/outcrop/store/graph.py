"""Code graphs: applications, and replacing the graph of one in one transaction.

The stored graph of an application is compared with the new one: equal rows stay as they
are, others are written, and rows that the new graph lacks are deleted. Readers see
either the old graph or the new one.

Whoever changes a graph first locks its application, then the documents concerned in the
order of their ids, then edges in the order of their keys, so that writers wait for each
other but never deadlock.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from outcrop.errors import InputError, NotFoundError
from outcrop.model.graph import Application
from outcrop.store.bulk import (
    Difference,
    Row,
    analyze,
    copy_rows,
    indexed_afterwards,
    lock_documents,
    staged_rows,
)
from outcrop.store.chunks import count_chunks, delete_chunks
from outcrop.store.connected import ConnectedStore
from outcrop.store.edges import (
    DELETE_EDGES,
    NOT_STAGED,
    SAME_EDGE,
    UPDATE_EDGES,
    copy_edges,
    is_without_graph,
    staged_edges,
)
from outcrop.store.lexical.maintain import tidy_words
from outcrop.store.lexical.write import write_words
from outcrop.store.nodes import COPY_NODES, pack_node
from outcrop.store.packing import to_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from outcrop.model.edge import Edge
    from outcrop.model.node import Node
    from outcrop.store.database import Connection

# After fewer changes the statistics of the database are still good enough.
_ANALYZE_FROM_ROWS = 1_000
# Fewer rows are added to the indexes in less time than these are built.
_INDEX_AFTER_ROWS = 1_000

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
_APPLICATIONS = """
SELECT a.id, a.name, a.metadata,
    (SELECT count(*) FROM nodes n WHERE n.application_id = a.id), a.created_at
FROM applications a ORDER BY a.id
"""
_IS_EMPTY = """
SELECT NOT EXISTS (SELECT FROM nodes) AND NOT EXISTS (SELECT FROM edges)
"""
_READ_NODES = "SELECT id, row_hash FROM nodes WHERE application_id = %s"
_UPDATE_NODES = (
    f"UPDATE nodes n SET {', '.join(f'{name} = s.{name}' for name in COPY_NODES)}"  # noqa: S608 - names of columns
    " FROM nodes_stage s WHERE n.id = s.id"
)
_COUNT_EDGES = "SELECT count(*) FROM edges WHERE application_id = %s"
_DELETE_NODES = "DELETE FROM nodes WHERE id = ANY(%s)"
_NODES_OF_DOCUMENTS = "SELECT id, application_id FROM nodes WHERE document_id = ANY(%s)"
_CHUNKS_OF_NODES = "SELECT id, document_id FROM chunks WHERE node_id = ANY(%s)"
_DELETE_EDGES = DELETE_EDGES.format(condition=f"application_id = %s AND {NOT_STAGED}")
_DELETE_EDGES += "RETURNING e.src, e.dst"
_INSERT_EDGES = f"""
INSERT INTO edges (src, dst, kind, resolution, confidence, external, application_id)
SELECT s.src, s.dst, s.kind, s.resolution, s.confidence, s.external, %s
FROM edges_stage s WHERE NOT EXISTS (SELECT FROM edges e WHERE {SAME_EDGE})
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


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphReplaced:
    """What replacing a graph did.

    Attributes:
        nodes_inserted: New nodes.
        nodes_updated: Nodes whose row changed.
        nodes_unchanged: Nodes that were left alone.
        nodes_deleted: Nodes that no longer exist.
        edges_inserted: New edges.
        edges_updated: Edges whose label changed.
        edges_deleted: Edges that no longer exist.
        changed: Ids of nodes that were inserted, updated or deleted.
        touched: Ids of nodes, and external names, with an edge that was inserted,
            updated or deleted; empty if there was no graph before.
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
        """The number of rows that changed."""
        return (
            self.nodes_inserted
            + self.nodes_updated
            + self.nodes_deleted
            + self.edges_inserted
            + self.edges_updated
            + self.edges_deleted
        )


class Graphs(ConnectedStore):
    """Applications with their nodes and edges."""

    def put_application(
        self, name: str, metadata: Mapping[str, Any] | None = None
    ) -> str:
        """Store an application, or add to its metadata; return its id, its name.

        Raises:
            InputError: The name is blank.
        """
        if not name.strip() or "\0" in name:
            raise InputError(
                f"{name!r} is not the name of an application: it is blank or has a NUL"
            )
        with self._database.write() as connection:
            added = to_json(dict(metadata or {}))
            connection.execute(_PUT_APPLICATION, (name, name, added))
        return name

    def applications(self) -> list[Application]:
        """Return all applications by id."""
        return [
            Application(
                id=key, name=name, metadata=metadata, nodes=nodes, created_at=made
            )
            for key, name, metadata, nodes, made in self._fetch(_APPLICATIONS)
        ]

    def get_application(self, application_id: str) -> Application:
        """Return one application.

        Raises:
            NotFoundError: No application has this id.
        """
        for application in self.applications():
            if application.id == application_id:
                return application
        raise NotFoundError(f"there is no application {application_id!r} in the index")

    def replace_graph(
        self,
        application_id: str,
        nodes: Iterable[Node],
        edges: Iterable[Edge],
        *,
        metadata: Mapping[str, Any] | None = None,
        keep_chunks: bool = False,
    ) -> GraphReplaced:
        """Replace an application's graph.

        `metadata` is added to the application's. The chunks of deleted nodes are kept
        for a caller who replaces them, with `keep_chunks`.

        Raises:
            InputError: There is no such application, or a node belongs to another one
                or is given twice.
            StorageError: The database refused; nothing was changed.
        """
        with self._database.write() as connection:
            # New nodes belong to the application, which this transaction locks.
            self._trust_references(connection)
            replaced = _replace_graph(
                connection, application_id, nodes, edges, keep_chunks=keep_chunks
            )
            if metadata:
                added = to_json(dict(metadata))
                connection.execute(_SET_METADATA, (added, application_id, added))
        self._settle(replaced, keep_chunks=keep_chunks)
        return replaced

    def update_nodes(
        self,
        application_id: str,
        nodes: Sequence[Node],
        *,
        metadata: Mapping[str, Any],
    ) -> None:
        """Update the rows of stored nodes; everything else of a graph stays as it is.

        `metadata` is added to the application's.
        """
        added = to_json(dict(metadata))
        with self._database.write() as connection:
            connection.execute(_LOCK_APPLICATION, (application_id,))
            rows = [pack_node(node) for node in nodes]
            _write_nodes(connection, Difference[Row](updated=rows))
            connection.execute(_SET_METADATA, (added, application_id, added))

    def count_edges(self, application_id: str) -> int:
        """Return the number of edges of an application's graph."""
        return int(self._fetch(_COUNT_EDGES, (application_id,))[0][0])

    def _settle(self, replaced: GraphReplaced, *, keep_chunks: bool) -> None:
        """Bring words and statistics up to date after a graph was replaced."""
        if replaced.nodes_deleted and not keep_chunks:
            tidy_words(self._database)
        if replaced.rows_written >= _ANALYZE_FROM_ROWS:
            with self._database.autocommit() as connection:
                analyze(connection, ("nodes", "edges"))


def lock_graphs(connection: Connection, documents: Sequence[str]) -> None:
    """Lock the applications with nodes in some documents, before the documents."""
    rows = connection.execute(_NODES_OF_DOCUMENTS, (list(documents),)).fetchall()
    for application in sorted({row[1] for row in rows}):
        connection.execute(_LOCK_APPLICATION, (application,))


def forget_documents(connection: Connection, documents: Sequence[str]) -> None:
    """Delete the nodes and edges of documents that are about to be deleted."""
    rows = connection.execute(_NODES_OF_DOCUMENTS, (list(documents),)).fetchall()
    ids = [row[0] for row in rows]
    if ids:
        connection.execute(_DELETE_AT_NODES, {"ids": ids})
        connection.execute(_DELETE_NODES, (ids,))


def _replace_graph(
    connection: Connection,
    application: str,
    nodes: Iterable[Node],
    edges: Iterable[Edge],
    *,
    keep_chunks: bool,
) -> GraphReplaced:
    if connection.execute(_LOCK_APPLICATION, (application,)).fetchone() is None:
        raise InputError(f"there is no application {application!r}; store it first")
    rows = connection.execute(_READ_NODES, (application,)).fetchall()
    stored: dict[str, int] = dict(rows)
    difference = _compare(application, nodes, stored)
    _forget_nodes(connection, difference.deleted, keep_chunks=keep_chunks)
    is_first = len(difference.inserted) >= _INDEX_AFTER_ROWS and connection.execute(
        _IS_EMPTY
    ).fetchone() == (True,)
    tables = ("nodes", "edges")
    with indexed_afterwards(connection, tables) if is_first else nullcontext():
        _write_nodes(connection, difference)
        inserted, updated, deleted = _write_edges(connection, application, edges)
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
            connection.execute(_UPDATE_NODES)
    if difference.inserted:
        copy_rows(connection, "nodes", COPY_NODES, difference.inserted)


def _write_edges(
    connection: Connection, application: str, edges: Iterable[Edge]
) -> tuple[list[Any], list[Any], list[Any]]:
    """Return the ends of the edges that were inserted, updated and deleted."""
    if is_without_graph(connection):
        return copy_edges(connection, application, edges), [], []
    with staged_edges(connection, edges):
        deleted = connection.execute(_DELETE_EDGES, (application,)).fetchall()
        updated = connection.execute(UPDATE_EDGES).fetchall()
        inserted = connection.execute(_INSERT_EDGES, (application,)).fetchall()
    return inserted, updated, deleted
