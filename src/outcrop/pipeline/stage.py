"""What a stage is: chunks in, facts out.

A stage reads what it needs through its context and writes nothing. Run again on the
same chunks it finds the same facts, so whoever runs it may do so as often as it takes.
One chunk that cannot be done is a fact too; only what concerns the whole batch, such
as a model that does not answer, is raised.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from outcrop.model.stored import StoredChunk as StagedChunk
from outcrop.planning.facts import ChunkValues, Facts

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from outcrop.model.edge import Edge
    from outcrop.model.node import Node
    from outcrop.providers.embedder import Embedder
    from outcrop.sections.summaries import Summarizer

__all__ = ["ChunkValues", "Facts", "Place", "Stage", "StageContext", "StagedChunk"]


class Place(NamedTuple):
    """A node as others refer to it.

    Attributes:
        id: The node's id.
        fqn: Its qualified name.
        name: Its own name.
        kind: A `NodeKind`.
        path: Its file; None where it has none.
        line: Its first line.
    """

    id: str
    fqn: str
    name: str
    kind: str
    path: str | None
    line: int | None


class StageContext(Protocol):
    """What stages read, and the models they ask."""

    @property
    def embedder(self) -> Embedder:
        """Makes the embeddings."""
        ...

    @property
    def summarizer(self) -> Summarizer:
        """Writes the explanations."""
        ...

    @property
    def count(self) -> Callable[[str], int]:
        """Counts tokens."""
        ...

    def read_text(self, path: str) -> str | None:
        """Return the text of a file as it is now, or None where there is none."""
        ...

    def nodes(self, ids: Collection[str]) -> Mapping[str, Node]:
        """Return nodes by id; unknown ids are left out."""
        ...

    def places(self, ids: Collection[str]) -> Mapping[str, Place]:
        """Return where nodes are, by id; unknown ids are left out."""
        ...

    def symbols(self, names: Collection[str]) -> Mapping[str, Sequence[Place]]:
        """Return what names may mean: nodes of that own name or qualified name."""
        ...

    def edges_from(self, ids: Collection[str]) -> Mapping[str, Sequence[Edge]]:
        """Return the edges from nodes, by the node they come from."""
        ...

    def edges_to(self, ids: Collection[str]) -> Mapping[str, Sequence[Edge]]:
        """Return the edges to nodes, by the node they lead to."""
        ...


class Stage(Protocol):
    """One step of the pipeline."""

    @property
    def name(self) -> str:
        """Names the stage in plans, runs and errors."""
        ...

    def run(self, batch: Sequence[StagedChunk], context: StageContext) -> list[Facts]:
        """Work on a batch.

        Returns:
            One value a chunk, in the order of the batch.

        Raises:
            StageError: The whole batch failed, as where a model does not answer.
        """
        ...
