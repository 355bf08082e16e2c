"""What is related to a symbol or a chunk, and how that is known."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outcrop.model.hit import Hit


class Relation(StrEnum):
    """What the other end of an edge is."""

    CALLER = "caller"
    CALLEE = "callee"
    PARENT = "parent"
    CHILD = "child"
    BASE = "base"
    DERIVED = "derived"
    MENTION = "mention"
    """A document names the symbol, or is the one that names it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    """A chunk at the other end of an edge.

    Attributes:
        hit: The chunk; its score is how strong the relation is, from 0 to 1.
        relation: Its relation to the chunk or symbol of the request.
        confidence: How sure the edge is, from 0 to 1.
        resolution: How the edge was found: `exact`, `flow` or `heuristic`.
    """

    hit: Hit
    relation: Relation
    confidence: float
    resolution: str
