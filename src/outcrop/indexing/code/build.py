"""Builds the chunks of code as a run: graph and plans here, stages by workers.

`Index.index` does everything in its own process. A build leaves the stages to the queue,
so that several workers can share them, a model may be slow, and interrupted work is
continued.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from threading import Thread
from typing import TYPE_CHECKING

from outcrop.codegraph.source import Source
from outcrop.errors import InputError
from outcrop.indexing.code.applications import ROOT, group_files
from outcrop.indexing.code.build_options import (
    BuildOptions,
    check_summarizer,
    model_names,
    read_options,
)
from outcrop.indexing.code.graph import GraphBuild, store_graph
from outcrop.indexing.code.other_files import OtherFiles
from outcrop.indexing.config import DEFAULT_CODE_STRATEGY
from outcrop.indexing.files.changes import (
    compare_other_code,
    find_changes,
    note_other_code,
)
from outcrop.indexing.files.kinds import CODE
from outcrop.indexing.paths import resolve_paths
from outcrop.pipeline.jobs import job_runs
from outcrop.pipeline.jobs.open_worker import open_worker, where_files_are
from outcrop.pipeline.jobs.queue import ensure_tables
from outcrop.pipeline.jobs.settings import WorkerSettings
from outcrop.pipeline.mentions import link_mentions
from outcrop.planning.orchestrator import ChunkBuildOrchestrator, NoRun
from outcrop.planning.plans import DEFAULT_BATCH_SIZE, ChunkBuildRequest
from outcrop.planning.protocols import GraphSource
from outcrop.planning.strategies import open_strategy
from outcrop.store.leases import hold_lease
from outcrop.store.projects.manage import claim_space
from outcrop.store.runs import RUN_KIND, PlanRuns
from outcrop.store.store import PostgresStore

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from threading import Event

    from outcrop.codegraph import Graph
    from outcrop.indexing.code.applications import ApplicationFiles
    from outcrop.indexing.config import IndexConfig
    from outcrop.indexing.files.changes import Changes
    from outcrop.model.graph import Application
    from outcrop.model.run import Run
    from outcrop.pipeline.jobs.ledger import Standing
    from outcrop.pipeline.jobs.worker import Worker
    from outcrop.planning.plans import ChunkBuildResult
    from outcrop.planning.protocols import ChunkRunStore, NodeSource
    from outcrop.providers.embedder import Embedder
    from outcrop.store.database import Database

# A file that changes this often before it is read changes all the time.
_MAX_PLANS = 5
_POLL_SECONDS = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeBuild:
    """A build of the chunks of code.

    Attributes:
        run_id: The run, which ends when workers have done its stages; 0 for a dry run.
        application: The application's name.
        planned: The result of planning.
        standing: The work that was queued.
        problems: Files that the graph could not read, as lines of text.
        run: The run as it ended; None where the stages are left to workers.
    """

    run_id: int
    application: str
    planned: ChunkBuildResult
    standing: Standing | None
    problems: tuple[str, ...] = ()
    run: Run | None = None


class Builder:
    """Plans the code of a project and queues the stages; `on_step` gets each step's name."""

    def __init__(
        self,
        database: Database,
        embedder: Embedder,
        project: Path,
        config: IndexConfig,
        *,
        on_step: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._database = database
        self._store = PostgresStore(database)
        self._embedder = embedder
        self._project = project
        self._config = config
        self._tell = on_step

    def dry_run(self, roots: Sequence[Path], options: BuildOptions) -> CodeBuild:
        """Return what would be planned, without writing; see `start` for the errors."""
        options = self._with_strategy(options)
        roots = resolve_paths(roots, self._project)
        group, _ = self._find(roots, options.application)
        self._tell("code graph")
        graph = self._graph_build().run(group)
        planner = self._orchestrator(GraphSource(graph), NoRun())
        planned = planner.start(self._request(group.name, options, dry_run=True))
        if options.is_whole:
            others = self._others(options).count(group, graph)
            planned = replace(planned, skipped_chunks=planned.skipped_chunks + others)
        return CodeBuild(
            run_id=0,
            application=group.name,
            planned=planned,
            standing=None,
            problems=tuple(graph.report.lines()),
        )

    def start(
        self, roots: Sequence[Path], options: BuildOptions, *, run_id: int | None = None
    ) -> CodeBuild:
        """Bring the graph and the plans up to date, and queue the stages.

        A new run is begun unless one is given.

        Raises:
            InputError: There is no code.
            ConfigError: The strategy is unknown.
            StorageError: The database failed.
        """
        options = self._with_strategy(options)
        check_summarizer(options.summarizer)
        claim_space(self._database, self._project)
        ensure_tables(self._database)
        roots = resolve_paths(roots, self._project)
        with hold_lease(self._database, "index"):
            job_runs.fail_abandoned(self._database, RUN_KIND)
            group, changes = self._find(
                roots, options.application, may_be_empty=options.docs
            )
            self._store.put_application(group.name)
            run_id = run_id or self._store.create_run(RUN_KIND).id
            self._store.describe_run(
                run_id,
                application_id=group.name,
                strategy=options.strategy or "",
                parameters={
                    **asdict(options),
                    **where_files_are(self._project),
                    "roots": [self._name_of(root) for root in roots],
                },
            )
            try:
                graph = self._replace_graph(group, changes)
                planned, standing = self._plan(run_id, group, graph, options)
            except BaseException as error:
                self._store.fail_run(run_id, f"{type(error).__name__}: {error}")
                raise
        return CodeBuild(
            run_id=run_id,
            application=group.name,
            planned=planned,
            standing=standing,
            problems=tuple(graph.report.lines()),
        )

    def replan(self, run_id: int) -> None:
        """Plan a run again because files changed before they were read."""
        with hold_lease(self._database, "index"):
            with self._database.read() as connection:
                if not job_runs.waits_for_plan(connection, run_id):
                    return  # another worker was faster
            run = self._store.get_run(run_id)
            times = int(run.statistics.get("replanned", 0))
            if times >= _MAX_PLANS:
                job_runs.fail_stale(self._database, run_id)
                return
            self._store.update_run(run_id, statistics={"replanned": times + 1})
            options = self._with_strategy(read_options(run.parameters))
            names = run.parameters.get("roots", ["."])
            roots = [self._project / name for name in names]
            group, changes = self._find(roots, options.application, may_be_empty=True)
            graph = self._replace_graph(group, changes)
            self._plan(run_id, group, graph, options)

    def work(self, built: CodeBuild, stop: Event | None = None) -> CodeBuild:
        """Process the stages of a build until its run has ended, or `stop` is set."""
        worker = open_worker(
            self._database,
            self._embedder,
            WorkerSettings(poll_seconds=_POLL_SECONDS),
            folder=self._project,
            replan=self.replan,
        )
        if stop is not None:
            Thread(target=_stop_worker, args=(worker, stop), daemon=True).start()
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            worker.run(run_id=built.run_id)
        else:
            # The worker has an event loop of its own, which needs another thread.
            with ThreadPoolExecutor(1) as thread:
                thread.submit(worker.run, run_id=built.run_id).result()
        return replace(built, run=self._store.get_run(built.run_id))

    def _with_strategy(self, options: BuildOptions) -> BuildOptions:
        """Return options that name a strategy: theirs, or else that of the index.

        Raises:
            ConfigError: The strategy is unknown.
        """
        chosen = options.strategy or self._config.strategy
        chosen = chosen or self._store.code_strategy() or DEFAULT_CODE_STRATEGY
        open_strategy(chosen)
        return replace(options, strategy=chosen)

    def _find(
        self,
        roots: Sequence[Path],
        application: str | None,
        *,
        may_be_empty: bool = False,
    ) -> tuple[ApplicationFiles, Changes]:
        """Return the application of some paths, with all its files."""
        self._tell("looking for code")
        known = self._store.known_documents()
        changes = find_changes(roots, self._project, self._config, known, None)
        note_other_code(changes, self._project)
        compare_other_code(changes, self._project, self._config)
        stored = self._store.applications()
        groups = group_files(
            changes.code, project=self._project, roots=roots, stored=stored
        )
        inside = all(root.is_relative_to(self._project) for root in roots)
        found = [g for g in groups if g.is_project == inside and not g.url]
        if not found or not (found[0].files or may_be_empty):
            places = ", ".join(str(root) for root in roots)
            raise InputError(f"there is no code in {places} that can be read")
        _name(found[0], application, stored)
        return found[0], changes

    def _name_of(self, root: Path) -> str:
        """Return a path for workers that may have the project elsewhere."""
        inside = root.is_relative_to(self._project)
        return (root.relative_to(self._project) if inside else root).as_posix()

    def _graph_build(self) -> GraphBuild:
        return GraphBuild(workers=self._config.workers)

    def _replace_graph(self, group: ApplicationFiles, changes: Changes) -> Graph:
        # The next index run compares everything, because it has not planned this graph.
        graph, replaced = store_graph(
            self._store, group, self._graph_build(), on_step=self._tell
        )
        self._store.forget_links(replaced.touched | replaced.changed)
        gone = [p for p in changes.gone if changes.known[p].kind == CODE]
        if gone:
            self._store.delete_documents(gone)
        link_mentions(self._store, None)
        return graph

    def _plan(
        self, run_id: int, group: ApplicationFiles, graph: Graph, options: BuildOptions
    ) -> tuple[ChunkBuildResult, Standing]:
        planned = self._write_plans(run_id, group, options)
        if options.is_whole:
            planned = self._others(options).write(planned, group, graph)
            self._store.update_run(run_id, statistics=planned.statistics())
            self._store.set_code_strategy(options.strategy or DEFAULT_CODE_STRATEGY)
        self._tell("filling the queue")
        with self._database.write() as connection:
            standing = job_runs.start_work(
                connection,
                run_id,
                group.name,
                batch_size=options.job_size,
                explain_documents=model_names(options) if options.docs else None,
                retry_failed=options.retry_failed,
            )
        return planned, standing

    def _write_plans(
        self, run_id: int, group: ApplicationFiles, options: BuildOptions
    ) -> ChunkBuildResult:
        runs = PlanRuns(self._store, run_id=run_id)
        return self._orchestrator(self._store, runs).start(
            self._request(group.name, options),
            on_progress=lambda so_far: self._tell(
                f"planning, {so_far.processed_nodes:,} nodes"
            ),
        )

    def _orchestrator(
        self, nodes: NodeSource, runs: ChunkRunStore
    ) -> ChunkBuildOrchestrator:
        return ChunkBuildOrchestrator(
            nodes,
            self._store,
            runs,
            read_text=self._read_text,
            strategies=self._config.strategies(),
        )

    def _request(
        self, application: str, options: BuildOptions, *, dry_run: bool = False
    ) -> ChunkBuildRequest:
        return ChunkBuildRequest(
            application_id=application,
            strategy=options.strategy or DEFAULT_CODE_STRATEGY,
            dry_run=dry_run,
            limit_nodes=options.limit,
            batch_size=options.batch_size or DEFAULT_BATCH_SIZE,
            include_kinds=options.kinds,
            with_edges_relations=options.relations,
        )

    def _others(self, options: BuildOptions) -> OtherFiles:
        config = replace(self._config, strategy=options.strategy)
        return OtherFiles(self._database, config, self._read_text)

    def _read_text(self, path: str) -> str | None:
        try:
            return Source((self._project / path).read_bytes()).text
        except OSError:
            return None


def _stop_worker(worker: Worker, stop: Event) -> None:
    stop.wait()
    worker.stop()


def _name(
    group: ApplicationFiles, application: str | None, stored: Sequence[Application]
) -> None:
    """Give an application the requested name, unless it has another."""
    if application is None or application == group.name:
        return
    roots = {app.metadata.get(ROOT): app.name for app in stored if app.nodes}
    if roots.get(group.stored_root, application) != application:
        raise InputError(
            f"the code in {group.root} is application {group.name!r} in this index, "
            f"not {application!r}; leave --app out"
        )
    group.name = application
