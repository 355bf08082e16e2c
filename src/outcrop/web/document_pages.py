"""The Document view: a text with its chunks, or as people read it."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import quote, unquote, urlsplit

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse
from markupsafe import Markup
from pydantic import ConfigDict, Field

from outcrop.chunking.config import STRATEGY_NAMES
from outcrop.http.routes.documents import DOCUMENT_ROUTE, check_path
from outcrop.http.service import Served
from outcrop.indexing.documents.document_text import leaves_of, text_of
from outcrop.indexing.files.kinds import MARKDOWN_KINDS
from outcrop.indexing.sharded import AnyIndex
from outcrop.model.stored import Document
from outcrop.presentation.document_html import tree_html, tree_items
from outcrop.presentation.reading import HEADING_ANCHOR, render_reading
from outcrop.web.document_cut import (
    MAX_TEXT_CHARS,
    Cut,
    CutSettings,
    cut_again,
    cut_as_indexed,
)
from outcrop.web.render import render

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


_FIRST = 1  # number of the first heading in anchors


class CutBody(CutSettings):
    """A document or text to cut, and the settings."""

    model_config = ConfigDict(extra="forbid", strict=True)

    path: str | None = Field(None, max_length=4096)
    text: str | None = Field(None, max_length=MAX_TEXT_CHARS)
    as_indexed: bool = False


class DocumentForm(CutSettings):
    """What to show of a document; with settings, it is cut again."""

    view: Literal["source", "read"] = "source"

    @property
    def is_cut_again(self) -> bool:
        """Whether any setting is given."""
        return bool(self.model_fields_set & CutSettings.model_fields.keys())


router = APIRouter()


@router.get("/paste")
async def paste_page() -> HTMLResponse:
    """Show an empty field for a text to cut."""
    return HTMLResponse(_document_page(settings=CutSettings()))


@router.get(DOCUMENT_ROUTE)
async def document_page(
    path: str, service: Served, form: Annotated[DocumentForm, Query()]
) -> HTMLResponse:
    """Show a document as it was indexed, as people read it, or cut again."""

    def work() -> str:
        check_path(path)
        index = service.index
        document = index.store.get_document(path)
        if form.view == "read" and document.kind in MARKDOWN_KINDS:
            return _reading_page(index, document)
        is_cut_again = form.is_cut_again and document.kind in MARKDOWN_KINDS
        indexed = cut_as_indexed(index, document)
        settings = CutSettings.of_index(index.config)
        return _document_page(
            document=document,
            cut=cut_again(path, indexed.text, form) if is_cut_again else indexed,
            is_cut_again=is_cut_again,
            is_as_set=indexed.is_as_set,
            indexed=settings,
            settings=form if is_cut_again else settings,
        )

    return HTMLResponse(await service.jobs.run(work))


def _document_page(**values: Any) -> str:
    defaults = {
        "view": "documents",
        "document": None,
        "cut": None,
        "is_cut_again": False,
        "is_as_set": False,
        "indexed": None,
        "strategies": STRATEGY_NAMES,
        "is_markdown": True,
    }
    if document := values.get("document"):
        defaults["is_markdown"] = document.kind in MARKDOWN_KINDS
    return render("document.html", **(defaults | values))


def _reading_page(index: AnyIndex, document: Document) -> str:
    leaves = leaves_of(index.store.chunks_of(document.path))
    shown = [leaf for leaf in leaves if (leaf.end_offset or 0) <= MAX_TEXT_CHARS]
    reading = render_reading(
        text_of(shown),
        [(leaf.start_offset or 0, leaf.id) for leaf in shown],
        lambda targets: resolve_links(index, document.path, targets),
    )
    items = "".join(tree_items(reading.nodes, 0, _FIRST))
    return render(
        "reading.html",
        view="documents",
        document=document,
        is_markdown=True,
        tree=Markup(tree_html(items, "Sections")),  # noqa: S704 - escaped there
        text=Markup(reading.html),  # noqa: S704 - escaped there
        is_whole=len(shown) == len(leaves),
    )


@router.post("/parts/cut")
async def cut_part(body: CutBody, service: Served) -> HTMLResponse:
    """Cut a document of the index, or a text of the request."""
    return HTMLResponse(await service.jobs.run(lambda: _cut(service.index, body)))


def _cut(index: AnyIndex, body: CutBody) -> str:
    if body.path is None:
        cut: Cut = cut_again("pasted text", body.text or "", body)
        return render("cut.html", document=None, cut=cut)
    check_path(body.path)
    document = index.store.get_document(body.path)
    indexed = cut_as_indexed(index, document)
    if body.as_indexed or document.kind not in MARKDOWN_KINDS:
        return render("cut.html", document=document, cut=indexed)
    cut = cut_again(document.path, indexed.text, body)
    return render("cut.html", document=document, cut=cut)


# Nothing else can be followed: `javascript:` and `data:` among others would run.
_OUTSIDE = re.compile(r"(?:https?://|mailto:)[^\s\x00-\x20]+", re.IGNORECASE)
# What a link may leave out of the name of a page.
_ENDINGS = ("", ".md", ".mdx", "/index.md", "/README.md", "/_index.md")


def resolve_links(index: AnyIndex, path: str, targets: Iterable[str]) -> dict[str, str]:
    """Return the addresses of those link targets in a document that may be followed."""
    addresses: dict[str, str] = {}
    places: dict[str, tuple[list[str], str]] = {}
    for target in targets:
        if _OUTSIDE.fullmatch(target):
            addresses[target] = target
        elif target.startswith("#"):
            addresses[target] = _anchor(target[1:]) or "#main"
        elif (place := _place(path, target)) is not None:
            places[target] = place
    names = {name for candidates, _ in places.values() for name in candidates}
    kinds = {each.path: each.kind for each in index.store.get_documents(names)}
    for target, (candidates, fragment) in places.items():
        found = next((name for name in candidates if name in kinds), None)
        if found is not None:
            view = "?view=read" if kinds[found] in MARKDOWN_KINDS else ""
            addresses[target] = f"/documents/{quote(found)}{view}{_anchor(fragment)}"
    return addresses


def _anchor(fragment: str) -> str:
    return f"#{HEADING_ANCHOR}{quote(unquote(fragment).lower())}" if fragment else ""


def _place(path: str, target: str) -> tuple[list[str], str] | None:
    """Return the paths that a target may mean, and the heading in it."""
    try:
        parts = urlsplit(target)
    except ValueError:
        return None
    name = unquote(parts.path)
    if parts.scheme or parts.netloc or not name or "\0" in name:
        return None
    folder = "" if name.startswith("/") else posixpath.dirname(path)
    whole = posixpath.normpath(posixpath.join(folder, name.lstrip("/")))
    if whole.startswith(".."):
        return None
    return list(_candidates(whole)), parts.fragment


def _candidates(whole: str) -> Iterator[str]:
    for ending in _ENDINGS:
        yield whole + ending
    stem, dot, ending = whole.rpartition(".")
    if dot and ending == "html":
        yield f"{stem}.md"
