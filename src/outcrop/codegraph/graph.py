"""The graph of an application, and the report of the build that made it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING

from outcrop.model.node import NodeRef

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from outcrop.codegraph.parsed import ParsedFile
    from outcrop.model.edge import Edge, EdgeKind
    from outcrop.model.node import Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A file or folder that was not read.

    Attributes:
        path: POSIX path relative to the root.
        reason: Why it was left out.
    """

    path: str
    reason: str


@dataclass(slots=True)
class FlowReport:
    """How far values were followed.

    Attributes:
        fallbacks: Languages that were resolved at a lower level than requested.
        saturated: Values whose points-to set reached its maximum size.
        unfollowed: Values that were left when the budget was spent.
    """

    fallbacks: list[Skipped] = field(default_factory=list)
    saturated: int = 0
    unfollowed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildReport:
    """The outcome of a build, file by file where something went wrong.

    Attributes:
        parsed: Files that were parsed in this build.
        reused: Files whose facts were kept from an earlier build.
        with_errors: Files with syntax errors; the code around them was read.
        failed: Files that could not be read or parsed.
        skipped: Files and folders that were passed over.
        unknown: Extension of unknown text files -> how many there are.
        missing_grammars: Language whose grammar is not installed -> files of it.
        fallbacks: Files, or whole languages, resolved at a lower level than requested.
        saturated: Values whose points-to set reached its maximum size.
        unfollowed: Values that were left when the budget for following them was spent.
    """

    parsed: int = 0
    reused: int = 0
    with_errors: tuple[str, ...] = ()
    failed: tuple[Skipped, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    unknown: dict[str, int] = field(default_factory=dict)
    missing_grammars: dict[str, int] = field(default_factory=dict)
    fallbacks: tuple[Skipped, ...] = ()
    saturated: int = 0
    unfollowed: int = 0

    def lines(self) -> list[str]:
        """Return the report as lines of text, the problems first."""
        from outcrop.codegraph.languages import language

        found = [
            f"no grammar for {lang}: {count} files left out; "
            f"pip install 'outcrop[{language(lang).extra}]'"
            for lang, count in self.missing_grammars.items()
        ]
        found += [f"failed: {item.path}: {item.reason}" for item in self.failed]
        found += [f"fallback: {item.path}: {item.reason}" for item in self.fallbacks]
        found += [f"syntax errors: {path}" for path in self.with_errors]
        found += [f"skipped: {item.path}: {item.reason}" for item in self.skipped]
        if self.unknown:
            counts = ", ".join(f"{n} {e}" for e, n in sorted(self.unknown.items()))
            found.append(f"files in no known language: {counts}")
        reused = f", {self.reused} unchanged" if self.reused else ""
        return [*found, f"{self.parsed} files parsed{reused}"]


@dataclass(frozen=True, kw_only=True)
class Graph:
    """The nodes and edges of one application.

    Attributes:
        application: Its name.
        nodes: All definitions, in the order of files and places.
        edges: All relations, in the order of their sources.
        report: What the build read and what it left out.
        facts: What each file said, by path: give the graph to the next build, and
            files that have not changed are not parsed again.
        modules: The module name of each file, by path.
    """

    application: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    report: BuildReport = field(default_factory=BuildReport, compare=False)
    facts: Mapping[str, ParsedFile] = field(
        default_factory=dict, compare=False, repr=False
    )
    modules: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def by_id(self) -> dict[str, Node]:
        """Nodes by id."""
        return {node.id: node for node in self.nodes}

    @cached_property
    def refs(self) -> dict[str, NodeRef]:
        """References to the nodes, by id."""
        return {node.id: NodeRef.to(node) for node in self.nodes}

    @cached_property
    def _outgoing(self) -> dict[str, list[Edge]]:
        return _group(self.edges, "src")

    @cached_property
    def _incoming(self) -> dict[str, list[Edge]]:
        return _group(self.edges, "dst")

    def outgoing(self, node_id: str, kind: EdgeKind | None = None) -> list[Edge]:
        """Return the edges from a node."""
        return _of_kind(self._outgoing.get(node_id, ()), kind)

    def incoming(self, node_id: str, kind: EdgeKind | None = None) -> list[Edge]:
        """Return the edges to a node, or to the name of something external."""
        return _of_kind(self._incoming.get(node_id, ()), kind)

    def find(self, symbol: str) -> list[Node]:
        """Return the nodes a name may mean: a qualified name, its end, or a name."""
        exact = [node for node in self.nodes if node.fqn == symbol]
        if exact:
            return exact
        endings = tuple(f"{mark}{symbol}" for mark in (".", "::", "/"))
        return [
            node
            for node in self.nodes
            if node.name == symbol or node.fqn.endswith(endings)
        ]

    def name_of(self, end: str) -> str:
        """Return the qualified name of one end of an edge."""
        node = self.by_id.get(end)
        return node.fqn if node is not None else end


def _group(edges: Sequence[Edge], end: str) -> dict[str, list[Edge]]:
    groups: dict[str, list[Edge]] = {}
    for name, edge in zip(map(attrgetter(end), edges), edges, strict=True):
        found = groups.get(name)
        if found is None:
            groups[name] = [edge]
        else:
            found.append(edge)
    return groups


def _of_kind(edges: Iterable[Edge], kind: EdgeKind | None) -> list[Edge]:
    return [e for e in edges if e.kind == kind] if kind is not None else list(edges)
