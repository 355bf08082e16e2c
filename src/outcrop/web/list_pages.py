"""The Documents view: a tree of folders, or a list that is filtered and sorted."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, Field

from outcrop.http.service import Served
from outcrop.indexing.sharded import AnyIndex
from outcrop.web.render import kind_of, render

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from outcrop.model.stored import Document


_MAX_ROWS = 1_000
_MAX_DEPTH = 20
_MAX_OPEN = 40  # rows that are unfolded at first


@dataclass(slots=True, kw_only=True)
class Folder:
    """A folder with documents somewhere below it."""

    path: str  # its path, with a slash at the end; empty for the project
    # The end of the path, with several names where folders hold nothing else.
    name: str = ""
    count: int = 0  # number of documents below it
    folders: list[Folder] = field(default_factory=list)  # the folders in it
    documents: list[Document] = field(default_factory=list)  # the documents in it
    # Whether its contents are on the page; otherwise it has a page of its own.
    is_shown: bool = False
    is_open: bool = False  # whether it is unfolded at first
    left_out: int = 0  # number of its own documents that are not on the page


def make_tree(documents: Iterable[Document], folder: str = "") -> Folder:
    """Return the documents below a folder as a tree, in their order, dot-folders last.

    The path of the folder has a slash at its end; it is empty for the project.
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


_MAX_LISTED = 500
_NEVER = datetime.fromtimestamp(0, UTC)
# Order of the list -> its name on the page, and its key. Documents that are equal by it
# stay in the order of their paths.
_SORTS: dict[str, tuple[str, Callable[[Document], Any]]] = {
    "path": ("folder", lambda each: each.path),
    "recent": ("last indexed", lambda each: -(each.updated_at or _NEVER).timestamp()),
    "title": ("title", lambda each: (each.title or each.path).lower()),
    "size": ("size", lambda each: -(each.size_bytes or 0)),
    "chunks": ("chunks", lambda each: -each.chunk_count),
}

router = APIRouter()


class ListForm(BaseModel):
    """The values of the form."""

    q: str = Field("", max_length=1000)
    kind: str = Field("", max_length=100)
    sort: Literal["path", "recent", "title", "size", "chunks"] = "path"
    folder: str = Field("", max_length=4096)

    @property
    def is_tree(self) -> bool:
        """Whether documents are shown in their folders."""
        return self.sort == "path" and not self.q.strip()

    def choose(self, documents: Sequence[Document]) -> list[Document]:
        """Return the documents that match, in the order that is wanted."""
        words = self.q.lower().split()
        return sorted(
            (
                document
                for document in documents
                if self.kind in ("", kind_of(document))
                and document.path.startswith(self.folder)
                and _matches(document, words)
            ),
            key=_SORTS[self.sort][1],
        )


Form = Annotated[ListForm, Query()]


def _matches(document: Document, words: Sequence[str]) -> bool:
    text = f"{document.path}\n{document.title or ''}".lower()
    return all(word in text for word in words)


@router.get("/documents")
async def documents_page(service: Served, form: Form) -> HTMLResponse:
    """List the documents, in their folders unless they are filtered or sorted."""

    def work() -> str:
        listed = service.index.documents()
        return render(
            "documents.html",
            view="documents",
            total=len(listed),
            kinds=Counter(map(kind_of, listed)).most_common(),
            sorts={value: name for value, (name, _) in _SORTS.items()},
            **_found(form, listed),
        )

    return HTMLResponse(await service.jobs.run(work))


@router.get("/parts/documents")
async def documents_part(service: Served, form: Form) -> HTMLResponse:
    """Render the documents that match, for a page that is already open."""

    def work() -> str:
        index: AnyIndex = service.index
        return render("document_list.html", **_found(form, index.documents()))

    return HTMLResponse(await service.jobs.run(work))


def _found(form: ListForm, listed: Sequence[Document]) -> dict[str, Any]:
    found = form.choose(listed)
    return {
        "form": form,
        "found": len(found),
        "tree": make_tree(found, form.folder) if form.is_tree else None,
        "documents": found[:_MAX_LISTED],
    }
