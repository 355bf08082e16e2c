"""The interface of a strategy: nodes in, plans out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from outcrop.model.edge import Edge
    from outcrop.model.node import Node
    from outcrop.planning.plans import ChunkPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceText:
    """A file of code.

    Attributes:
        path: The document it is stored as.
        lang: Its language; None if unknown.
        text: Its text, which the offsets of the nodes refer to.
    """

    path: str
    lang: str | None
    text: str


@runtime_checkable
class ChunkStrategy(Protocol):
    """Plans each node by itself."""

    @property
    def name(self) -> str:
        """Names the strategy in requests and plans."""
        ...

    def build_chunks(self, node: Node, edges: Sequence[Edge]) -> list[ChunkPlan]:
        """Return the plans of a node.

        Args:
            node: The node to plan.
            edges: The edges from it.
        """
        ...


@runtime_checkable
class FileChunkStrategy(Protocol):
    """Plans all nodes of a file together, so that nothing in it is planned twice."""

    @property
    def name(self) -> str:
        """Names the strategy in requests and plans."""
        ...

    def build_file(
        self,
        source: SourceText,
        nodes: Sequence[Node],
        edges: Mapping[str, Sequence[Edge]],
    ) -> list[ChunkPlan]:
        """Return the plans of a file, in the order of its text.

        Args:
            source: The file.
            nodes: The nodes in it.
            edges: The edges from each node, by its id.
        """
        ...
