"""Planning a whole application: page by page, batch by batch, as a run.

One node that cannot be planned, or one batch that cannot be written, is logged and
counted, and the run goes on.
"""

from __future__ import annotations

import logging
import time
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from outcrop.errors import StorageError
from outcrop.model.edge import EdgeKind
from outcrop.model.node import NodeKind
from outcrop.planning.file_text import text_of_file
from outcrop.planning.plans import ChunkBuildResult
from outcrop.planning.protocols import Covered
from outcrop.planning.strategies import STRATEGIES, open_strategy
from outcrop.planning.strategies.strategy import ChunkStrategy, SourceText

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from outcrop.model.edge import Edge
    from outcrop.model.node import Node
    from outcrop.planning.plans import ChunkBuildRequest, ChunkPlan
    from outcrop.planning.protocols import ChunkRunStore, ChunkWriter, NodeSource
    from outcrop.planning.strategies import AnyStrategy, FileChunkStrategy

_log = logging.getLogger(__name__)

BATCH_PLANS = 1000
"""Plans that are written at once: enough to be fast, little enough to hold."""
_TELL_SECONDS = 0.5
_KINDS = tuple(map(str, NodeKind))
_LONGEST_REASON = 300


class ChunkBuildOrchestrator:
    """Plans the chunks of applications.

    Args:
        nodes: Reads the graph.
        writer: Writes the plans.
        runs: Keeps track.
        read_text: Returns the text of a file, for strategies that plan whole files;
            what the nodes hold of it is used where it is not given or finds nothing.
        strategies: What may be asked for, by name.
    """

    def __init__(
        self,
        nodes: NodeSource,
        writer: ChunkWriter,
        runs: ChunkRunStore,
        *,
        read_text: Callable[[str], str | None] | None = None,
        strategies: Mapping[str, Callable[[], AnyStrategy]] = STRATEGIES,
    ) -> None:
        self._nodes = nodes
        self._writer = writer
        self._runs = runs
        self._read_text = read_text
        self._strategies = strategies

    def start(
        self,
        request: ChunkBuildRequest,
        *,
        on_progress: Callable[[ChunkBuildResult], None] | None = None,
    ) -> ChunkBuildResult:
        """Plan all that a request asks for.

        Args:
            request: What to plan.
            on_progress: Told now and then how far it is.

        Raises:
            ConfigError: There is no such strategy.
            StorageError: The graph cannot be read.
        """
        strategy = open_strategy(request.strategy, self._strategies)
        build = _Build(request, self._writer, self._runs, on_progress)
        build.kinds, note = known_kinds(request)
        if note:
            _log.warning("%s", note)
            build.notes.append(note)
        build.run_id = self._runs.create(request)
        try:
            if isinstance(strategy, ChunkStrategy):
                self._plan_nodes(build, strategy)
            else:
                self._plan_files(build, strategy)
            build.end()
        except BaseException as error:
            self._runs.fail(build.run_id, f"{type(error).__name__}: {error}")
            raise
        return build.result()

    def _plan_nodes(self, build: _Build, strategy: ChunkStrategy) -> None:
        request = build.request
        after = ""
        while (size := build.next_page()) and (
            nodes := self._nodes.nodes_page(
                request.application_id, after=after, limit=size, kinds=build.kinds
            )
        ):
            after = nodes[-1].id
            build.pages += 1
            edges = self._edges(request, nodes)
            for node in nodes:
                with build.one(node.fqn):
                    plans = strategy.build_chunks(node, edges.get(node.id, ()))
                    build.take(plans, Covered(nodes=[node.id]))
                build.processed += 1
            build.tell()

    def _plan_files(self, build: _Build, strategy: FileChunkStrategy) -> None:
        request = build.request
        counts = self._nodes.node_counts(request.application_id)
        for paths in _pages(counts, request.page_size, request.limit_nodes):
            nodes = self._nodes.nodes_in(request.application_id, paths)
            build.pages += 1
            edges = self._edges(request, nodes)
            by_path: dict[str, list[Node]] = {path: [] for path in paths}
            for node in nodes:
                by_path[node.file_path or ""].append(node)
            for path, own in by_path.items():
                with build.one(path):
                    self._plan_file(build, strategy, path, own, edges)
                build.processed += len(own)
            build.tell()

    def _plan_file(
        self,
        build: _Build,
        strategy: FileChunkStrategy,
        path: str,
        nodes: Sequence[Node],
        edges: Mapping[str, Sequence[Edge]],
    ) -> None:
        text = text_of_file(path, nodes, self._read_text)
        source = SourceText(path=path, lang=nodes[0].lang, text=text)
        plans = strategy.build_file(source, nodes, edges)
        if build.kinds is None:
            build.take(plans, Covered(nodes=[node.id for node in nodes], paths=[path]))
            return
        kinds = build.kinds
        wanted = [p for p in plans if p.node is not None and p.node.kind in kinds]
        covered = [node.id for node in nodes if node.kind in kinds]
        build.take(wanted, Covered(nodes=covered))

    def _edges(
        self, request: ChunkBuildRequest, nodes: Sequence[Node]
    ) -> Mapping[str, Sequence[Edge]]:
        """Return the calls of all nodes of a page, in one query."""
        if not request.with_edges_relations:
            return {}
        found: dict[str, list[Edge]] = defaultdict(list)
        ids = [node.id for node in nodes]
        for edge in self._nodes.edges_from(ids, [EdgeKind.CALLS]):
            found[edge.src].append(edge)
        return found


def known_kinds(request: ChunkBuildRequest) -> tuple[frozenset[NodeKind] | None, str]:
    """Return the kinds that a request asks for, and a note on those there are none of.

    None stands for all kinds.
    """
    if request.include_kinds is None:
        return None, ""
    names = sorted({str(kind).upper() for kind in request.include_kinds})
    known = frozenset(NodeKind(name) for name in names if name in _KINDS)
    unknown = [name for name in names if name not in _KINDS]
    if not unknown:
        return known or None, ""
    note = f"ignored unknown kinds {', '.join(unknown)}; there are {', '.join(_KINDS)}"
    return known or None, note


def _pages(
    counts: Sequence[tuple[str, int]], size: int, limit: int | None
) -> Iterator[list[str]]:
    """Yield files that together have about as many nodes as a page."""
    page: list[str] = []
    held = total = 0
    for path, count in counts:
        if limit is not None and total >= limit:
            break
        page.append(path)
        held += count
        total += count
        if held >= size:
            yield page
            page, held = [], 0
    if page:
        yield page


@dataclass(slots=True)
class _Build:
    """A run on its way."""

    request: ChunkBuildRequest
    writer: ChunkWriter
    runs: ChunkRunStore
    on_progress: Callable[[ChunkBuildResult], None] | None
    kinds: frozenset[NodeKind] | None = None
    notes: list[str] = field(default_factory=list)
    run_id: int = 0
    processed: int = 0
    written: int = 0
    skipped: int = 0
    deleted: int = 0
    errors: int = 0
    pages: int = 0
    started: float = field(default_factory=time.monotonic)
    told: float = field(default_factory=time.monotonic)
    plans: list[ChunkPlan] = field(default_factory=list)
    nodes: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    failures: list[tuple[str, str]] = field(default_factory=list)

    def next_page(self) -> int:
        """Return how many nodes to read next; 0 at the end."""
        limit = self.request.limit_nodes
        if limit is None:
            return self.request.page_size
        return min(self.request.page_size, limit - self.processed)

    def one(self, subject: str) -> _OneOfMany:
        """Return what keeps a failure to the one thing it concerns."""
        return _OneOfMany(self, subject)

    def take(self, plans: Sequence[ChunkPlan], covered: Covered) -> None:
        """Hold plans until there are enough to write."""
        if self.request.dry_run:
            self.skipped += len(plans)
            return
        self.plans += plans
        self.nodes += covered.nodes
        self.paths += covered.paths
        if len(self.plans) >= BATCH_PLANS:
            self.flush()

    def fail_on(self, subject: str, error: Exception, count: int = 1) -> None:
        reason = f"{type(error).__name__}: {error}"[:_LONGEST_REASON]
        _log.warning("planning %s failed: %s", subject, reason)
        self.errors += count
        self.failures.append((subject, reason))

    def flush(self) -> None:
        """Write what is held; what cannot be written is counted."""
        plans, self.plans = self.plans, []
        covered = Covered(nodes=self.nodes, paths=self.paths)
        self.nodes, self.paths = [], []
        if not plans and not covered.nodes and not covered.paths:
            return
        try:
            saved = self.writer.save_plan(
                plans, application_id=self.request.application_id, covered=covered
            )
        except StorageError as error:
            self.fail_on(f"{len(plans)} chunks", error, count=max(1, len(plans)))
            return
        self.written += saved.written
        self.skipped += saved.skipped
        self.deleted += saved.deleted

    def tell(self, *, whenever: bool = False) -> None:
        """Say how far it is, now and then."""
        now = time.monotonic()
        if not whenever and now - self.told < _TELL_SECONDS:
            return
        self.told = now
        if self.failures:
            self.runs.note_errors(self.run_id, self.failures)
            self.failures = []
        result = self.result()
        self.runs.progress(self.run_id, result)
        if self.on_progress is not None:
            self.on_progress(result)

    def end(self) -> None:
        """Write the rest, and clear away what other strategies left."""
        self.flush()
        request = self.request
        is_whole = self.kinds is None and request.limit_nodes is None
        if is_whole and not request.dry_run and not self.errors:
            self.deleted += self.writer.sweep(
                request.application_id, strategy=request.strategy
            )
        self.tell(whenever=True)
        self.runs.finish(self.run_id, self.result())

    def result(self) -> ChunkBuildResult:
        return ChunkBuildResult(
            run_id=self.run_id,
            strategy=self.request.strategy,
            dry_run=self.request.dry_run,
            processed_nodes=self.processed,
            written_chunks=self.written,
            skipped_chunks=self.skipped,
            deleted_chunks=self.deleted,
            errors=self.errors,
            pages=self.pages,
            seconds=time.monotonic() - self.started,
            notes=tuple(self.notes),
        )


@dataclass(slots=True)
class _OneOfMany:
    """Turns an error into a count, so that one bad node does not end a run."""

    build: _Build
    subject: str

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: object
    ) -> bool:
        if error is None or not isinstance(error, Exception):
            return False
        self.build.fail_on(self.subject, error)
        return True
