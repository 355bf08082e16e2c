"""What planning needs from the outside: nodes in, plans out, and a run to follow."""

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
    """What saving plans did.

    Attributes:
        written: Chunks that are new, or whose content has to be made again.
        skipped: Chunks that keep what they have.
        deleted: Chunks that no plan stands behind any more.
    """

    written: int = 0
    skipped: int = 0
    deleted: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Covered:
    """What some plans are all of: other chunks of it are deleted.

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
        """Return nodes in the order of their ids, from beyond one on."""
        ...

    def edges_from(
        self, ids: Sequence[str], kinds: Collection[EdgeKind] | None = None
    ) -> list[Edge]:
        """Return the edges from nodes."""
        ...

    def node_counts(self, application_id: str) -> list[tuple[str, int]]:
        """Return the files of an application with how many nodes each has, by path."""
        ...

    def nodes_in(self, application_id: str, paths: Sequence[str]) -> list[Node]:
        """Return the nodes in some files."""
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
            plans: What to write.
            application_id: The application they were made for.
            covered: What they are all of; the nodes of the plans where None.
        """
        ...

    def sweep(self, application_id: str, *, strategy: str) -> int:
        """Delete the chunks that another strategy has planned; return how many."""
        ...


class ChunkRunStore(Protocol):
    """Keeps track of runs, so that others can follow them."""

    def create(self, request: ChunkBuildRequest) -> int:
        """Note that a run has begun; return its id."""
        ...

    def progress(self, run_id: int, result: ChunkBuildResult) -> None:
        """Note how far a run is."""
        ...

    def note_errors(self, run_id: int, errors: Sequence[tuple[str, str]]) -> None:
        """Note what failed: (what it concerns, why)."""
        ...

    def finish(self, run_id: int, result: ChunkBuildResult) -> None:
        """Note that planning is over."""
        ...

    def fail(self, run_id: int, error: str) -> None:
        """Note that a run came to nothing."""
        ...
