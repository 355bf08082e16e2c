"""Groups files of code by application.

The code of a project is one application. A folder outside the project is another one,
whose names start at that folder.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from outcrop.indexing.files.kinds import MANIFESTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

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
        root: The folder that qualified names start from.
        is_project: Whether that is the project's folder.
        files: Its files by document path.
    """

    name: str
    root: Path
    is_project: bool
    files: dict[str, SourceFile] = field(default_factory=dict)

    @property
    def stored_root(self) -> str:
        """The root as it is stored."""
        return PROJECT_ROOT if self.is_project else self.root.as_posix()

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
            else replace(node, file_path=self.document_path(node.file_path))
            for node in graph.nodes
        )
        return replace(graph, nodes=nodes)

    @property
    def _prefix(self) -> str:
        return f"{self.root.as_posix().rstrip('/')}/"


def group_files(
    files: Iterable[SourceFile],
    *,
    project: Path,
    roots: Sequence[Path],
    stored: Sequence[Application],
) -> list[ApplicationFiles]:
    """Return the applications with their files, the project's first; stored names are kept."""
    names = {str(app.metadata.get(ROOT, "")): app.name for app in stored}
    own = names.get(PROJECT_ROOT, project.name or "project")
    groups = {project: ApplicationFiles(own, project, is_project=True)}
    outside = [project.__class__(root) for root in names if root.startswith("/")]
    outside += [root.parent if root.is_file() else root for root in roots]
    # Outer folders first: a file belongs to the outermost one that contains it.
    outside = sorted({root for root in outside if not root.is_relative_to(project)})
    for file in files:
        if not file.path.startswith("/"):
            groups[project].files[file.path] = file
            continue
        root = next((r for r in outside if file.file.is_relative_to(r)), None)
        root = file.file.parent if root is None else root
        if root not in groups:
            taken = {group.name for group in groups.values()}
            name = names.get(root.as_posix()) or _free_name(root, taken, stored)
            groups[root] = ApplicationFiles(name, root, is_project=False)
        groups[root].files[file.path] = file
    return [group for group in groups.values() if group.files or group.is_project]


def _free_name(root: Path, taken: set[str], stored: Sequence[Application]) -> str:
    used = taken | {app.name for app in stored}
    return root.name if root.name and root.name not in used else root.as_posix()
