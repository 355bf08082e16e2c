"""The part of a code graph that the chunks of one file need, in a form to be sent.

Pickling thousands of nodes and edges one by one takes longer than the work itself, so
they are plain tuples on the way. The text of a node is a part of its file's text.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from outcrop.model.edge import Edge, EdgeKind
from outcrop.model.node import Node, NodeRef

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from outcrop.codegraph import Graph

_NODE_FIELDS = [each.name for each in fields(Node)]
_values_of_node = attrgetter(*_NODE_FIELDS)
_setters = [getattr(Node, name).__set__ for name in _NODE_FIELDS]
_TEXT = _NODE_FIELDS.index("source_code")
_START, _END = map(_NODE_FIELDS.index, ("start_offset", "end_offset"))
_SRC, _DST = map(Edge._fields.index, ("src", "dst"))
_CONTAINS = EdgeKind.CONTAINS
# Marks a text that is the node's range of the file.
_IN_FILE = True

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class PackedFacts:
    """The nodes of a file, the edges at them, and the nodes at the other ends."""

    nodes: list[Row]
    outgoing: list[Row]
    incoming: list[Row]
    refs: list[Row]


def pack_facts(graph: Graph, nodes: Sequence[Node], text: str) -> PackedFacts:
    """Pack what a graph says of some nodes of one file, whose text is given."""
    outgoing = [edge for node in nodes for edge in graph.outgoing(node.id)]
    incoming = [
        edge
        for node in nodes
        for edge in graph.incoming(node.id)
        if edge.kind is not _CONTAINS
    ]
    ends = {edge.dst for edge in outgoing if not edge.external}
    ends.update(edge.src for edge in incoming)
    ends.difference_update(node.id for node in nodes)
    refs = graph.refs
    return PackedFacts(
        nodes=[_pack_node(node, text) for node in nodes],
        outgoing=list(map(tuple, outgoing)),
        incoming=list(map(tuple, incoming)),
        refs=[tuple(refs[end]) for end in sorted(ends) if end in refs],
    )


@dataclass(slots=True)
class Neighbourhood:
    """The nodes of some files with the edges at them; see `GraphFacts`."""

    by_id: dict[str, Node] = field(default_factory=dict)
    refs: dict[str, NodeRef] = field(default_factory=dict)
    _outgoing: dict[str, list[Edge]] = field(default_factory=dict)
    _incoming: dict[str, list[Edge]] = field(default_factory=dict)

    @property
    def nodes(self) -> Iterable[Node]:
        """The nodes of the files."""
        return self.by_id.values()

    def add(self, facts: PackedFacts, text: str) -> list[Node]:
        """Add the facts of a file; return its nodes."""
        nodes = [_unpack_node(row, text) for row in facts.nodes]
        for node in nodes:
            self.by_id[node.id] = node
            self.refs[node.id] = NodeRef.to(node)
        for row in facts.refs:
            if row[0] not in self.refs:
                self.refs[row[0]] = NodeRef._make(row)
        _add_edges(self._outgoing, facts.outgoing, _SRC)
        _add_edges(self._incoming, facts.incoming, _DST)
        return nodes

    def outgoing(self, node_id: str) -> list[Edge]:
        """Return the edges from a node of the files."""
        return self._outgoing.get(node_id, [])

    def incoming(self, node_id: str) -> list[Edge]:
        """Return the edges to a node of the files, but for its place in another."""
        return self._incoming.get(node_id, [])


def _pack_node(node: Node, text: str) -> Row:
    values = list(_values_of_node(node))
    start, end = values[_START], values[_END]
    if start is not None and text[start:end] == values[_TEXT]:
        values[_TEXT] = _IN_FILE
    return tuple(values)


def _unpack_node(row: Row, text: str) -> Node:
    # Its slots are filled directly, in half the time.
    node = object.__new__(Node)
    for fill, value in zip(_setters, row, strict=True):
        fill(node, value)
    if row[_TEXT] is _IN_FILE:
        _setters[_TEXT](node, text[row[_START] : row[_END]])
    return node


def _add_edges(edges: dict[str, list[Edge]], rows: Iterable[Row], end: int) -> None:
    """Add the edges of rows, grouped by one of their ends."""
    # As `_make` does, without its checks: there are hundreds of thousands.
    new: Callable[[type[Edge], Row], Edge] = tuple.__new__
    for row in rows:
        found = edges.get(row[end])
        if found is None:
            edges[row[end]] = [new(Edge, row)]
        else:
            found.append(new(Edge, row))
