"""What planning needs from its caller: a source of nodes, a writer, a run store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from outcrop.model.edge import Edge, EdgeKind
    from outcrop.model.node import Node, NodeKind
    from outcrop.planning.plans import (
        ChunkBuildRequest,
        ChunkBuildResult,
        ChunkPlan,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedPlans:
    """The result of saving plans.

    Attributes:
        written: Chunks that are new, or whose content has to be computed again.
        skipped: Chunks that did not change.
        deleted: Chunks that no longer have a plan.
    """

    written: int = 0
    skipped: int = 0
    deleted: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Covered:
    """The nodes and documents that some plans cover: their other chunks are deleted.

    Attributes:
        nodes: Ids of nodes.
        paths: Documents.
    """

    nodes: Collection[str] = ()
    paths: Collection[str] = ()


class NodeSource(Protocol):
    """Reads the nodes and edges of an application."""

    def nodes_page(
        self,
        application_id: str,
        *,
        after: str = "",
        limit: int = 200,
        kinds: Collection[NodeKind] | None = None,
    ) -> list[Node]:
        """Return nodes in the order of their ids, after one of them."""
        ...

    def edges_from(
        self, ids: Sequence[str], kinds: Collection[EdgeKind] | None = None
    ) -> list[Edge]:
        """Return the edges from nodes."""
        ...

    def node_counts(self, application_id: str) -> list[tuple[str, int]]:
        """Return the files of an application and their numbers of nodes, by path."""
        ...

    def nodes_in(self, application_id: str, paths: Sequence[str]) -> list[Node]:
        """Return the nodes of some files."""
        ...


class ChunkWriter(Protocol):
    """Writes plans."""

    def save_plan(
        self,
        plans: Sequence[ChunkPlan],
        *,
        application_id: str,
        covered: Covered | None = None,
    ) -> SavedPlans:
        """Write plans in one transaction.

        Args:
            plans: The plans to write.
            application_id: The application they belong to.
            covered: The nodes and documents they cover; their own nodes if None.
        """
        ...

    def sweep(self, application_id: str, *, strategy: str) -> int:
        """Delete the chunks of other strategies; return how many."""
        ...


class ChunkRunStore(Protocol):
    """Records runs, so that other processes can follow them."""

    def create(self, request: ChunkBuildRequest) -> int:
        """Record the start of a run; return its id."""
        ...

    def progress(self, run_id: int, result: ChunkBuildResult) -> None:
        """Record the progress of a run."""
        ...

    def note_errors(self, run_id: int, errors: Sequence[tuple[str, str]]) -> None:
        """Record failures as (subject, reason)."""
        ...

    def finish(self, run_id: int, result: ChunkBuildResult) -> None:
        """Record the end of planning."""
        ...

    def fail(self, run_id: int, error: str) -> None:
        """Record that a run failed."""
        ...
