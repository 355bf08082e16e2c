"""Documents by folder, as a tree of which a page shows as much as it can hold."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outcrop.model.stored import Document

_MAX_ROWS = 1_000
_MAX_DEPTH = 20
_MAX_OPEN = 40  # rows that are unfolded at first


@dataclass(slots=True, kw_only=True)
class Folder:
    """A folder with documents somewhere below it.

    Attributes:
        path: Its path, with a slash at the end; empty for the project.
        name: The end of the path, with several names where folders hold nothing else.
        count: Number of documents below it.
        folders: The folders in it.
        documents: The documents in it.
        is_shown: Whether its contents are on the page; otherwise it has a page of its own.
        is_open: Whether it is unfolded at first.
        left_out: Number of its own documents that are not on the page.
    """

    path: str
    name: str = ""
    count: int = 0
    folders: list[Folder] = field(default_factory=list)
    documents: list[Document] = field(default_factory=list)
    is_shown: bool = False
    is_open: bool = False
    left_out: int = 0


def make_tree(documents: Iterable[Document], folder: str = "") -> Folder:
    """Return the documents below a folder as a tree, dot-folders last.

    Args:
        documents: In the order they are shown in.
        folder: Path of the folder, with a slash at the end; empty for the project.
    """
    root = Folder(path=folder)
    known = {folder: root}
    for document in documents:
        if document.path.startswith(folder):
            parent = document.path[: document.path.rfind("/") + 1]
            _folder(known, parent).documents.append(document)
    _count(known)
    for each in known.values():
        each.folders.sort(key=lambda one: (one.name.startswith("."), one.name.lower()))
    _join_single(root)
    _choose_shown(root)
    return root


def _folder(known: dict[str, Folder], path: str) -> Folder:
    """Return a folder; it and those around it are made where they are new."""
    made: Folder | None = None
    at = path
    while at not in known:
        above, _, name = at[:-1].rpartition("/")
        folder = known[at] = Folder(path=at, name=name)
        if made is not None:
            folder.folders.append(made)
        made, at = folder, f"{above}/" if above else ""
    if made is not None:
        known[at].folders.append(made)
    return known[path]


def _count(known: dict[str, Folder]) -> None:
    for folder in sorted(known.values(), key=lambda one: -len(one.path)):
        own = len(folder.documents)
        folder.count = own + sum(inner.count for inner in folder.folders)


def _join_single(root: Folder) -> None:
    """Show a folder that holds nothing but one other together with it."""
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        for at, inner in enumerate(folder.folders):
            name, last = inner.name, inner
            while len(last.folders) == 1 and not last.documents:
                last = last.folders[0]
                name = f"{name}/{last.name}"
            last.name = name
            folder.folders[at] = last
        waiting += folder.folders


def _choose_shown(root: Folder) -> None:
    """Show the upper folders first, as many as the page can hold."""
    left, left_open = _MAX_ROWS, _MAX_OPEN
    waiting = deque([(root, 0)])
    while waiting:
        folder, depth = waiting.popleft()
        rows = len(folder.documents) + len(folder.folders)
        if (rows > left and folder is not root) or depth > _MAX_DEPTH:
            continue
        folder.is_shown = True
        folder.is_open = rows <= left_open
        left_open -= rows if folder.is_open else 0
        folder.left_out = max(len(folder.documents) - left, 0)
        folder.documents = folder.documents[:left]
        left -= min(rows, left)
        waiting.extend((inner, depth + 1) for inner in folder.folders)
