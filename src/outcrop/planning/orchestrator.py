"""Plans a whole application as a run: reads page by page, writes batch by batch.

A node that cannot be planned, or a batch that cannot be written, is logged and counted,
and the run continues.
"""

from __future__ import annotations

import logging
import time
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from outcrop.errors import StorageError
from outcrop.model.edge import EdgeKind
from outcrop.model.node import NodeKind
from outcrop.planning.file_planner import FilePlanner
from outcrop.planning.plans import ChunkBuildResult
from outcrop.planning.protocols import ChunkStrategy, Covered
from outcrop.planning.strategies import STRATEGIES, open_strategy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from outcrop.model.edge import Edge
    from outcrop.model.node import Node
    from outcrop.planning.plans import ChunkBuildRequest, ChunkPlan
    from outcrop.planning.protocols import ChunkRunStore, ChunkWriter, NodeSource
    from outcrop.planning.strategies import AnyStrategy

_log = logging.getLogger(__name__)

_KINDS = tuple(map(str, NodeKind))
MAX_PLANS_AT_ONCE = 1000
"""Plans to write at once: enough to be fast, few enough to fit in memory."""
_REPORT_SECONDS = 0.5
_MAX_REASON_CHARS = 300


class ChunkBuildOrchestrator:
    """Plans the chunks of applications.

    Args:
        nodes: Reads the graph.
        writer: Writes the plans.
        runs: Records the run.
        read_text: Returns the text of a file, for strategies that plan whole files;
            the text that the nodes hold is used where it is None or returns None.
        strategies: The known strategies by name.
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
        """Plan an application.

        Args:
            request: What to plan.
            on_progress: Called with the counts so far, at intervals.

        Raises:
            ConfigError: The strategy is unknown.
            StorageError: The graph cannot be read.
        """
        strategy = open_strategy(request.strategy, self._strategies)
        build = PlanningRun(request, self._writer, self._runs, on_progress)
        build.kinds, note = known_kinds(request)
        if note:
            build.notes.append(note)
        build.run_id = self._runs.create(request)
        try:
            if isinstance(strategy, ChunkStrategy):
                self._plan_nodes(build, strategy)
            else:
                self._plan_files(build, FilePlanner(strategy, self._read_text))
            build.end()
        except BaseException as error:
            self._runs.fail(build.run_id, f"{type(error).__name__}: {error}")
            raise
        return build.result()

    def _plan_nodes(self, build: PlanningRun, strategy: ChunkStrategy) -> None:
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
                with build.attempt(node.fqn):
                    plans = strategy.build_chunks(node, edges.get(node.id, ()))
                    build.take(plans, Covered(nodes=[node.id]))
                build.processed += 1
            build.report()

    def _plan_files(self, build: PlanningRun, planner: FilePlanner) -> None:
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
                with build.attempt(path):
                    plans = planner.plan(path, own[0].lang, own, edges)
                    _take_file(build, path, own, plans)
                build.processed += len(own)
            build.report()

    def _edges(
        self, request: ChunkBuildRequest, nodes: Sequence[Node]
    ) -> Mapping[str, Sequence[Edge]]:
        """Return the calls from all nodes of a page, read in one query."""
        if not request.with_edges_relations:
            return {}
        found: dict[str, list[Edge]] = defaultdict(list)
        ids = [node.id for node in nodes]
        for edge in self._nodes.edges_from(ids, [EdgeKind.CALLS]):
            found[edge.src].append(edge)
        return found


def _take_file(
    build: PlanningRun, path: str, nodes: Sequence[Node], plans: Sequence[ChunkPlan]
) -> None:
    """Hand the plans of a file to the run, restricted to the requested kinds."""
    kinds = build.kinds
    if kinds is None:
        build.take(plans, Covered(nodes=[node.id for node in nodes], paths=[path]))
        return
    wanted = [p for p in plans if p.node is not None and p.node.kind in kinds]
    covered = [node.id for node in nodes if node.kind in kinds]
    build.take(wanted, Covered(nodes=covered))


def known_kinds(request: ChunkBuildRequest) -> tuple[frozenset[NodeKind] | None, str]:
    """Return the kinds of a request, and a note on unknown ones.

    None stands for all kinds.
    """
    if request.include_kinds is None:
        return None, ""
    names = sorted({str(kind).upper() for kind in request.include_kinds})
    known = frozenset(NodeKind(name) for name in names if name in _KINDS)
    unknown = [name for name in names if name not in _KINDS]
    if not unknown:
        return known or None, ""
    note = f"ignored unknown kinds {', '.join(unknown)}; known: {', '.join(_KINDS)}"
    return known or None, note


def _pages(
    counts: Sequence[tuple[str, int]], size: int, limit: int | None
) -> Iterator[list[str]]:
    """Yield groups of files with about as many nodes as a page."""
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
class PlanningRun:
    """The counts of a run so far, and the plans still to be written."""

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
    reported: float = field(default_factory=time.monotonic)
    plans: list[ChunkPlan] = field(default_factory=list)
    nodes: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    failures: list[tuple[str, str]] = field(default_factory=list)

    def next_page(self) -> int:
        """Return the number of nodes to read next; 0 at the end."""
        limit = self.request.limit_nodes
        if limit is None:
            return self.request.page_size
        return min(self.request.page_size, limit - self.processed)

    @contextmanager
    def attempt(self, subject: str) -> Iterator[None]:
        """Record a failure of one node or file, and let the run continue."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 - one bad node must not end the run
            self.fail_on(subject, error)

    def take(self, plans: Sequence[ChunkPlan], covered: Covered) -> None:
        """Collect plans, and write them once there are enough."""
        if self.request.dry_run:
            self.skipped += len(plans)
            return
        self.plans += plans
        self.nodes += covered.nodes
        self.paths += covered.paths
        if len(self.plans) >= MAX_PLANS_AT_ONCE:
            self.flush()

    def fail_on(self, subject: str, error: Exception, count: int = 1) -> None:
        """Count a failure and record its reason."""
        reason = f"{type(error).__name__}: {error}"[:_MAX_REASON_CHARS]
        _log.warning("planning %s failed: %s", subject, reason)
        self.errors += count
        self.failures.append((subject, reason))

    def flush(self) -> None:
        """Write the collected plans; those that cannot be written are counted."""
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

    def report(self, *, is_final: bool = False) -> None:
        """Report progress, at most every half second."""
        now = time.monotonic()
        if not is_final and now - self.reported < _REPORT_SECONDS:
            return
        self.reported = now
        if self.failures:
            self.runs.note_errors(self.run_id, self.failures)
            self.failures = []
        result = self.result()
        self.runs.progress(self.run_id, result)
        if self.on_progress is not None:
            self.on_progress(result)

    def end(self) -> None:
        """Write the rest, and delete the chunks of other strategies."""
        self.flush()
        request = self.request
        is_whole = self.kinds is None and request.limit_nodes is None
        if is_whole and not request.dry_run and not self.errors:
            self.deleted += self.writer.sweep(
                request.application_id, strategy=request.strategy
            )
        self.report(is_final=True)
        self.runs.finish(self.run_id, self.result())

    def result(self) -> ChunkBuildResult:
        """Return the counts so far."""
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


class NoRun:
    """A run that leaves no trace in the store, for dry runs; see `ChunkRunStore`."""

    def create(self, request: ChunkBuildRequest) -> int:  # noqa: ARG002 - nothing is stored
        """Return 0, which no run has."""
        return 0

    def progress(self, run_id: int, result: ChunkBuildResult) -> None:
        """Store nothing."""

    def note_errors(self, run_id: int, errors: Sequence[tuple[str, str]]) -> None:
        """Store nothing."""

    def finish(self, run_id: int, result: ChunkBuildResult) -> None:
        """Store nothing."""

    def fail(self, run_id: int, error: str) -> None:
        """Store nothing."""
