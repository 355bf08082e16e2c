"""The part of the store that keeps code graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outcrop.errors import NotFoundError
from outcrop.model.ids import document_id
from outcrop.store import graph, graph_read
from outcrop.store.connected import ConnectedStore
from outcrop.store.lexical.maintain import tidy_words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from outcrop.model.application import Application
    from outcrop.model.edge import Edge, EdgeKind
    from outcrop.model.node import Node, NodeKind, NodeRef
    from outcrop.store.graph import GraphReplaced
    from outcrop.store.graph_read import DocumentChunk


# After fewer changes the database still knows how many rows there are.
_ANALYZE_FROM_ROWS = 1_000


class GraphStore(ConnectedStore):
    """Applications with their nodes and edges."""

    def put_application(
        self, name: str, metadata: Mapping[str, Any] | None = None
    ) -> str:
        """Store an application, or add to what is known of it; return its id.

        Raises:
            InputError: The name is blank.
        """
        with self._database.write() as connection:
            return graph.put_application(connection, name, metadata)

    def applications(self) -> list[Application]:
        """Return all applications by id."""
        return self._read(graph_read.read_applications)

    def get_application(self, application_id: str) -> Application:
        """Return one application.

        Raises:
            NotFoundError: There is none.
        """
        for found in self.applications():
            if found.id == application_id:
                return found
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
        """Put a graph in the place of an application's earlier one.

        Rows that are the same are not touched.

        Args:
            application_id: As `put_application` returned it.
            nodes: All nodes of the application.
            edges: All edges between them and to what is external.
            metadata: To be added to that of the application.
            keep_chunks: Keep the chunks of nodes that are no more; the caller
                replaces them itself.

        Raises:
            InputError: There is no such application, or a node is given twice.
            StorageError: The database refused; nothing was changed.
        """
        with self._database.write() as connection:
            replaced = graph.replace_graph(
                connection,
                application_id,
                nodes,
                edges,
                metadata=metadata,
                keep_chunks=keep_chunks,
            )
        if replaced.nodes_deleted and not keep_chunks:
            tidy_words(self._database)
        if replaced.rows_written >= _ANALYZE_FROM_ROWS:
            with self._database.autocommit() as connection:
                connection.execute("ANALYZE nodes, edges")
        return replaced

    def put_mentions(
        self, edges: Sequence[Edge], *, chunk_ids: Collection[str] | None = None
    ) -> int:
        """Make these edges all that some chunks mention.

        Args:
            edges: MENTIONS, from ids of chunks in the store to ids of nodes; one to a
                node that is no more is left out.
            chunk_ids: The chunks; those the edges come from where None.

        Returns:
            How many edges are different now.
        """
        chunks = {edge.src for edge in edges} if chunk_ids is None else chunk_ids
        with self._database.write() as connection:
            return graph.put_mentions(connection, edges, chunks)

    def mentions_pending(self) -> bool:
        """Whether edges of documents may be out of date."""
        return self._read(graph_read.read_mentions_pending)

    def set_mentions_pending(self, *, pending: bool) -> None:
        """Note that edges of documents are about to be, or no more, out of date."""
        with self._database.write() as connection:
            graph.set_mentions_pending(connection, pending=pending)

    def nodes_page(
        self,
        application_id: str,
        *,
        after: str = "",
        limit: int = 200,
        kinds: Collection[NodeKind] | None = None,
    ) -> list[Node]:
        """Return a page of an application's nodes, by id.

        Args:
            application_id: The application.
            after: The last id of the page before.
            limit: How many at most.
            kinds: Nodes of these kinds alone.
        """
        return self._read(
            lambda connection: graph_read.read_nodes_page(
                connection, application_id, after, limit, kinds
            )
        )

    def get_nodes(self, ids: Sequence[str]) -> list[Node]:
        """Return nodes in the order of the ids; unknown ones are left out."""
        if not ids:
            return []
        return self._read(lambda connection: graph_read.read_nodes(connection, ids))

    def find_nodes(self, symbol: str, *, limit: int = 20) -> list[Node]:
        """Return the nodes a symbol may mean, best first.

        Args:
            symbol: An id, a qualified name, the end of one, or a name.
            limit: How many at most.
        """
        return self._read(
            lambda connection: graph_read.find_nodes(connection, symbol, limit)
        )

    def resembling_nodes(self, text: str, *, limit: int = 20) -> list[Node]:
        """Return nodes whose name starts so, or whose qualified name holds it."""
        return self._read(
            lambda connection: graph_read.find_resembling(connection, text, limit)
        )

    def named_nodes(self, names: Collection[str]) -> list[NodeRef]:
        """Return the nodes of some own or qualified names, by id."""
        if not names:
            return []
        return self._read(lambda connection: graph_read.read_named(connection, names))

    def document_chunks(
        self,
        *,
        after: str = "",
        limit: int = 1000,
        paths: Collection[str] | None = None,
    ) -> list[DocumentChunk]:
        """Return a page of the chunks of documents that may mention nodes, by id.

        Args:
            after: The last id of the page before.
            limit: How many at most.
            paths: Of these documents alone.
        """
        ids = None if paths is None else [document_id(path) for path in paths]
        return self._read(
            lambda connection: graph_read.read_document_chunks(
                connection, after, limit, ids
            )
        )

    def edges_from(
        self, ids: Sequence[str], kinds: Collection[EdgeKind] | None = None
    ) -> list[Edge]:
        """Return the edges from nodes, or from chunks that mention nodes."""
        if not ids:
            return []
        return self._read(
            lambda connection: graph_read.read_edges_from(connection, ids, kinds)
        )

    def edges_to(
        self, ids: Sequence[str], kinds: Collection[EdgeKind] | None = None
    ) -> list[Edge]:
        """Return the edges to nodes, or to the names of what is external."""
        if not ids:
            return []
        return self._read(
            lambda connection: graph_read.read_edges_to(connection, ids, kinds)
        )
