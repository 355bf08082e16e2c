"""The Search view: results while the user types, and the packed context."""

from __future__ import annotations

import re
import time
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, Field

from outcrop.codegraph.languages import language_of
from outcrop.errors import InputError
from outcrop.http.service import Served
from outcrop.indexing.sharded import AnyIndex
from outcrop.presentation.text import Colours
from outcrop.search.rerank import SIGNAL as RERANK_SIGNAL
from outcrop.search.spelling import Spelling
from outcrop.web.render import render

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from outcrop.model.hit import Hit
    from outcrop.presentation.text import Segment

_MAX_LINES = 9
_MAX_CHARS = 1_200
_BAR_WIDTH = 120.0
# Part of a score -> its name on the page; each has a colour, in the order of the bar.
FAMILIES = {
    "lexical": "words",
    "matched": "words",
    "coverage": "words",
    "title": "heading",
    "name": "name",
    "enclosing": "name",
    "definition": "name",
    "vector": "meaning",
    "cosine": "meaning",
    "name_meaning": "meaning",
    "foreign": "meaning",
    "foreign_name": "meaning",
    "file_name": "file",
    "folder": "file",
    "path": "file",
    "frame": "file",
    "line": "file",
    "prose": "prose",
    "guide": "prose",
    "behaviour": "prose",
    "source": "prose",
    "document": "document",
    "graph": "graph",
}
OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """Some parts of a score under one name, as a stretch of the bar."""

    name: str
    value: float
    x: float
    width: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownHit:
    """A hit with the best lines of its text and the bar of its score."""

    hit: Hit
    rank: int
    segments: list[Segment]
    is_cut_before: bool
    is_cut_after: bool
    shares: list[Share]

    @property
    def is_code(self) -> bool:
        """Whether the text is source code."""
        return self.hit.source == "code"


def show_hits(hits: Sequence[Hit]) -> list[ShownHit]:
    """Prepare hits for the page; their bars have one scale."""
    best = max((sum(_parts(hit).values()) for hit in hits), default=0.0)
    return [_show(hit, rank, best) for rank, hit in enumerate(hits, 1)]


def _show(hit: Hit, rank: int, best: float) -> ShownHit:
    content, highlights = hit.without_prefix()
    start, end = best_lines(content, highlights)
    colours = Colours(content, language_of(hit.path) if hit.source == "code" else None)
    return ShownHit(
        hit=hit,
        rank=rank,
        segments=list(mark(colours, highlights, start, end)),
        is_cut_before=bool(content[:start].strip()),
        is_cut_after=bool(content[end:].strip()),
        shares=list(_shares(_parts(hit), best)),
    )


def best_lines(content: str, highlights: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Return the range of the lines with the most marks."""
    starts = [0, *(at + 1 for at, char in enumerate(content) if char == "\n")]
    marks = [bisect_right(starts, low) - 1 for low, _ in highlights]
    line = _densest(marks)
    start = starts[line]
    in_line = [
        low for (low, _), at in zip(highlights, marks, strict=True) if at == line
    ]
    if in_line and in_line[0] - start > _MAX_CHARS // 2:
        start = in_line[0]  # a very long line
    last = line + _MAX_LINES
    end = starts[last] if last < len(starts) else len(content)
    return start, min(end, start + _MAX_CHARS)


def _densest(marks: Sequence[int]) -> int:
    """Return the first line of the window with the most marks."""
    best = most = 0
    for at, line in enumerate(marks):
        inside = bisect_left(marks, line + _MAX_LINES - 1) - at
        if inside > most:
            best, most = line, inside
    return best


def mark(
    colours: Colours, highlights: Sequence[tuple[int, int]], start: int, end: int
) -> Iterator[Segment]:
    """Yield a stretch of a text with the marked ranges in it, and its colours."""
    at = start
    for low, high in highlights:
        if high <= at or low >= end:
            continue
        if low > at:
            yield from colours.segments(at, low)
        yield from colours.segments(max(low, at), min(high, end), is_marked=True)
        at = min(high, end)
    if at < end:
        rest = colours.text[at:end].rstrip("\r\n")
        yield from colours.segments(at, at + len(rest))


def _parts(hit: Hit) -> Mapping[str, float]:
    """Return the parts that add up to the score of a hit.

    The score of a reranker is one number: the whole score, or only the order of hits.
    """
    parts = dict(hit.scores)
    reranked = parts.pop(RERANK_SIGNAL, None)
    return {RERANK_SIGNAL: hit.score} if hit.score == reranked else parts


def _shares(scores: Mapping[str, float], best: float) -> Iterator[Share]:
    sums = dict.fromkeys([*FAMILIES.values(), OTHER], 0.0)
    for part, value in scores.items():
        sums[FAMILIES.get(part, OTHER)] += value
    x = 0.0
    for name, value in sums.items():
        width = _BAR_WIDTH * value / best if best > 0 else 0.0
        if width <= 0:
            continue
        yield Share(name=name, value=value, x=x, width=width)
        x += width


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
    lang: str = Field("", max_length=100)
    follow: Literal["", "calls", "types", "mentions", "all"] = ""
    limit: int = Field(10, ge=1, le=100)
    tokens: int = Field(2_000, ge=50, le=32_000)
    verbatim: bool = False

    @property
    def is_blank(self) -> bool:
        """Whether there is no query."""
        return not self.q.strip()

    @property
    def active(self) -> int:
        """Number of filters that are set."""
        names = {"mode", "source", "path", "lang", "follow"}
        return len(self.model_dump(include=names, exclude_defaults=True))

    def link(self, **changes: Any) -> str:
        """Return the address of this search, or of one with other values."""
        values = {**self.model_dump(exclude_defaults=True, mode="json"), **changes}
        return f"/?{urlencode(values)}"

    def spelling(self, index: AnyIndex) -> Spelling:
        """Return the query with its misspelt words corrected, unless it is verbatim."""
        return Spelling(query=self.q) if self.verbatim else index.check_spelling(self.q)

    def filters(self) -> dict[str, Any]:
        """Return the filters of the search."""
        return {
            "mode": self.mode,
            "kind": self.source or None,
            "path_glob": self.path.strip() or None,
            "lang": self.lang or None,
            "expand": self.follow or None,
        }


Form = Annotated[SearchForm, Query()]


@router.get("/")
async def search_page(service: Served, form: Form) -> HTMLResponse:
    """Show the form and, if there is a query, its results."""

    def work() -> str:
        return render(
            "search.html",
            view="search",
            **_start(service.index, form),
            form=form,
            modes=MODES,
            sources=SOURCES,
            follows=FOLLOWS,
            languages=service.index.store.languages(),
            found=_find(service.index, form),
            **_pack(service.index, form),
        )

    return HTMLResponse(await service.searches.run(work))


@router.get("/parts/results")
async def results_part(service: Served, form: Form) -> HTMLResponse:
    """Render the results, for a page that is already open."""

    def work() -> str:
        start = _start(service.index, form)
        found = _find(service.index, form)
        return render("results.html", **start, form=form, found=found)

    return HTMLResponse(await service.searches.run(work))


@router.get("/parts/context")
async def context_part(service: Served, form: Form) -> HTMLResponse:
    """Render the packed context, for a page that is already open."""

    def work() -> str:
        return render("context.html", form=form, **_pack(service.index, form))

    return HTMLResponse(await service.searches.run(work))


def _start(index: AnyIndex, form: SearchForm) -> dict[str, Any]:
    """Return what is offered while there is no query."""
    if not form.is_blank:
        return {"status": None, "examples": [], "recent": []}
    return {
        "status": index.status(),
        "examples": list(make_questions(index.store.some_headings())),
        "recent": index.store.recent_documents(),
    }


def _find(index: AnyIndex, form: SearchForm) -> dict[str, Any] | None:
    """Return the hits, or what is wrong with the query; None if it is blank."""
    if form.is_blank:
        return None
    started = time.perf_counter()
    try:
        with index.one_view() as view:
            spelling = form.spelling(view)
            hits = view.search(spelling.query, form.limit, **form.filters())
    except InputError as error:
        return {"hits": [], "error": str(error)}
    return {
        "hits": show_hits(hits),
        "error": "",
        "milliseconds": 1000 * (time.perf_counter() - started),
        "spelling": spelling,
        "note": index.note,
    }


def _pack(index: AnyIndex, form: SearchForm) -> dict[str, Any]:
    """Return the context, and whether there is anything to pack."""
    nothing: dict[str, Any] = {"packed": None, "is_found": False}
    if form.is_blank:
        return nothing
    try:
        with index.one_view() as view:
            query = form.spelling(view).query
            packed = view.context(query, form.tokens, **form.filters())
        is_found = bool(packed.pieces or index.search(query, 1, **form.filters()))
    except InputError:
        return nothing  # the results say what is wrong
    return {"packed": packed, "is_found": is_found}


# First words of headings that tell what to do.
_VERB = re.compile(
    "add|build|change|check|choose|configure|connect|convert|create|cut|debug|define|"
    "delete|deploy|disable|enable|export|find|fix|get|import|index|inspect|install|load|"
    "make|manage|measure|migrate|move|open|publish|read|release|remove|rename|replace|"
    "restore|return|run|save|search|send|serve|set|show|start|stop|store|test|trace|try|"
    "update|upgrade|use|validate|verify|work|write",
    re.IGNORECASE,
)


def make_questions(headings: Iterable[str]) -> Iterator[str]:
    """Yield a question for each heading: `Install on Linux` asks how to do that.

    Documents that exist in several formats have the same headings; each is used once.
    """
    for heading in dict.fromkeys(headings):
        first, _, rest = heading.partition(" ")
        if _VERB.fullmatch(first):
            yield f"how to {first.lower()} {rest}".rstrip()
        else:
            yield heading
