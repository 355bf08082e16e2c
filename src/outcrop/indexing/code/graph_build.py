"""Building the code graph of a folder into the store, without any documents."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from outcrop.codegraph import build
from outcrop.errors import InputError
from outcrop.indexing.code.applications import PROJECT_ROOT, ROOT, ApplicationFiles
from outcrop.indexing.code.update import BUILT, GRAPH, fingerprint_files
from outcrop.indexing.files.discover import discover
from outcrop.indexing.files.fingerprint import content_hash
from outcrop.indexing.report import GraphCounts, GraphReport, Progress
from outcrop.store.leases import hold_lease
from outcrop.store.projects.claim import claim_space

if TYPE_CHECKING:
    from pathlib import Path

    from outcrop.codegraph.resolve import ResolutionLevel
    from outcrop.indexing.report import OnProgress
    from outcrop.indexing.run import Runner
    from outcrop.model.application import Application


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
    if not path.exists():
        raise InputError(f"there is no file or folder at {str(path)!r}")
    claim_space(runner.database, runner.project)
    with hold_lease(runner.database, "index"):
        stored = {app.id: app for app in runner.store.applications()}
        group = _find_files(runner, path, application, stored)
        _tell(on_progress, group, "reading")
        finished = fingerprint_files(_digests(group), level)
        known = stored.get(group.name)
        if known is not None and _is_complete(known, finished):
            seconds = time.monotonic() - started
            return _report(group, unchanged=True, seconds=seconds)
        _tell(on_progress, group, "code graph")
        files = group.graph_files()
        workers = runner.config.workers
        graph = build(group.root, group.name, level=level, files=files, workers=workers)
        _tell(on_progress, group, "storing")
        runner.store.put_application(group.name)
        counts = GraphCounts()
        replaced = runner.store.replace_graph(
            group.name,
            group.as_documents(graph.nodes),
            graph.edges,
            # The documents of an index are now behind: its next run compares them all.
            metadata={GRAPH: None, BUILT: finished},
            keep_chunks=known is not None and ROOT in known.metadata,
        )
    counts.add(graph, replaced)
    return GraphReport(
        application=group.name,
        files=len(files),
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
    found = []
    for file in group.files.values():
        try:
            digest = content_hash(file.file.read_bytes())
        except OSError:
            digest = ""
        found.append((group.inner_path(file.path), digest))
    return found


def _is_complete(known: Application, finished: str) -> bool:
    return finished in (known.metadata.get(BUILT), known.metadata.get(GRAPH))


def _report(group: ApplicationFiles, *, unchanged: bool, seconds: float) -> GraphReport:
    return GraphReport(
        application=group.name,
        files=len(group.files),
        unchanged=unchanged,
        seconds=seconds,
    )


def _tell(on_progress: OnProgress | None, group: ApplicationFiles, doing: str) -> None:
    if on_progress is not None:
        size = sum(file.size for file in group.files.values())
        on_progress(Progress.of(doing, total_files=len(group.files), total_bytes=size))
