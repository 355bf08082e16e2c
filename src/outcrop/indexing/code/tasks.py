"""Divides the files of an application into tasks, each with its part of the graph.

Pickling thousands of nodes and edges one by one takes longer than the work itself, so
they are plain tuples on the way. The text of a node is a part of its file's text.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from outcrop.indexing.files.kinds import CODE, SYMBOL
from outcrop.model.edge import Edge, EdgeKind
from outcrop.model.node import Node, NodeRef

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from outcrop.codegraph import Graph
    from outcrop.codegraph.parsed import ParsedFile
    from outcrop.indexing.code.applications import ApplicationFiles
    from outcrop.indexing.files.content import Content

_TEXT = Node._fields.index("source_code")
_START, _END = map(Node._fields.index, ("start_offset", "end_offset"))
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


_NO_FACTS = PackedFacts([], [], [], [])


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
    start, end = node.start_offset, node.end_offset
    if start is not None and text[start:end] == node.source_code:
        return (*node[:_TEXT], _IN_FILE, *node[_TEXT + 1 :])
    return tuple(node)


def _unpack_node(row: Row, text: str) -> Node:
    if row[_TEXT] is _IN_FILE:
        row = (*row[:_TEXT], text[row[_START] : row[_END]], *row[_TEXT + 1 :])
    return Node._make(row)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeTask:
    """A file of code to make a document of, or nodes without a file.

    Attributes:
        application: The name of its application.
        path: The document's path.
        kind: `code`, or `symbol` for nodes without a file.
        lang: The language.
        file: Path of the file.
        modified_ns: Time of its last change.
        text: Its text, as the code graph read it; None where it did not.
        digest: The hash of the file that the text is of.
        content: The content of a file that the graph did not read, if it is known.
        facts: What the graph knows of it.
    """

    application: str
    path: str
    kind: str = CODE
    lang: str | None = None
    file: str = ""
    modified_ns: int | None = None
    text: str | None = None
    digest: str = ""
    content: Content | None = None
    facts: PackedFacts


class CodeDocuments:
    """The documents of one application.

    The nodes of its graph have the paths of documents as their files. `contents` has
    the files that were read before, by path; each is taken out once.
    """

    def __init__(
        self, group: ApplicationFiles, graph: Graph, contents: dict[str, Content]
    ) -> None:
        self._contents = contents
        self._group = group
        self._graph = graph
        self._facts: dict[str, ParsedFile] = {
            group.document_path(path): facts for path, facts in graph.facts.items()
        }
        self._nodes: dict[str | None, list[Node]] = {}
        for node in graph.nodes:
            self._nodes.setdefault(node.file_path, []).append(node)

    def tasks(self, paths: Sequence[str]) -> Iterator[tuple[CodeTask, int]]:
        """Yield the tasks of files, each with its size in bytes."""
        for path in paths:
            file = self._group.files[path]
            facts, nodes = self._facts.get(path), self._nodes.get(path, [])
            task = CodeTask(
                application=self._group.name,
                path=path,
                lang=file.lang,
                file=str(file.file),
                modified_ns=file.modified_ns,
                text=None if facts is None else facts.text,
                digest="" if facts is None else facts.digest,
                content=self._contents.pop(path, None) if facts is None else None,
                facts=_NO_FACTS
                if facts is None
                else pack_facts(self._graph, nodes, facts.text),
            )
            yield task, file.size if facts is None else len(facts.text)

    def symbol_tasks(self) -> Iterator[tuple[CodeTask, int]]:
        """Yield the tasks of nodes without a file, as `tasks` does."""
        by_name: dict[str, list[Node]] = {}
        for node in self._nodes.get(None, []):
            by_name.setdefault(node.fqn, []).append(node)
        for name, nodes in by_name.items():
            facts = pack_facts(self._graph, nodes, "")
            task = CodeTask(
                application=self._group.name,
                path=name,
                kind=SYMBOL,
                lang=nodes[0].lang,
                facts=facts,
            )
            yield task, len(nodes)

    def digests(self) -> dict[str, str]:
        """Return the hashes of the files that the graph read, by path."""
        return {path: facts.digest for path, facts in self._facts.items()}
