"""The Search view: results while the user types, and the packed context."""

from __future__ import annotations

import time
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, Field

from outcrop.errors import InputError
from outcrop.http.service import Served
from outcrop.indexing.index import Index
from outcrop.web.hit_view import show_hits
from outcrop.web.render import render

router = APIRouter()

# Choices of the form, by value.
MODES = {"hybrid": "Everything", "vector": "Meaning", "text": "Words"}
SOURCES = {"": "All", "doc": "Documents", "code": "Code"}
FOLLOWS = {
    "": "nothing",
    "calls": "calls",
    "types": "types",
    "mentions": "mentions",
    "all": "everything",
}


class SearchForm(BaseModel):
    """The values of the form."""

    q: str = Field("", max_length=2_000)
    mode: Literal["hybrid", "vector", "text"] = "hybrid"
    source: Literal["", "doc", "code"] = ""
    path: str = Field("", max_length=2_000)
    follow: Literal["", "calls", "types", "mentions", "all"] = ""
    limit: int = Field(10, ge=1, le=100)
    tokens: int = Field(2_000, ge=50, le=32_000)

    @property
    def is_blank(self) -> bool:
        """Whether there is no query."""
        return not self.q.strip()

    def filters(self) -> dict[str, Any]:
        """Return the filters of the search."""
        return {
            "mode": self.mode,
            "kind": self.source or None,
            "path_glob": self.path.strip() or None,
            "expand": self.follow or None,
        }


Form = Annotated[SearchForm, Query()]


@router.get("/")
async def search_page(service: Served, asked: Form) -> HTMLResponse:
    """Show the form and, if there is a query, its results."""

    def work() -> str:
        return render(
            "search.html",
            view="search",
            status=service.index.status(),
            asked=asked,
            modes=MODES,
            sources=SOURCES,
            follows=FOLLOWS,
            found=_find(service.index, asked),
            packed=_pack(service.index, asked),
        )

    return HTMLResponse(await service.searches.run(work))


@router.get("/parts/results")
async def results_part(service: Served, asked: Form) -> HTMLResponse:
    """Render the results, for a page that is already open."""

    def work() -> str:
        status = service.index.status() if asked.is_blank else None
        found = _find(service.index, asked)
        return render("results.html", status=status, asked=asked, found=found)

    return HTMLResponse(await service.searches.run(work))


@router.get("/parts/context")
async def context_part(service: Served, asked: Form) -> HTMLResponse:
    """Render the packed context, for a page that is already open."""

    def work() -> str:
        packed = _pack(service.index, asked)
        return render("context.html", asked=asked, packed=packed)

    return HTMLResponse(await service.searches.run(work))


def _find(index: Index, asked: SearchForm) -> dict[str, Any] | None:
    """Return the hits, or what is wrong with the query; None if it is blank."""
    if asked.is_blank:
        return None
    started = time.perf_counter()
    try:
        hits = index.search(asked.q, asked.limit, **asked.filters())
    except InputError as error:
        return {"hits": [], "error": str(error), "milliseconds": 0}
    milliseconds = 1000 * (time.perf_counter() - started)
    return {"hits": show_hits(hits), "error": "", "milliseconds": milliseconds}


def _pack(index: Index, asked: SearchForm) -> Any:
    if asked.is_blank:
        return None
    try:
        return index.context(asked.q, asked.tokens, **asked.filters())
    except InputError:
        return None  # the results say what is wrong
