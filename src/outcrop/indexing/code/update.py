"""Updates the code of an index: graph, plans, stages, store.

The graph spans all files of an application, so a change of names or relations builds it
again, from what is stored of the unchanged files; the store writes the difference. Files
that keep their shape leave the rest of the graph as it is. Then the changed files are
planned, and the files with nodes at either end of a changed edge.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from outcrop.codegraph import Graph
from outcrop.codegraph.languages import language, languages
from outcrop.indexing.code.applications import ROOT, ApplicationFiles, group_files
from outcrop.indexing.code.graph import (
    GRAPH,
    GraphBuild,
    fingerprint_files,
    store_graph,
)
from outcrop.indexing.code.shape_update import ShapeUpdate, find_shape_update
from outcrop.indexing.code.tasks import CodeDocuments
from outcrop.indexing.files.discover import is_inside
from outcrop.indexing.report import GraphCounts
from outcrop.indexing.workers import spread_first

if TYPE_CHECKING:
    from collections.abc import (
        Callable,
        Collection,
        Iterable,
        Iterator,
        Mapping,
        Sequence,
    )
    from pathlib import Path

    from outcrop.codegraph import BuildReport
    from outcrop.indexing.cluster.job import ApplicationDone
    from outcrop.indexing.code.tasks import CodeTask
    from outcrop.indexing.files.changes import Changes
    from outcrop.indexing.files.discover import SourceFile
    from outcrop.indexing.report import Written
    from outcrop.indexing.run import Runner
    from outcrop.model.graph import Application
    from outcrop.store.graph import GraphReplaced


@dataclass(frozen=True, slots=True)
class CodeWork:
    """The documents of an application that have to be written.

    Attributes:
        documents: The documents.
        paths: The files.
        with_symbols: Whether nodes without a file have documents too.
        has_graph: Whether the graph was built again, or updated.
        keeps_symbols: Whether the documents of nodes without a file stay as they are.
    """

    documents: CodeDocuments
    paths: Sequence[str]
    with_symbols: bool = False
    has_graph: bool = False
    keeps_symbols: bool = False

    def tasks(self) -> Iterator[tuple[CodeTask, int]]:
        """Yield the tasks, each with its size in bytes."""
        yield from self.documents.tasks(self.paths)
        if self.with_symbols:
            yield from self.documents.symbol_tasks()


@dataclass(slots=True)
class CodeUpdate:
    """The code of one run.

    Attributes:
        runner: The runner.
        changes: The changed files.
        roots: The paths to index.
        urls: The folders in object storage to index.
        graphs: Graphs that are built already, by the name of their application.
        counts: The changes to the graph.
        names_changed: Whether symbols were added or deleted.
        notes: Remarks on the graph for the user.
    """

    runner: Runner
    changes: Changes
    roots: Sequence[Path]
    urls: Sequence[str] = ()
    graphs: dict[str, Graph] = field(default_factory=dict)
    counts: GraphCounts = field(default_factory=GraphCounts)
    names_changed: bool = False
    notes: list[str] = field(default_factory=list)

    def todo(self) -> list[ApplicationFiles]:
        """Return the applications whose graph or documents are out of date."""
        stored = {app.id: app for app in self.runner.store.applications()}
        changed = self.changes.changed_code
        groups = self._groups(list(stored.values()))
        found = [
            group
            for group in groups
            if not changed.isdisjoint(group.files)
            or self._is_outdated(group, stored.get(group.name))
        ]
        # Applications without any file left that still have a graph.
        named = {group.name for group in groups}
        for app in stored.values():
            root = app.metadata.get(ROOT)
            if app.id not in named and root is not None and app.nodes:
                found.append(ApplicationFiles.at(app.id, root, self.runner.project))
        return [group for group in found if self._can_read(group)]

    def prepare(self, group: ApplicationFiles, tell: Callable[[str], None]) -> CodeWork:
        """Replace the graph of an application; return its documents to be written.

        Call `complete` once they are written. `tell` is called with the name of each
        step.
        """
        store = self.runner.store
        store.put_application(group.name)
        state = _state(store.get_application(group.name))
        changed = self.changes.changed_code & set(group.files)
        contents = self.changes.contents
        if state == self._fingerprint(group) and not _need_graph(group, changed):
            empty = Graph(application=group.name, nodes=(), edges=())
            return CodeWork(CodeDocuments(group, empty, contents), sorted(changed))
        if state is not None:
            update = find_shape_update(store, group, changed, state)
            if update is not None:
                return self._update(group, update, changed)
        graph, replaced = self._store_graph(group, tell)
        self.counts.add(graph, replaced)
        self.notes += _notes(graph.report)
        self.names_changed |= bool(replaced.nodes_inserted or replaced.nodes_deleted)
        if state is None:
            changed = set(group.files)
        else:
            changed |= _affected(replaced, graph) & set(group.files)
        tell("")
        documents = CodeDocuments(group, graph, contents)
        paths = sorted(changed)
        if state is None:
            sizes = [group.files[path].size for path in paths]
            workers = self.runner.config.processes
            paths = spread_first(paths, sizes, workers=workers)
        return CodeWork(
            documents,
            paths,
            with_symbols=self.runner.config.plans_nodes,
            has_graph=True,
        )

    def _update(
        self, group: ApplicationFiles, update: ShapeUpdate, changed: set[str]
    ) -> CodeWork:
        """Update the graph by files that keep their shape."""
        store = self.runner.store
        update.store(store)
        self.counts.nodes += store.get_application(group.name).nodes
        self.counts.edges += store.count_edges(group.name)
        self.counts.nodes_written += len(update.changed)
        self.notes += update.notes()
        return CodeWork(
            CodeDocuments(group, update.graph, self.changes.contents),
            sorted(update.paths | changed),
            has_graph=True,
            keeps_symbols=True,
        )

    def complete(
        self, group: ApplicationFiles, work: CodeWork, written: Written
    ) -> None:
        """Record that the graph and all documents of an application are stored."""
        if not work.has_graph:
            return
        store = self.runner.store
        done = {path for path, _ in written.stored}
        done.update(problem.path for problem in written.problems)
        if not work.keeps_symbols:
            symbols = store.symbol_documents(group.name)
            self.changes.gone += sorted(set(symbols) - done)
        digests = work.documents.digests() | written.digests
        store.put_application(group.name, {GRAPH: self._fingerprint(group, digests)})

    def add(self, done: ApplicationDone) -> None:
        """Add what a task did with an application."""
        self.counts += done.counts
        self.names_changed |= done.names_changed
        self.notes += done.notes
        self.changes.gone += done.gone

    def _can_read(self, group: ApplicationFiles) -> bool:
        """Whether the files are here, or in object storage that this run reads."""
        return not group.url or any(
            is_inside(url, [group.url]) or is_inside(group.url, [url])
            for url in self.urls
        )

    def _is_outdated(self, group: ApplicationFiles, known: Application | None) -> bool:
        """Whether the stored graph is not the graph of the files."""
        if not group.graph_sources() and not _has_nodes(known):
            return False
        return _state(known) != self._fingerprint(group)

    def _groups(self, stored: Sequence[Application]) -> list[ApplicationFiles]:
        return group_files(
            self.changes.code,
            project=self.runner.project,
            roots=self.roots,
            stored=stored,
            urls=self.urls,
        )

    def _fingerprint(
        self, group: ApplicationFiles, read: Mapping[str, str] | None = None
    ) -> str:
        """Return the fingerprint of the files that the graph depends on.

        `read` has the hashes of the files as the graph was built from them.
        """
        digests = {**self.changes.digests, **(read or {})}
        return fingerprint_files(
            (group.inner_path(path), digests.get(path, ""))
            for path in group.graph_sources()
        )

    def _store_graph(
        self, group: ApplicationFiles, tell: Callable[[str], None]
    ) -> tuple[Graph, GraphReplaced]:
        how = GraphBuild(
            workers=self.runner.config.workers,
            graph=self.graphs.pop(group.name, None),
        )
        return store_graph(
            self.runner.store,
            group,
            how,
            keep_chunks=True,
            on_step=tell,
        )


def _state(application: Application | None) -> str | None:
    """Return the fingerprint of a complete graph and its documents, or None."""
    return None if application is None else application.metadata.get(GRAPH)


def _need_graph(group: ApplicationFiles, changed: Collection[str]) -> bool:
    """Whether any of the changed files is part of the graph."""
    files = (group.files[path] for path in changed)
    return any(file.has_grammar for file in files)


def _notes(report: BuildReport) -> list[str]:
    notes = [f"{item.path}: {item.reason}" for item in report.fallbacks]
    notes += [
        f"{item.path}: not in the code graph: {item.reason}" for item in report.failed
    ]
    return notes


def missing_grammars(files: Iterable[SourceFile]) -> list[str]:
    """Return which grammars to install for files that are now cut by lines."""
    missing = Counter(
        file.lang for file in files if file.lang in languages() and not file.has_grammar
    )
    return [
        f"no grammar for {lang}: {number} files are cut by lines; "
        f"pip install 'outcrop[{language(lang).extra}]'"
        for lang, number in sorted(missing.items())
        if lang is not None
    ]


def _has_nodes(application: Application | None) -> bool:
    return application is not None and application.nodes > 0


def _affected(replaced: GraphReplaced, graph: Graph) -> set[str]:
    """Return the files with chunks that mention a changed node or edge."""
    concerned = {*replaced.touched, *replaced.changed}
    for edge in graph.edges:
        # The chunks that use a node mention its line, which may have moved.
        if edge.src in replaced.changed or edge.dst in replaced.changed:
            concerned.add(edge.src)
            concerned.add(edge.dst)
    return {
        node.file_path
        for node in graph.nodes
        if node.file_path is not None and node.id in concerned
    }
