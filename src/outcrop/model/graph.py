"""A stored code graph as people look at it: its application, a symbol and its links."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime

    from outcrop.model.edge import EdgeKind, Resolution
    from outcrop.model.node import Node


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
        kind: What the edge says.
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
