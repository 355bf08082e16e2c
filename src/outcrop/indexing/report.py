"""What a run of the indexer did, and how far it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from outcrop.codegraph import Graph
    from outcrop.store.graph import GraphReplaced


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A file that was found but not indexed.

    Attributes:
        path: The document's path.
        reason: Why: `binary`, `not UTF-8`, `unreadable` and so on.
    """

    path: str
    reason: str


@dataclass(slots=True, kw_only=True)
class GraphCounts:
    """What a run did to the code graph.

    Attributes:
        nodes: Nodes of the graphs that were built.
        edges: Their edges.
        nodes_written: Nodes that are new or different.
        nodes_deleted: Nodes that are no more.
        edges_written: Edges that are new or different.
        edges_deleted: Edges that are no more.
        mentions: Edges from documents to symbols that are different now.
        saturated: Values that could be more things than are followed.
        unfollowed: Values that were left when the budget for following them was spent.
    """

    nodes: int = 0
    edges: int = 0
    nodes_written: int = 0
    nodes_deleted: int = 0
    edges_written: int = 0
    edges_deleted: int = 0
    mentions: int = 0
    saturated: int = 0
    unfollowed: int = 0

    def add(self, graph: Graph, replaced: GraphReplaced) -> None:
        """Count a graph that was replaced."""
        self.nodes += len(graph.nodes)
        self.edges += len(graph.edges)
        self.nodes_written += replaced.nodes_inserted + replaced.nodes_updated
        self.nodes_deleted += replaced.nodes_deleted
        self.edges_written += replaced.edges_inserted + replaced.edges_updated
        self.edges_deleted += replaced.edges_deleted
        self.saturated += graph.report.saturated
        self.unfollowed += graph.report.unfollowed


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexReport:
    """What a run did, or what it would do.

    Attributes:
        added: Documents that are new, by path.
        changed: Documents with a new version.
        removed: Documents that are no more.
        unchanged: How many documents were left alone.
        problems: Files that could not be indexed.
        skipped: Why files were left out by the walk, and how many.
        outside_links: Links that lead out of the project and were not followed.
        secrets: Files that were left out because their names are those of secrets.
        chunks_inserted: New chunks.
        chunks_updated: Chunks whose row changed.
        chunks_unchanged: Chunks of changed documents that stayed as they were.
        chunks_deleted: Chunks that are no more, those of removed documents left out.
        embedded: Chunks that got an embedding.
        size_bytes: Size of the documents that were read anew.
        seconds: How long it took.
        dry_run: Whether nothing was written.
        graph: What happened to the code graph.
        notes: What the reader should know of the code graph, in words.
    """

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    unchanged: int = 0
    problems: list[Problem] = field(default_factory=list)
    skipped: Mapping[str, int] = field(default_factory=dict)
    outside_links: list[str] = field(default_factory=list)
    secrets: list[str] = field(default_factory=list)
    chunks_inserted: int = 0
    chunks_updated: int = 0
    chunks_unchanged: int = 0
    chunks_deleted: int = 0
    embedded: int = 0
    size_bytes: int = 0
    seconds: float = 0.0
    dry_run: bool = False
    graph: GraphCounts = field(default_factory=GraphCounts)
    notes: list[str] = field(default_factory=list)

    def statistics(self) -> dict[str, Any]:
        """Return the numbers as JSON values, as a run keeps them."""
        return {
            "added": len(self.added),
            "changed": len(self.changed),
            "removed": len(self.removed),
            "unchanged": self.unchanged,
            "problems": len(self.problems),
            "outside_links": len(self.outside_links),
            "secrets": len(self.secrets),
            "chunks_inserted": self.chunks_inserted,
            "chunks_updated": self.chunks_updated,
            "chunks_unchanged": self.chunks_unchanged,
            "chunks_deleted": self.chunks_deleted,
            "written_chunks": self.chunks_inserted + self.chunks_updated,
            "embedded": self.embedded,
            "size_bytes": self.size_bytes,
            "duration": round(self.seconds, 3),
            "graph": asdict(self.graph),
            "notes": self.notes,
        }

    @property
    def wrote(self) -> bool:
        """Whether anything in the index is different now."""
        return not self.dry_run and bool(self.added or self.changed or self.removed)


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphReport:
    """What building a code graph into the store did.

    Attributes:
        application: Its name.
        files: How many files it was built of.
        unchanged: Whether no file has changed, so that nothing was built.
        graph: What happened to nodes and edges.
        problems: What went wrong, in words.
        seconds: How long it took.
    """

    application: str
    files: int
    unchanged: bool = False
    graph: GraphCounts = field(default_factory=GraphCounts)
    problems: list[str] = field(default_factory=list)
    seconds: float = 0.0


# What a run does before it is its turn.
WAITING = "waiting for another run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a run is.

    Attributes:
        files: Files done.
        total_files: Files to do.
        size_bytes: Their size so far.
        total_bytes: Their size together.
        chunks: Chunks stored so far.
        doing: What is being done where that is not storing files; else empty.
    """

    files: int
    total_files: int
    size_bytes: int
    total_bytes: int
    chunks: int
    doing: str = ""

    @classmethod
    def of(cls, doing: str, *, total_files: int = 0, total_bytes: int = 0) -> Self:
        """Return how far a run is that stores no files at the moment."""
        return cls(
            files=0,
            total_files=total_files,
            size_bytes=0,
            total_bytes=total_bytes,
            chunks=0,
            doing=doing,
        )


OnProgress = Callable[[Progress], None]
