"""What is shown of a stored code graph: its applications, a symbol and its links."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from outcrop.model.edge import EdgeKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from outcrop.model.edge import Edge, Resolution
    from outcrop.model.node import Node

_INHERITANCE = (EdgeKind.EXTENDS, EdgeKind.IMPLEMENTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """A project whose code graph is stored.

    Attributes:
        id: As in `Node.application_id`.
        name: What people call it.
        metadata: JSON values.
        nodes: How many nodes it has.
        created_at: When it was first stored.
    """

    id: str
    name: str
    metadata: dict[str, Any] = field(default_factory=dict)
    nodes: int = 0
    created_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """The other end of an edge.

    Attributes:
        node: The node there; None where it lies outside the project, or is a chunk.
        name: Its qualified name; of a chunk, the path and title of the document.
        kind: The kind of the edge.
        resolution: How it was found.
        confidence: 0 to 1.
        external: Whether it lies outside the project.
        chunk_id: The chunk there, where a document mentions the symbol.
    """

    node: Node | None
    name: str
    kind: EdgeKind
    resolution: Resolution
    confidence: float
    external: bool = False
    chunk_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SymbolView:
    """A node of the code graph and what is around it, each sorted by name.

    Attributes:
        node: The symbol.
        callers: What calls it.
        callees: What it calls.
        parents: What contains it.
        children: What it contains.
        bases: What it extends or implements.
        derived: What extends or implements it.
        overrides: What it overrides.
        overridden_by: What overrides it.
        imports: What it imports.
        imported_by: What imports it.
        mentions: Chunks of documents that name it.
    """

    node: Node
    callers: tuple[Link, ...] = ()
    callees: tuple[Link, ...] = ()
    parents: tuple[Link, ...] = ()
    children: tuple[Link, ...] = ()
    bases: tuple[Link, ...] = ()
    derived: tuple[Link, ...] = ()
    overrides: tuple[Link, ...] = ()
    overridden_by: tuple[Link, ...] = ()
    imports: tuple[Link, ...] = ()
    imported_by: tuple[Link, ...] = ()
    mentions: tuple[Link, ...] = ()

    def links(self) -> dict[str, tuple[Link, ...]]:
        """Return everything around the node by relation, the most used first."""
        return {name: getattr(self, name) for name in _RELATIONS}


_RELATIONS = [each.name for each in fields(SymbolView) if each.name != "node"]


def make_view(
    node: Node,
    outgoing: Sequence[Edge],
    incoming: Sequence[Edge],
    nodes: Mapping[str, Node],
    chunks: Mapping[str, str],
) -> SymbolView:
    """Return a node with its relations.

    `nodes` and `chunks` have the nodes, and the display names of the chunks, at the other
    ends of its edges, by id.
    """

    def link(edge: Edge, end: str) -> Link:
        other = nodes.get(end)
        return Link(
            node=other,
            name=other.fqn if other is not None else chunks.get(end, end),
            kind=edge.kind,
            resolution=edge.resolution,
            confidence=edge.confidence,
            external=edge.external,
            chunk_id=end if end in chunks else None,
        )

    def to(*kinds: EdgeKind) -> tuple[Link, ...]:
        return _sorted(link(e, e.dst) for e in outgoing if e.kind in kinds)

    def by(*kinds: EdgeKind) -> tuple[Link, ...]:
        return _sorted(link(e, e.src) for e in incoming if e.kind in kinds)

    return SymbolView(
        node=node,
        callers=by(EdgeKind.CALLS),
        callees=to(EdgeKind.CALLS),
        parents=by(EdgeKind.CONTAINS),
        children=to(EdgeKind.CONTAINS),
        bases=to(*_INHERITANCE),
        derived=by(*_INHERITANCE),
        overrides=to(EdgeKind.OVERRIDES),
        overridden_by=by(EdgeKind.OVERRIDES),
        imports=to(EdgeKind.IMPORTS),
        imported_by=by(EdgeKind.IMPORTS),
        mentions=by(EdgeKind.MENTIONS),
    )


def _sorted(links: Iterable[Link]) -> tuple[Link, ...]:
    return tuple(sorted(links, key=lambda each: (each.external, each.name, each.kind)))
