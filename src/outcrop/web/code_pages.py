"""The Code view: a symbol, its neighbours, and the documents that mention it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse

from outcrop.http.routes.graph import check_name
from outcrop.http.service import Served
from outcrop.presentation.text import (
    MAX_SIGNATURE_CHARS,
    Colours,
    by_file,
    short_signature,
)
from outcrop.web.graph_layout import HEIGHT, WIDTH, draw, draw_tall
from outcrop.web.render import render

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.indexing.sharded import AnyIndex
    from outcrop.model.graph import Link
    from outcrop.presentation.text import Segment

router = APIRouter()

_MAX_SUGGESTED = 12
_MAX_SOURCE_CHARS = 20_000
_MAX_UNFOLDED_CHARS = 1_500  # of the source; a longer one is folded
_MAX_LINKS = 20  # more are grouped by file
TITLES = {
    "callers": "Called by",
    "callees": "Calls",
    "parents": "Part of",
    "children": "Contains",
    "bases": "Extends",
    "derived": "Extended by",
    "overrides": "Overrides",
    "overridden_by": "Overridden by",
    "imports": "Imports",
    "imported_by": "Imported by",
}

Words = Annotated[str, Query(max_length=1000)]


@router.get("/code")
async def code_page(service: Served, q: Words = "") -> HTMLResponse:
    """Show the field for a name and, if one is given, the matching symbols."""

    def work() -> str:
        return render(
            "code.html",
            view="code",
            q=q,
            status=service.index.status(),
            symbols=_find(service.index, q),
            called=[] if q.strip() else service.index.store.most_called(_MAX_SUGGESTED),
            symbol=None,
        )

    return HTMLResponse(await service.jobs.run(work))


@router.get("/parts/symbols")
async def symbols_part(service: Served, q: Words = "") -> HTMLResponse:
    """Render the matching symbols, for a page that is already open."""
    return HTMLResponse(
        await service.jobs.run(
            lambda: render("symbols.html", q=q, symbols=_find(service.index, q))
        )
    )


@router.get("/code/{name:path}")
async def symbol_page(name: str, service: Served) -> HTMLResponse:
    """Show a symbol by its id or its name."""

    def work() -> str:
        symbol = service.index.symbol(check_name(name))
        links = symbol.links()
        source = symbol.node.source_code or ""
        return render(
            "code.html",
            view="code",
            q="",
            status=None,
            symbols=[],
            called=[],
            symbol=symbol,
            signature=_signature(symbol.node.signature or "", symbol.node.lang),
            source=_coloured(source[:_MAX_SOURCE_CHARS], symbol.node.lang),
            is_source_short=len(source) < _MAX_UNFOLDED_CHARS,
            is_source_cut=len(source) > _MAX_SOURCE_CHARS,
            drawing=draw(symbol),
            tall=draw_tall(symbol),
            box=(WIDTH, HEIGHT),
            lists=[
                (TITLES[key], links[key], _groups(links[key]))
                for key in TITLES
                if links[key]
            ],
            mentions=_places(service.index, symbol.mentions),
        )

    return HTMLResponse(await service.jobs.run(work))


def _signature(text: str, lang: str) -> tuple[list[Segment], list[Segment]]:
    """Return what is always shown of a signature, and the whole one if that is less."""
    whole = _coloured(text, lang)
    if len(text) <= MAX_SIGNATURE_CHARS:
        return whole, []
    return _coloured(short_signature(text), lang), whole


def _coloured(text: str, lang: str) -> list[Segment]:
    return list(Colours(text, lang).segments(0, len(text)))


def _find(index: AnyIndex, q: str) -> list[object]:
    wanted = q.replace("\0", "").strip()
    return list(index.symbols(wanted, _MAX_SUGGESTED)) if wanted else []


def _groups(links: Sequence[Link]) -> list[tuple[str, list[Link]]]:
    """Return a long list by file, and nothing for a short one."""
    return by_file(links) if len(links) > _MAX_LINKS else []


def _places(index: AnyIndex, mentions: tuple[Link, ...]) -> list[object]:
    """Return the chunks that mention a symbol."""
    ids = [link.chunk_id for link in mentions if link.chunk_id]
    return list(index.store.get_chunks(ids))
