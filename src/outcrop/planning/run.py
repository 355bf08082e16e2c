"""The state of a planning run: its counts, and the plans still to be written."""

from __future__ import annotations

import logging
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from outcrop.errors import StorageError
from outcrop.planning.plans import ChunkBuildResult
from outcrop.planning.protocols import Covered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from outcrop.model.node import NodeKind
    from outcrop.planning.plans import ChunkBuildRequest, ChunkPlan
    from outcrop.planning.protocols import ChunkRunStore, ChunkWriter

_log = logging.getLogger(__name__)

MAX_PLANS_AT_ONCE = 1000
"""Plans to write at once: enough to be fast, few enough to fit in memory."""
_REPORT_SECONDS = 0.5
_MAX_REASON_CHARS = 300


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
