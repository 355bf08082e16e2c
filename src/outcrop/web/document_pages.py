"""The Document view: a text with its chunks, as indexed or cut with other settings."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, ConfigDict, Field

from outcrop.chunking.config import STRATEGY_NAMES
from outcrop.errors import InputError
from outcrop.http.routes.documents import DOCUMENT_ROUTE
from outcrop.http.service import Served
from outcrop.indexing.index import Index
from outcrop.web.cut_view import CutSettings, cut_again, cut_as_indexed
from outcrop.web.render import render

router = APIRouter()

_MAX_LISTED = 500
_MAX_TEXT_CHARS = 500_000


@router.get("/documents")
async def documents_page(
    service: Served, q: Annotated[str, Query(max_length=1000)] = ""
) -> HTMLResponse:
    """List the documents whose path or title contains some text."""

    def work() -> str:
        listed = service.index.documents()
        wanted = q.strip().lower()
        found = [
            document
            for document in listed
            if wanted in document.path.lower()
            or wanted in (document.title or "").lower()
        ]
        return render(
            "documents.html",
            view="documents",
            q=q,
            total=len(listed),
            found=len(found),
            documents=found[:_MAX_LISTED],
        )

    return HTMLResponse(await service.jobs.run(work))


@router.get("/paste")
async def paste_page() -> HTMLResponse:
    """Show an empty field for a text to cut."""
    return HTMLResponse(
        render(
            "document.html",
            view="documents",
            document=None,
            cut=None,
            settings=CutSettings(),
            strategies=STRATEGY_NAMES,
        )
    )


@router.get(DOCUMENT_ROUTE)
async def document_page(path: str, service: Served) -> HTMLResponse:
    """Show a document as it was indexed."""

    def work() -> str:
        _refuse_nul(path)
        document = service.index.store.get_document(path)
        cut = cut_as_indexed(service.index, document)
        return render(
            "document.html",
            view="documents",
            document=document,
            cut=cut,
            settings=CutSettings(),
            strategies=STRATEGY_NAMES,
        )

    return HTMLResponse(await service.jobs.run(work))


class CutBody(BaseModel):
    """A document or text to cut, and the settings."""

    model_config = ConfigDict(extra="forbid", strict=True)

    path: str | None = Field(None, max_length=4096)
    text: str | None = Field(None, max_length=_MAX_TEXT_CHARS)
    as_indexed: bool = False
    size: int = Field(1000, ge=20, le=20_000)
    overlap: int = Field(0, ge=0, le=20_000)
    strategy: Literal["", "code_aware", "structural", "fallback"] = ""
    oversize: Literal["keep", "split"] = "keep"
    unit: Literal["characters", "tokens"] = "characters"

    def settings(self) -> CutSettings:
        """Return the settings; the overlap is kept below the size."""
        return CutSettings(
            size=self.size,
            overlap=min(self.overlap, self.size - 1),
            strategy=self.strategy,
            oversize=self.oversize,
            unit=self.unit,
        )


@router.post("/parts/cut")
async def cut_part(body: CutBody, service: Served) -> HTMLResponse:
    """Cut a document of the index, or a text of the request."""
    return HTMLResponse(await service.jobs.run(lambda: _cut(service.index, body)))


def _cut(index: Index, body: CutBody) -> str:
    if body.path is None:
        cut: Any = cut_again("pasted text", body.text or "", body.settings())
        return render("cut.html", document=None, cut=cut)
    _refuse_nul(body.path)
    document = index.store.get_document(body.path)
    indexed = cut_as_indexed(index, document)
    if body.as_indexed or document.kind != "markdown":
        return render("cut.html", document=document, cut=indexed)
    cut = cut_again(document.path, indexed.text, body.settings())
    return render("cut.html", document=document, cut=cut)


def _refuse_nul(path: str) -> None:
    if "\0" in path:
        raise InputError(f"invalid path {path!r}: it holds a NUL")
