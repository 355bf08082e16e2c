"""Updates the graph where changed files keep their shape, without the other files.

Such files have the same nodes and edges as before, at other places: comments,
documentation, layout. Their rows are written again, and the chunks that link to a node
by its line. Everything else stays as it is, as after building the whole graph.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from outcrop.codegraph import Graph
from outcrop.codegraph.parse_files import parse_files
from outcrop.codegraph.parsed import load_facts
from outcrop.codegraph.source import Source
from outcrop.codegraph.symbols import SymbolTable
from outcrop.indexing.code.graph import (
    FACTS_VERSION,
    GRAPH,
    fingerprint_files,
    make_facts,
)
from outcrop.indexing.files.content import read_content
from outcrop.model.edge import EdgeKind
from outcrop.model.node import Node, NodeKind
from outcrop.pipeline.link_edges import move_links
from outcrop.store.edges import MAX_NAME

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from outcrop.codegraph.parsed import ParsedFile
    from outcrop.indexing.code.applications import ApplicationFiles
    from outcrop.model.edge import Edge
    from outcrop.model.node import NodeRef
    from outcrop.store.facts import FileFacts, FileShape
    from outcrop.store.store import PostgresStore

# The file, and the range of the text.
_Place = tuple[str, int, int]
# Chunks name neither: they follow from the place of the text.
_UNNAMED = frozenset({EdgeKind.CONTAINS, EdgeKind.MENTIONS})


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeUpdate:
    """What changed files do to a graph whose names and relations stay the same.

    Attributes:
        graph: The nodes of the files to prepare again, and the edges at them.
        changed: The nodes whose row differs from the stored one.
        lines: The new lines of nodes that moved, by id.
        paths: The files to prepare again.
        linking: Other files, with chunks that link to nodes that moved.
        facts: The new facts of the changed files, by path.
    """

    graph: Graph
    changed: list[Node]
    lines: Mapping[str, int]
    paths: set[str]
    linking: set[str]
    facts: Mapping[str, FileFacts]

    def notes(self) -> list[str]:
        """Return remarks on the changed files for the user."""
        facts = sorted(self.graph.facts.values(), key=lambda each: each.path)
        return [f"{each.path}: {each.fallback}" for each in facts if each.fallback]

    def store(self, store: PostgresStore) -> None:
        """Write the changed nodes, the links to them, and the facts."""
        application = self.graph.application
        store.update_nodes(application, self.changed, metadata={GRAPH: None})
        store.relink_chunks(self.linking, partial(move_links, lines=self.lines))
        store.put_file_facts(application, FACTS_VERSION, self.facts)


def find_shape_update(
    store: PostgresStore, group: ApplicationFiles, changed: Collection[str], state: str
) -> ShapeUpdate | None:
    """Return the update of a graph by changed files that all keep their shape.

    The stored graph is complete for the files with the fingerprint `state`.

    Returns:
        The update, not stored yet; None if the whole graph has to be built.
    """
    known = store.file_shapes(group.name, FACTS_VERSION)
    if known.keys() != set(group.graph_sources()) or state != fingerprint_files(
        (group.inner_path(path), shape.digest) for path, shape in known.items()
    ):
        return None
    facts = _parse(group, [path for path in known if path in changed])
    if facts is None:
        return None
    kept = {p: make_facts(each, known[p].module) for p, each in facts.items()}
    for path, each in kept.items():
        # A file with the same content is planned again because of other settings,
        # which may concern more than files.
        is_same = each.shape.digest == known[path].digest
        if is_same or each.shape.shape != known[path].shape:
            return None
    return _MovedNodes(store, group, known, facts).find(kept)


def _parse(
    group: ApplicationFiles, paths: Iterable[str]
) -> dict[str, ParsedFile] | None:
    """Return the facts of files by path; None if one cannot be read."""
    files = []
    for path in paths:
        lang = group.files[path].lang
        if lang is None or not group.files[path].has_grammar:
            return None
        files.append((group.inner_path(path), lang))
    outcomes = parse_files(group.root, files)
    facts = {group.document_path(o.path): o.facts for o in outcomes}
    found = {path: each for path, each in facts.items() if each is not None}
    return found if len(found) == len(facts) else None


class _MovedNodes:
    """Finds the nodes that move, and the files whose chunks name them."""

    def __init__(
        self,
        store: PostgresStore,
        group: ApplicationFiles,
        known: Mapping[str, FileShape],
        facts: Mapping[str, ParsedFile],
    ) -> None:
        self._store = store
        self._group = group
        self._known = known
        self._facts = facts
        modules = {each.path: known[path].module for path, each in facts.items()}
        table = SymbolTable(list(facts.values()), modules, group.name)
        self._new = {node.id: self._placed(node) for node in table.nodes()}
        self._old = {n.id: n for n in store.nodes_in(group.name, list(facts))}

    def find(self, kept: Mapping[str, FileFacts]) -> ShapeUpdate | None:
        """Return the update; None if the stored nodes are not those of the files."""
        self._move_endpoints()
        if self._new.keys() != self._old.keys():
            return None
        changed = [node for key, node in self._new.items() if node != self._old[key]]
        lines = {
            node.id: node.line_start
            for node in changed
            if node.line_start and node.line_start != self._old[node.id].line_start
        }
        ends = {end for edge in self._edges([*lines]) for end in (edge.src, edge.dst)}
        paths = {*kept, *(node.file_path for node in changed if node.file_path)}
        graph = self._graph(paths)
        if graph is None:
            return None
        refs = self._store.node_refs(ends)
        return ShapeUpdate(
            graph=graph,
            changed=changed,
            lines=lines,
            paths=paths,
            linking={ref.path for ref in refs if ref.path} - paths,
            facts=kept,
        )

    def _placed(self, node: Node) -> Node:
        if node.file_path is None or self._group.is_project:
            return node
        return node._replace(file_path=self._group.document_path(node.file_path))

    def _move_endpoints(self) -> None:
        """Add the endpoints of the files, and those elsewhere that have their handlers."""
        calls = self._store.edges_to(list(self._new), [EdgeKind.CALLS])
        handlers = {edge.src: self._new[edge.dst] for edge in calls}
        callers = self._store.node_refs(handlers.keys() - self._old.keys())
        far = [ref.id for ref in callers if ref.kind == NodeKind.ENDPOINT]
        self._old.update({node.id: node for node in self._store.get_nodes(far)})
        moves = self._moves()
        for node in self._old.values():
            if node.kind != NodeKind.ENDPOINT:
                continue
            place = (node.file_path or "", node.start_offset or 0, node.end_offset or 0)
            moved = node
            if node.file_path in self._facts:
                if place not in moves:
                    continue
                moved = self._moved(node, *moves[place])
            if node.id in handlers:
                moved = moved._replace(doc_comment=handlers[node.id].doc_comment)
            self._new[node.id] = moved

    def _moved(self, node: Node, start: int, end: int, *lines: int) -> Node:
        """Return an endpoint at its new place."""
        text = self._facts[node.file_path or ""].text
        line_start, line_end = lines
        return node._replace(
            source_code=text[start:end],
            start_offset=start,
            end_offset=end,
            line_start=line_start,
            line_end=line_end,
        )

    def _moves(self) -> dict[_Place, tuple[int, int, int, int]]:
        """Return the new place of definitions and routes by the old one.

        Only files with endpoints are read.
        """
        endpoints = [n for n in self._old.values() if n.kind == NodeKind.ENDPOINT]
        paths = self._facts.keys() & {node.file_path for node in endpoints}
        stored = self._store.file_facts(self._group.name, FACTS_VERSION, paths)
        moves = {}
        for path, data in stored.items():
            old, new = load_facts(data), self._facts[path]
            for before, after in zip(_places(old), _places(new), strict=True):
                moves[path, before[0], before[1]] = after
        return moves

    def _graph(self, paths: set[str]) -> Graph | None:
        """Return the nodes of some files, with the edges at them and their other ends."""
        others = paths - self._facts.keys()
        facts = self._read(others)
        if facts.keys() != others:
            return None
        nodes = {
            node.id: node for node in self._store.nodes_in(self._group.name, [*others])
        }
        nodes |= self._new
        edges = self._edges([*nodes])
        if any(edge.external and len(edge.dst) >= MAX_NAME for edge in edges):
            return None  # the store has only the beginning of its name
        ends = {end for edge in edges for end in (edge.src, edge.dst)}
        order = {key: number for number, key in enumerate(self._ids(facts))}
        ordered = sorted(
            nodes.values(), key=lambda node: order.get(node.id, len(order))
        )
        beyond = self._store.node_refs(ends - nodes.keys())
        return Graph(
            application=self._group.name,
            nodes=(*ordered, *map(self._neighbour, beyond)),
            edges=tuple(edges),
            facts={
                each.path: each for each in (*self._facts.values(), *facts.values())
            },
        )

    def _read(self, paths: Collection[str]) -> dict[str, ParsedFile]:
        """Return the stored facts of unchanged files, with their texts."""
        stored = self._store.file_facts(self._group.name, FACTS_VERSION, paths)
        found = {}
        for path, data in stored.items():
            content = read_content(self._group.files[path].file)
            facts = load_facts(data)
            if content is not None and content.digest == facts.digest:
                found[path] = facts._replace(text=Source(content.data).text)
        return found

    def _ids(self, facts: Mapping[str, ParsedFile]) -> list[str]:
        """Return the ids of the definitions in unchanged files, in order."""
        modules = {each.path: self._known[path].module for path, each in facts.items()}
        return SymbolTable(list(facts.values()), modules, self._group.name).ids

    def _edges(self, ids: list[str]) -> list[Edge]:
        """Return the edges at nodes, in the order of a graph."""
        found = [*self._store.edges_from(ids), *self._store.edges_to(ids)]
        named = {(e.src, e.kind, e.dst): e for e in found if e.kind not in _UNNAMED}
        return [named[key] for key in sorted(named)]

    def _neighbour(self, ref: NodeRef) -> Node:
        """Return a node with what others say of it."""
        return Node(
            id=ref.id,
            application_id=self._group.name,
            kind=NodeKind(ref.kind),
            lang="",
            name=ref.name,
            package_name=None,
            fqn=ref.fqn,
            signature=None,
            doc_comment=None,
            source_code=None,
            file_path=ref.path,
            line_start=ref.line,
            line_end=None,
        )


def _places(facts: ParsedFile) -> list[tuple[int, int, int, int]]:
    """Return the places of a file's definitions, then of its routes."""
    symbols = [(s.start, s.end, s.line_start, s.line_end) for s in facts.symbols]
    return symbols + [(r.start, r.end, r.line_start, r.line_end) for r in facts.routes]
