"""The report and the progress of an index run, and what its writers report to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any, Self

from outcrop.model.stored import ChunkChanges

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
    """The changes of a run to the code graph.

    Attributes:
        nodes: Nodes of the graphs that were built.
        edges: Their edges.
        nodes_written: New and changed nodes.
        nodes_deleted: Deleted nodes.
        edges_written: New and changed edges.
        edges_deleted: Deleted edges.
        mentions: Changed edges from documents to symbols.
        saturated: Values with more possible objects than are followed.
        unfollowed: Values that were not followed because the budget was spent.
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

    def __iadd__(self, other: GraphCounts) -> Self:
        """Add the changes to other graphs."""
        for each in fields(self):
            total = getattr(self, each.name) + getattr(other, each.name)
            setattr(self, each.name, total)
        return self

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
    """What a run did, or would do.

    Attributes:
        added: Paths of new documents.
        changed: Paths of changed documents.
        removed: Paths of removed documents.
        unchanged: Number of unchanged documents.
        problems: Files that could not be indexed.
        skipped: Number of files that the walk skipped, by reason.
        outside_links: Links that lead out of the project and were not followed.
        secrets: Files that were skipped because their names suggest secrets.
        chunks_inserted: New chunks.
        chunks_updated: Chunks whose row changed.
        chunks_unchanged: Unchanged chunks of changed documents.
        chunks_deleted: Deleted chunks, except those of removed documents.
        embedded: Chunks that were embedded.
        size_bytes: Size of the new and changed documents.
        seconds: Duration.
        dry_run: Whether nothing was written.
        graph: The changes to the code graph.
        notes: Remarks on the code graph for the user.
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
        """Return the counts as JSON values for the run's statistics."""
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
        """Whether the index changed."""
        return not self.dry_run and bool(self.added or self.changed or self.removed)


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphReport:
    """The result of building and storing a code graph.

    Attributes:
        application: Its name.
        files: Number of files it was built from.
        unchanged: Whether no file has changed, so that nothing was built.
        graph: The changes to nodes and edges.
        problems: Problems as text.
        seconds: Duration.
    """

    application: str
    files: int
    unchanged: bool = False
    graph: GraphCounts = field(default_factory=GraphCounts)
    problems: list[str] = field(default_factory=list)
    seconds: float = 0.0


# Shown while a run waits for its turn.
WAITING = "waiting for another run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The progress of a run.

    Attributes:
        files: Files done.
        total_files: Files to do.
        size_bytes: Size of the files done.
        total_bytes: Size of all files.
        chunks: Chunks stored so far.
        doing: The current step; empty while files are stored.
    """

    files: int
    total_files: int
    size_bytes: int
    total_bytes: int
    chunks: int
    doing: str = ""

    @classmethod
    def of(cls, doing: str, *, total_files: int = 0, total_bytes: int = 0) -> Self:
        """Return the progress of a run in a step that stores no files."""
        return cls(
            files=0,
            total_files=total_files,
            size_bytes=0,
            total_bytes=total_bytes,
            chunks=0,
            doing=doing,
        )


OnProgress = Callable[[Progress], None]


def add_up(reports: Sequence[IndexReport]) -> IndexReport:
    """Return the report of runs on several databases: a document that moved is not added, and not removed."""
    total = IndexReport()
    values: dict[str, Any] = {}
    for each in fields(total):
        parts = [getattr(report, each.name) for report in reports]
        if each.name == "graph":
            values[each.name] = max(parts, key=lambda graph: graph.nodes)
        elif each.name in {"skipped", "outside_links", "secrets", "dry_run"}:
            values[each.name] = parts[0]  # of the walk, which all have in common
        elif isinstance(parts[0], list):
            values[each.name] = [item for part in parts for item in part]
        else:
            values[each.name] = sum(parts)
    moved = set(values["added"]) & set(values["removed"])
    values["added"] = sorted(set(values["added"]) - moved)
    values["removed"] = sorted(set(values["removed"]) - moved)
    if moved:
        values["notes"] = [
            *values["notes"],
            f"moved to another database: {len(moved):,}",
        ]
    return IndexReport(**values)


@dataclass(slots=True)
class Written:
    """The outcome of writing some documents.

    Attributes:
        stored: The documents that were stored, as (path, size in bytes).
        problems: The documents that were not, and why.
        unusable: Those of them whose content is the problem: a stored version is
            deleted.
        replaced: What was done to the chunks.
        embedded: How many chunks were embedded.
        digests: Content hashes of files of code that the code graph did not read.
        unsummarized: Why the language model gave no summary, one line per document.
    """

    stored: list[tuple[str, int]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    unusable: list[str] = field(default_factory=list)
    replaced: ChunkChanges = field(default_factory=ChunkChanges)
    embedded: int = 0
    digests: dict[str, str] = field(default_factory=dict)
    unsummarized: list[str] = field(default_factory=list)

    def add(self, other: Written) -> None:
        """Add the outcome of other documents."""
        self.stored += other.stored
        self.problems += other.problems
        self.unusable += other.unusable
        self.replaced += other.replaced
        self.embedded += other.embedded
        self.digests |= other.digests
        self.unsummarized += other.unsummarized

    def reject(self, path: str, reason: str, *, keeps_stored: bool = True) -> None:
        """Record that a document cannot be indexed.

        The stored version is kept if the problem is not the content of the file.
        """
        self.problems.append(Problem(path=path, reason=reason))
        if not keeps_stored:
            self.unusable.append(path)


@dataclass(frozen=True, slots=True)
class Abort:
    """An error that ends the run, on its way from a worker."""

    kind: type[BaseException]
    message: str
    details: dict[str, Any]

    @classmethod
    def of(cls, error: BaseException) -> Abort:
        """Pack an error; that of a library may not be picklable."""
        return cls(type(error), str(error), dict(vars(error)))

    def error(self) -> BaseException:
        """Return the error again; its class may have other arguments than a message."""
        error = self.kind.__new__(self.kind, self.message)
        error.__dict__.update(self.details)
        return error
