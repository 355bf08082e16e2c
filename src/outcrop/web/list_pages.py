"""The Documents view: a tree of folders, or a list that is filtered and sorted."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, Field

from outcrop.http.service import Served
from outcrop.indexing.sharded import AnyIndex
from outcrop.web.folder_tree import make_tree
from outcrop.web.render import kind_of, render

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from outcrop.model.stored import Document

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
