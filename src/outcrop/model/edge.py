"""An edge of the code graph, labelled with how it was found."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class EdgeKind(StrEnum):
    """How the two ends of an edge are related."""

    CONTAINS = "CONTAINS"
    CALLS = "CALLS"
    IMPORTS = "IMPORTS"
    EXTENDS = "EXTENDS"
    IMPLEMENTS = "IMPLEMENTS"
    OVERRIDES = "OVERRIDES"
    MENTIONS = "MENTIONS"


class Resolution(StrEnum):
    """How the target of an edge was found."""

    EXACT = "exact"
    """The binding is certain by scope, imports and declared types."""

    FLOW = "flow"
    """Values were followed through assignments, arguments, returns, attributes."""

    HEURISTIC = "heuristic"
    """Only name and arity agree."""


class Edge(NamedTuple):
    """A relation between two nodes, or from a node to a name outside the project.

    A large project has hundreds of thousands, and a tuple is made, sorted and sent in a
    fraction of the time that a dataclass takes.

    Attributes:
        src: Id of the source node.
        dst: Id of the target node; its qualified name where `external`.
        kind: How the two are related.
        resolution: How the target was found.
        confidence: 0 to 1; 1 for what is certain.
        external: Whether the target lies outside the project.
    """

    src: str
    dst: str
    kind: EdgeKind
    resolution: Resolution = Resolution.EXACT
    confidence: float = 1.0
    external: bool = False
