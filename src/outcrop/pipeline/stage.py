"""What a stage is: chunks in, outcomes out. `STAGES` lists all of them in order.

A stage reads what it needs through its context and writes nothing. Run again on the
same chunks it gives the same outcomes, so it may be retried freely. A chunk that cannot
be done is an outcome too; only what concerns the whole batch, such as a model that does
not answer, is raised.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from outcrop.pipeline.embed import Embed
from outcrop.pipeline.extract_snippet import ExtractSnippet
from outcrop.pipeline.link_edges import LinkEdges
from outcrop.pipeline.render_doc import RenderDoc
from outcrop.pipeline.summarize import Summarize

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from outcrop.model.edge import Edge
    from outcrop.model.node import Node, NodeRef
    from outcrop.model.stored import StageOutcome, StoredChunk
    from outcrop.providers.embedder import Embedder
    from outcrop.sections.summaries import Summarizer


class SymbolNames(Protocol):
    """Finds the nodes that a name may mean."""

    def symbols(self, names: Collection[str]) -> Mapping[str, Sequence[NodeRef]]:
        """Return the nodes with these own or qualified names, by name."""
        ...


class StageContext(SymbolNames, Protocol):
    """Everything the stages read, and the models they call."""

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
        """Return the current text of a file, or None if it cannot be read."""
        ...

    def nodes(self, ids: Collection[str]) -> Mapping[str, Node]:
        """Return nodes by id; unknown ids are left out."""
        ...

    def node_refs(self, ids: Collection[str]) -> Mapping[str, NodeRef]:
        """Return references to nodes by id; unknown ids are left out."""
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

    def run(
        self, batch: Sequence[StoredChunk], context: StageContext
    ) -> list[StageOutcome]:
        """Work on a batch.

        Returns:
            One outcome per chunk, in the order of the batch.

        Raises:
            StageError: The whole batch failed, as where a model does not answer.
        """
        ...


# A chunk is searchable without these.
OPTIONAL_STAGES = (Summarize.name,)
STAGES: Mapping[str, Stage] = {
    stage.name: stage
    for stage in (ExtractSnippet(), RenderDoc(), Summarize(), Embed(), LinkEdges())
}
