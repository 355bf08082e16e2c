"""The code graph of an application: build it and put it into the store.

The metadata of an application records the state: `graph` is the fingerprint of the
files whose graph and documents are stored, `built` that of the files whose graph
only is. Both are null while a graph is being replaced, so that an interrupted run is
detected and the next one compares everything.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

from outcrop import __version__
from outcrop.codegraph import Graph, build
from outcrop.codegraph.parsed import keep_facts, load_facts
from outcrop.indexing.code.applications import PROJECT_ROOT, ROOT, ApplicationFiles
from outcrop.indexing.files.content import read_content
from outcrop.indexing.files.discover import discover
from outcrop.indexing.paths import require_paths
from outcrop.indexing.report import GraphCounts, GraphReport, Progress
from outcrop.store.facts import FileFacts, FileShape
from outcrop.store.leases import hold_lease
from outcrop.store.projects.manage import claim_space

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from outcrop.codegraph.parsed import ParsedFile
    from outcrop.codegraph.resolve import ResolutionLevel
    from outcrop.indexing.report import OnProgress
    from outcrop.indexing.run import Runner
    from outcrop.model.graph import Application
    from outcrop.store.graph import GraphReplaced
    from outcrop.store.store import PostgresStore

# Keys in the metadata of an application; see above.
GRAPH = "graph"
BUILT = "built"
# Bump when the same files would give another graph.
_GRAPH_VERSION = 5
FACTS_VERSION = f"{__version__}/{_GRAPH_VERSION}"


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphBuild:
    """How to build the graph of an application.

    Attributes:
        workers: Processes to parse in; one per core where None.
        level: `flow` follows values across calls; `local` stays within each function.
        graph: The graph, if it is built already.
    """

    workers: int | None
    level: ResolutionLevel = "flow"
    graph: Graph | None = None

    def run(
        self, group: ApplicationFiles, known: Mapping[str, ParsedFile] | None = None
    ) -> Graph:
        """Build the graph of an application, with the paths of its documents.

        `known` has the facts of files that have not changed, by path from the root.
        """
        if self.graph is not None:
            return self.graph
        previous = Graph(application=group.name, nodes=(), edges=(), facts=known or {})
        graph = build(
            group.root,
            group.name,
            level=self.level,
            files=group.graph_files(),
            previous=previous,
            workers=self.workers,
        )
        return group.as_documents(graph)


def store_graph(
    store: PostgresStore,
    group: ApplicationFiles,
    how: GraphBuild,
    *,
    built: str | None = None,
    names_root: bool = True,
    keep_chunks: bool = False,
    on_step: Callable[[str], None] = lambda _: None,
) -> tuple[Graph, GraphReplaced]:
    """Build the graph of an application and replace the stored one.

    Args:
        store: Where the graph goes.
        group: The application and its files.
        how: How to build.
        built: Fingerprint of the files, if only the graph is stored.
        names_root: Whether the files are the whole application, so that later runs
            find its root in the store.
        keep_chunks: Keep the chunks of deleted nodes, because the caller replaces them.
        on_step: Called with the name of each step.

    Returns:
        The graph, whose nodes have the paths of documents as their files, and what
        changed in the store.
    """
    on_step("code graph")
    store.put_application(group.name)
    known = store.file_shapes(group.name, FACTS_VERSION)
    graph = how.run(group, _load_facts(store, group, known))
    on_step("storing the graph")
    root = {ROOT: group.stored_root} if names_root else {}
    replaced = store.replace_graph(
        group.name,
        graph.nodes,
        graph.edges,
        metadata={GRAPH: None, BUILT: built, **root},
        keep_chunks=keep_chunks,
    )
    _keep_facts(store, group, graph, known)
    return graph, replaced


def _load_facts(
    store: PostgresStore, group: ApplicationFiles, known: Mapping[str, FileShape]
) -> dict[str, ParsedFile]:
    """Return the facts that are kept of an application's files, by path from the root."""
    paths = [path for path in group.graph_sources() if path in known]
    kept = store.file_facts(group.name, FACTS_VERSION, paths)
    return {group.inner_path(path): load_facts(data) for path, data in kept.items()}


def _keep_facts(
    store: PostgresStore,
    group: ApplicationFiles,
    graph: Graph,
    known: Mapping[str, FileShape],
) -> None:
    """Keep the facts that a graph was built from."""
    files: dict[str, FileFacts] = {}
    for path in group.graph_sources():
        inner = group.inner_path(path)
        facts, module = graph.facts.get(inner), graph.modules.get(inner, "")
        stored = known.get(path)
        if facts is None:
            content = read_content(group.files[path].file)
            shape = FileShape(content.digest if content else "", "", "")
            files[path] = FileFacts(shape, None)
        elif stored is None or (stored.digest, stored.module) != (facts.digest, module):
            files[path] = make_facts(facts, module)
    store.put_file_facts(group.name, FACTS_VERSION, files, only=group.graph_sources())


def make_facts(facts: ParsedFile, module: str) -> FileFacts:
    """Return the facts of a file as they are stored."""
    kept = keep_facts(facts)
    return FileFacts(FileShape(kept.digest, kept.shape, module), kept.data)


def fingerprint_files(files: Iterable[tuple[str, str]], level: str = "flow") -> str:
    """Return a hash of the paths and contents that a graph was built from."""
    key = f"{__version__}\0{_GRAPH_VERSION}\0{level}"
    digest = blake2b(key.encode(), digest_size=16)
    for path, content in sorted(files):
        digest.update(f"\0{path}\0{content}".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def build_graph(
    runner: Runner,
    path: Path,
    *,
    application: str | None,
    level: ResolutionLevel,
    on_progress: OnProgress | None,
) -> GraphReport:
    """Bring the stored graph of a folder up to date; see `Index.build_graph`."""
    started = time.monotonic()
    require_paths([path])
    claim_space(runner.database, runner.project)
    with hold_lease(runner.database, "index"):
        stored = {app.id: app for app in runner.store.applications()}
        group = _find_files(runner, path, application, stored)
        _tell(on_progress, group, "reading")
        finished = fingerprint_files(_digests(group), level)
        known = stored.get(group.name)
        if known is not None and _is_complete(known, finished):
            return GraphReport(
                application=group.name,
                files=len(group.files),
                unchanged=True,
                seconds=time.monotonic() - started,
            )
        graph, replaced = store_graph(
            runner.store,
            group,
            GraphBuild(workers=runner.config.workers, level=level),
            built=finished,
            names_root=False,
            keep_chunks=known is not None and ROOT in known.metadata,
            on_step=lambda step: _tell(on_progress, group, step),
        )
    counts = GraphCounts()
    counts.add(graph, replaced)
    return GraphReport(
        application=group.name,
        files=len(group.graph_files()),
        graph=counts,
        problems=graph.report.lines()[:-1],
        seconds=time.monotonic() - started,
    )


def _find_files(
    runner: Runner,
    path: Path,
    application: str | None,
    stored: dict[str, Application],
) -> ApplicationFiles:
    project = runner.project
    found = discover([path], project, runner.config)
    is_inside = path.is_relative_to(project)
    outer = path if path.is_dir() else path.parent
    name = application or _default_name(path, project, stored)
    root = project if is_inside else outer
    group = ApplicationFiles(name, root, is_project=is_inside)
    group.files = {file.path: file for file in found.files.values() if file.lang}
    group.files = {path: group.files[path] for path in group.graph_sources()}
    return group


def _default_name(path: Path, project: Path, stored: dict[str, Application]) -> str:
    if path != project:
        return path.name
    own = (app.id for app in stored.values() if app.metadata.get(ROOT) == PROJECT_ROOT)
    return next(own, project.name or "project")


def _digests(group: ApplicationFiles) -> list[tuple[str, str]]:
    contents = ((path, read_content(f.file)) for path, f in group.files.items())
    return [
        (group.inner_path(path), content.digest if content else "")
        for path, content in contents
    ]


def _is_complete(known: Application, finished: str) -> bool:
    return finished in (known.metadata.get(BUILT), known.metadata.get(GRAPH))


def _tell(on_progress: OnProgress | None, group: ApplicationFiles, doing: str) -> None:
    if on_progress is not None:
        size = sum(file.size for file in group.files.values())
        on_progress(Progress.of(doing, total_files=len(group.files), total_bytes=size))
