"""Groups files of code by application.

The code of a project is one application. A folder outside the project or in object
storage is another one, whose names start at that folder.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from outcrop.indexing.files.discover import is_inside
from outcrop.indexing.files.kinds import MANIFESTS
from outcrop.indexing.paths import is_remote

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from outcrop.codegraph import Graph
    from outcrop.indexing.files.discover import SourceFile
    from outcrop.model.graph import Application

# The stored root of the project's own application, wherever the project is.
PROJECT_ROOT = "."
ROOT = "root"


@dataclass(slots=True)
class ApplicationFiles:
    """The files of one application.

    Attributes:
        name: Its name.
        root: The folder that qualified names start from; a copy of `url`, if there is
            one.
        is_project: Whether that is the project's folder.
        files: Its files by document path.
        url: The folder in object storage that the files are in; empty for files here.
    """

    name: str
    root: Path
    is_project: bool
    files: dict[str, SourceFile] = field(default_factory=dict)
    url: str = ""

    @classmethod
    def at(cls, name: str, place: str, project: Path) -> ApplicationFiles:
        """Return the application of a stored root, without files."""
        is_project, url = place == PROJECT_ROOT, place if is_remote(place) else ""
        root = project if is_project else Path(place)
        return cls(name, root, is_project=is_project, url=url)

    @property
    def stored_root(self) -> str:
        """The root as it is stored."""
        return PROJECT_ROOT if self.is_project else self.url or self.root.as_posix()

    def graph_files(self) -> list[tuple[str, str]]:
        """Return (path from the root, language) of the files in the code graph."""
        return [
            (self.inner_path(file.path), file.lang)
            for file in self.files.values()
            if file.has_grammar and file.lang is not None
        ]

    def graph_sources(self) -> list[str]:
        """Return the documents that the code graph depends on."""
        return [
            path
            for path, file in self.files.items()
            if file.has_grammar or file.file.name.lower() in MANIFESTS
        ]

    def inner_path(self, document: str) -> str:
        """Return the path of a document relative to the root."""
        return document if self.is_project else document.removeprefix(self._prefix)

    def document_path(self, inner: str) -> str:
        """Return the document path of a path relative to the root."""
        return inner if self.is_project else f"{self._prefix}{inner}"

    def as_documents(self, graph: Graph) -> Graph:
        """Return a graph whose nodes have the paths of documents as their files."""
        if self.is_project:
            return graph
        nodes = tuple(
            node
            if node.file_path is None
            else node._replace(file_path=self.document_path(node.file_path))
            for node in graph.nodes
        )
        return replace(graph, nodes=nodes)

    @property
    def _prefix(self) -> str:
        return f"{self.stored_root.rstrip('/')}/"


def group_files(
    files: Iterable[SourceFile],
    *,
    project: Path,
    roots: Sequence[Path],
    stored: Sequence[Application],
    urls: Sequence[str] = (),
) -> list[ApplicationFiles]:
    """Return the applications with their files, the project's first.

    Stored names are kept.
    """
    names = {str(app.metadata.get(ROOT, "")): app.name for app in stored}
    # The name of a folder may be any bytes.
    folder = project.name.encode(errors="backslashreplace").decode()
    own = names.get(PROJECT_ROOT, folder or "project")
    groups = {PROJECT_ROOT: ApplicationFiles.at(own, PROJECT_ROOT, project)}
    folders = {root.parent if root.is_file() else root for root in roots}
    outside = {f.as_posix() for f in folders if not f.is_relative_to(project)}
    outside |= {root for root in names if root.startswith("/") or is_remote(root)}
    # Outer folders first: a file belongs to the outermost one that contains it.
    places = sorted({*outside, *urls})
    for file in files:
        place = _place_of(file.path, places)
        if place not in groups:
            taken = {group.name for group in groups.values()}
            name = names.get(place) or _free_name(place, taken, stored)
            groups[place] = ApplicationFiles.at(name, place, project)
        groups[place].files[file.path] = file
    return [group for group in groups.values() if group.files or group.is_project]


def _place_of(path: str, places: Sequence[str]) -> str:
    """Return the folder, URL or project that a file of code belongs to."""
    if not path.startswith("/") and not is_remote(path):
        return PROJECT_ROOT
    folder = path.rpartition("/")[0]
    return next((p for p in places if is_inside(folder, [p])), folder or "/")


def _free_name(place: str, taken: set[str], stored: Sequence[Application]) -> str:
    used = taken | {app.name for app in stored}
    name = place.rpartition("/")[2]
    return name if name and name not in used else place
