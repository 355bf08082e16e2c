"""The Search view: results as one types, and the packed context beside them."""

from __future__ import annotations

import time
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse

from outcrop.errors import InputError
from outcrop.http.service import Served
from outcrop.indexing.index import Index
from outcrop.web.hit_view import show_hits
from outcrop.web.render import render

router = APIRouter()

MODES = {"hybrid": "Everything", "vector": "Meaning", "text": "Words"}
SOURCES = {"": "All", "doc": "Documents", "code": "Code"}
_LONGEST = 2_000

Words = Annotated[str, Query(max_length=_LONGEST)]
ModeName = Annotated[str, Query(pattern="^(hybrid|vector|text)$")]
Source = Annotated[str, Query(pattern="^(|doc|code)$")]
Budget = Annotated[int, Query(ge=50, le=32_000)]
Limit = Annotated[int, Query(ge=1, le=100)]


@router.get("/")
async def search_page(
    service: Served,
    q: Words = "",
    mode: ModeName = "hybrid",
    source: Source = "",
    path: Words = "",
    limit: Limit = 10,
    tokens: Budget = 2000,
) -> HTMLResponse:
    """Show the form and, where something is asked, what was found."""

    def work() -> str:
        asked = _Asked(q=q, mode=mode, source=source, path=path)
        return render(
            "search.html",
            view="search",
            status=service.index.status(),
            asked=asked,
            modes=MODES,
            sources=SOURCES,
            limit=limit,
            tokens=tokens,
            found=_find(service.index, asked, limit),
            packed=_pack(service.index, asked, tokens),
        )

    return HTMLResponse(await service.searches.run(work))


@router.get("/parts/results")
async def results_part(
    service: Served,
    q: Words = "",
    mode: ModeName = "hybrid",
    source: Source = "",
    path: Words = "",
    limit: Limit = 10,
) -> HTMLResponse:
    """Show what was found, for a page that is there already."""

    def work() -> str:
        asked = _Asked(q=q, mode=mode, source=source, path=path)
        return render(
            "results.html",
            status=service.index.status() if asked.is_blank else None,
            asked=asked,
            limit=limit,
            found=_find(service.index, asked, limit),
        )

    return HTMLResponse(await service.searches.run(work))


@router.get("/parts/context")
async def context_part(
    service: Served,
    q: Words = "",
    mode: ModeName = "hybrid",
    source: Source = "",
    path: Words = "",
    tokens: Budget = 2000,
) -> HTMLResponse:
    """Show the packed context, for a page that is there already."""

    def work() -> str:
        asked = _Asked(q=q, mode=mode, source=source, path=path)
        packed = _pack(service.index, asked, tokens)
        return render("context.html", asked=asked, packed=packed, tokens=tokens)

    return HTMLResponse(await service.searches.run(work))


class _Asked:
    """What the form says."""

    def __init__(self, *, q: str, mode: str, source: str, path: str) -> None:
        self.q = q
        self.mode = mode
        self.source = source
        self.path = path

    @property
    def is_blank(self) -> bool:
        return not self.q.strip()

    def filters(self) -> dict[str, Any]:
        return {
            "mode": self.mode,
            "kind": self.source or None,
            "path_glob": self.path.strip() or None,
        }


def _find(index: Index, asked: _Asked, limit: int) -> dict[str, Any] | None:
    """Return the hits, or what is wrong with the question; None where there is none."""
    if asked.is_blank:
        return None
    started = time.perf_counter()
    try:
        hits = index.search(asked.q, limit, **asked.filters())
    except InputError as error:
        return {"hits": [], "error": str(error), "milliseconds": 0}
    milliseconds = 1000 * (time.perf_counter() - started)
    return {"hits": show_hits(hits), "error": "", "milliseconds": milliseconds}


def _pack(index: Index, asked: _Asked, tokens: int) -> Any:
    if asked.is_blank:
        return None
    try:
        return index.context(asked.q, tokens, **asked.filters())
    except InputError:
        return None  # the results say what is wrong
