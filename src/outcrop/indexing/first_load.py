"""The part of a project's first load that needs no database.

The files are found, processes to write them are forked, and the code graph is built while
the server is created. The run takes over from there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from outcrop.codegraph.parse import prepare as prepare_parser
from outcrop.collector import paused
from outcrop.indexing.code.applications import group_files
from outcrop.indexing.code.graph import GraphBuild
from outcrop.indexing.documents.prepare import Task, prepare_bytes
from outcrop.indexing.documents.summaries import with_mode
from outcrop.indexing.files.changes import Changes, find_changes
from outcrop.indexing.paths import resolve_paths
from outcrop.indexing.run import Runner
from outcrop.indexing.workers import MAX_WORKERS, MIN_SHARED_BYTES, can_share
from outcrop.process_pool import fork_processes, may_fork

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path
    from typing import Self

    from outcrop.codegraph import Graph
    from outcrop.indexing.config import IndexConfig
    from outcrop.indexing.index import Index
    from outcrop.indexing.report import IndexReport, OnProgress
    from outcrop.providers.embedder import Embedder
    from outcrop.store.store import PostgresStore

# The graph of more code takes longer than it takes to create a server; documents are
# better written meanwhile.
_MAX_CODE_BYTES = 2_000_000
_BYTES_PER_WORKER = MIN_SHARED_BYTES // 2
_SAMPLE = Task(path="sample.md", file="", kind="markdown", modified_ns=0)
_SAMPLE_TEXT = "# Sample\n\nOne sentence. Another sentence.\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstLoad:
    """The files of a project without an index.

    Attributes:
        roots: The paths to index.
        project: The folder of the project.
        config: How to index.
        changes: The files.
        graphs: The graphs of their code, by the name of the application.
    """

    roots: list[Path]
    project: Path
    config: IndexConfig
    changes: Changes
    graphs: dict[str, Graph] = field(default_factory=dict)

    @classmethod
    def find(cls, paths: Iterable[Path], project: Path, config: IndexConfig) -> Self:
        """Find the files.

        Raises:
            InputError: A path does not exist.
        """
        roots = resolve_paths(paths, project)
        changes = find_changes(roots, project, config, {}, None)
        return cls(roots=roots, project=project, config=config, changes=changes)

    def fork_workers(self, embedder: Embedder) -> None:
        """Fork the processes that will write, within `keep_processes`."""
        config = with_mode(self.config)
        size = sum(file.size for file in self.changes.plan)
        if may_fork() and can_share(config, embedder) and size >= MIN_SHARED_BYTES:
            # What is loaded for this, no worker has to load again.
            prepare_bytes(_SAMPLE, _SAMPLE_TEXT.encode(), config)
            embedder.embed([_SAMPLE_TEXT])
            for lang in self._languages():
                prepare_parser(lang)
            enough = size // _BYTES_PER_WORKER
            fork_processes(min(enough, config.processes, MAX_WORKERS))

    def _languages(self) -> set[str]:
        code = self.changes.code
        return {file.lang for file in code if file.has_grammar and file.lang}

    def build_graphs(self) -> None:
        """Build the code graph, unless that takes longer than creating a server."""
        groups = group_files(
            self.changes.code, project=self.project, roots=self.roots, stored=()
        )
        size = sum(file.size for file in self.changes.code if file.has_grammar)
        if size > _MAX_CODE_BYTES:
            return
        how = GraphBuild(workers=self.config.workers)
        with paused():
            for group in groups:
                if group.graph_files():
                    self.graphs[group.name] = how.run(group)

    def run(self, index: Index, on_progress: OnProgress | None = None) -> IndexReport:
        """Index the files; see `Index.index`."""
        runner = Runner(
            database=index.database,
            store=index.store,
            embedder=index.embedder,
            project=index.project,
            config=index.run_config(),
        )
        return runner.run(self.roots, on_progress=on_progress, first=self)

    def fits(self, store: PostgresStore, roots: Sequence[Path], project: Path) -> bool:
        """Return whether a run on some paths can begin with these files."""
        is_empty = not store.known_documents() and not store.applications()
        return is_empty and (list(roots), project) == (self.roots, self.project)
