"""Opens a worker with its stages, models and access to files.

Only `extract-snippet` reads files. A worker that cannot reach them uses the text that the
graph holds, and adds a note to the run.
"""

from __future__ import annotations

import platform
import threading
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from outcrop.codegraph.source import Source
from outcrop.errors import StageError
from outcrop.model.embedder_identity import EmbedderIdentity
from outcrop.pipeline.jobs import job_runs
from outcrop.pipeline.jobs.batch import BatchRunner
from outcrop.pipeline.jobs.settings import WorkerSettings
from outcrop.pipeline.jobs.worker import Worker
from outcrop.pipeline.mentions import StoredSymbols
from outcrop.pipeline.stage import STAGES
from outcrop.pipeline.summarize import LimitedSummarizer
from outcrop.providers.registry import DEFAULT_SUMMARIZER, open_summarizer
from outcrop.store.store import PostgresStore
from outcrop.text.tokens import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from outcrop.model.edge import Edge
    from outcrop.model.node import Node, NodeRef
    from outcrop.model.run import Run
    from outcrop.pipeline.jobs.queue import Batch
    from outcrop.pipeline.stage import Stage
    from outcrop.providers.embedder import Embedder
    from outcrop.sections.summaries import Summarizer
    from outcrop.store.database import Database


def open_worker(
    database: Database,
    embedder: Embedder,
    settings: WorkerSettings | None = None,
    *,
    folder: Path | None = None,
    replan: Callable[[int], None] | None = None,
    stages: Mapping[str, Stage] = STAGES,
    summarizers: Callable[[str], Summarizer] = open_summarizer,
) -> Worker:
    """Return a worker for the stages of an index.

    The project's files are in `folder`, or where a run names them. `replan` plans a run's
    changed files again.

    Raises:
        SchemaVersionError: The index was built with another embedder.
    """
    settings = settings or WorkerSettings()
    store = PostgresStore(database)
    store.use_embedder(
        EmbedderIdentity(name=embedder.name, dimension=embedder.dimension)
    )
    contexts = _Contexts(database, store, embedder, folder, summarizers)
    runner = BatchRunner(database, store, stages, contexts.of, settings)

    def adopt() -> bool:
        root = folder or database.space.root
        place = where_files_are(root) if root is not None and root.is_dir() else {}
        return job_runs.adopt_unfilled(database, place, batch_size=settings.batch_size)

    return Worker(
        database,
        runner,
        settings,
        replan=replan,
        adopt=adopt,
        on_finished=store.maintain,
    )


class _Contexts:
    """The stage contexts of runs, each created for the run's first job."""

    def __init__(
        self,
        database: Database,
        store: PostgresStore,
        embedder: Embedder,
        folder: Path | None,
        summarizers: Callable[[str], Summarizer],
    ) -> None:
        self._summarizers = summarizers
        self._database = database
        self._store = store
        self._embedder = embedder
        self._folder = folder
        self._lock = threading.Lock()
        self._known: dict[int, StoreContext] = {}

    def of(self, batch: Batch) -> StoreContext:
        """Return the context of a batch's run."""
        with self._lock:
            if batch.run_id not in self._known:
                self._known[batch.run_id] = self._make(batch.run_id)
            return self._known[batch.run_id]

    def _make(self, run_id: int) -> StoreContext:
        run = self._store.get_run(run_id)
        name = str(run.parameters.get("summarizer") or DEFAULT_SUMMARIZER)

        def note() -> None:
            job_runs.add_note(
                self._database,
                run_id,
                f"{platform.node()} cannot reach the files: it took their text from "
                "the graph",
            )

        return StoreContext(
            self._store,
            embedder=self._embedder,
            summarizer=self._summarizer(name),
            folder=reachable_folder(run, self._folder),
            on_missing=note,
        )

    def _summarizer(self, name: str) -> Summarizer:
        if name == DEFAULT_SUMMARIZER:
            from outcrop.providers.extractive import ExtractiveSummarizer

            return ExtractiveSummarizer(self._embedder)
        return LimitedSummarizer(self._summarizers(name))


def where_files_are(project: Path) -> dict[str, str]:
    """Return the run parameters by which workers find the files."""
    return {"project": str(project.resolve()), "host": platform.node()}


def reachable_folder(run: Run, given: Path | None) -> Path | None:
    """Return the folder of a run's files, or None where it cannot be reached.

    A folder of the same name on another machine may hold anything, so it is used only if
    the worker was started with it.
    """
    if given is not None:
        return given
    noted = run.parameters
    if noted.get("host") != platform.node() or not noted.get("project"):
        return None
    folder = Path(noted["project"])
    return folder if folder.is_dir() else None


class StoreContext:
    """Answers stages from the store; see `StageContext`.

    The folder is None where the files cannot be reached; `on_missing` is called once, when
    one of them is needed.
    """

    def __init__(
        self,
        store: PostgresStore,
        *,
        embedder: Embedder,
        summarizer: Summarizer,
        folder: Path | None,
        on_missing: Callable[[], None],
    ) -> None:
        self._store = store
        self._folder = folder
        self._on_missing = on_missing
        self._has_noted = False
        self.embedder = embedder
        self.summarizer = summarizer

    @cached_property
    def count(self) -> Callable[[str], int]:
        """Counts tokens."""
        return TokenCounter()

    def read_text(self, path: str) -> str | None:
        """Return the current text of a file, or None if it cannot be read.

        Raises:
            StageError: It cannot be reached, and the graph does not hold it.
        """
        if self._folder is None:
            return self._kept_text(path)
        try:
            return Source((self._folder / path).read_bytes()).text
        except OSError:
            return None

    def _kept_text(self, path: str) -> str:
        text = self._store.file_text(path)
        if text is None:
            raise StageError(
                f"{path} cannot be reached from {platform.node()}, and the graph has "
                "no text of it; start a worker with --project where the files are",
                stage="extract-snippet",
            )
        if not self._has_noted:
            self._has_noted = True
            self._on_missing()
        return text

    def nodes(self, ids: Collection[str]) -> Mapping[str, Node]:
        """Return nodes by id."""
        return {node.id: node for node in self._store.get_nodes(list(ids))}

    def node_refs(self, ids: Collection[str]) -> Mapping[str, NodeRef]:
        """Return references to nodes by id."""
        return {ref.id: ref for ref in self._store.node_refs(ids)}

    def symbols(self, names: Collection[str]) -> Mapping[str, Sequence[NodeRef]]:
        """Return the nodes with these own or qualified names, by name."""
        return StoredSymbols(self._store).symbols(names)

    def edges_from(self, ids: Collection[str]) -> Mapping[str, Sequence[Edge]]:
        """Return the edges from nodes, by the node they come from."""
        return _grouped(self._store.edges_from(list(ids)), "src")

    def edges_to(self, ids: Collection[str]) -> Mapping[str, Sequence[Edge]]:
        """Return the edges to nodes, by the node they lead to."""
        return _grouped(self._store.edges_to(list(ids)), "dst")


def _grouped(edges: Iterable[Edge], end: str) -> dict[str, list[Edge]]:
    found: dict[str, list[Edge]] = {}
    for edge in edges:
        found.setdefault(getattr(edge, end), []).append(edge)
    return found
