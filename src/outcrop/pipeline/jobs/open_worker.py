"""Opens a worker with its stages, models and access to files."""

from __future__ import annotations

import platform
import threading
from typing import TYPE_CHECKING

from outcrop.model.embedder_identity import EmbedderIdentity
from outcrop.pipeline.jobs.batch import BatchRunner
from outcrop.pipeline.jobs.context import StoreContext, WorkerModels, reachable_folder
from outcrop.pipeline.jobs.job_runs import add_note
from outcrop.pipeline.jobs.settings import WorkerSettings
from outcrop.pipeline.jobs.worker import Worker
from outcrop.pipeline.stage import STAGES
from outcrop.providers.registry import DEFAULT_SUMMARIZER, open_summarizer
from outcrop.store.store import PostgresStore

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

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

    Args:
        database: The index.
        embedder: Makes the embeddings.
        settings: Concurrency, retries and intervals.
        folder: Where the project's files are; by default where the run names them.
        replan: Plans a run's changed files again.
        stages: The stages by name.
        summarizers: Opens a summarizer by name.

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
    return Worker(database, runner, settings, replan=replan, on_finished=store.maintain)


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
            add_note(
                self._database,
                run_id,
                f"{platform.node()} has no way to the files: it took their text from "
                "the graph",
            )

        return StoreContext(
            self._database,
            self._store,
            WorkerModels(embedder=self._embedder, summarizer=self._summarizer(name)),
            folder=reachable_folder(run, self._folder),
            on_missing=note,
        )

    def _summarizer(self, name: str) -> Summarizer:
        if name == DEFAULT_SUMMARIZER:
            from outcrop.providers.extractive import ExtractiveSummarizer

            return ExtractiveSummarizer(self._embedder)
        return self._summarizers(name)
