"""Hits for the page: a few lines with marked words, and a bar of the score."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from outcrop.presentation.page.visible import Segment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from outcrop.model.hit import Hit

_MAX_LINES = 9
_MAX_CHARS = 1_200
_BAR = 120.0
# Part of a score -> its name on the page; each has a colour, in the order of the bar.
FAMILIES = {
    "lexical": "words",
    "coverage": "words",
    "title": "heading",
    "name": "name",
    "enclosing": "name",
    "definition": "name",
    "vector": "meaning",
    "name_meaning": "meaning",
    "file_name": "file",
    "prose": "prose",
    "document": "document",
    "graph": "graph",
}
OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """Some parts of a score, as a stretch of the bar.

    Attributes:
        name: Their common name.
        value: Their sum.
        x: Its left edge.
        width: Its width.
    """

    name: str
    value: float
    x: float
    width: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownHit:
    """A hit prepared for the page.

    Attributes:
        hit: The hit.
        rank: Its rank, from 1.
        segments: The best lines of its text.
        is_cut_before: Whether text is left out before them.
        is_cut_after: Whether text is left out after them.
        shares: The bar of its score.
    """

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
    best = max((sum(hit.scores.values()) for hit in hits), default=0.0)
    return [_show(hit, rank, best) for rank, hit in enumerate(hits, 1)]


def _show(hit: Hit, rank: int, best: float) -> ShownHit:
    start, end = best_lines(hit.content, hit.highlights)
    return ShownHit(
        hit=hit,
        rank=rank,
        segments=list(mark(hit.content, hit.highlights, start, end)),
        is_cut_before=bool(hit.content[:start].strip()),
        is_cut_after=bool(hit.content[end:].strip()),
        shares=list(_shares(hit.scores, best)),
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
    content: str, highlights: Sequence[tuple[int, int]], start: int, end: int
) -> Iterator[Segment]:
    """Yield a stretch of a text with the marked ranges in it."""
    at = start
    for low, high in highlights:
        if high <= at or low >= end:
            continue
        if low > at:
            yield Segment(text=content[at:low])
        yield Segment(text=content[max(low, at) : min(high, end)], is_marked=True)
        at = min(high, end)
    if at < end:
        yield Segment(text=content[at:end].rstrip("\r\n"))


def _shares(scores: Mapping[str, float], best: float) -> Iterator[Share]:
    sums = dict.fromkeys([*FAMILIES.values(), OTHER], 0.0)
    for part, value in scores.items():
        sums[FAMILIES.get(part, OTHER)] += value
    x = 0.0
    for name, value in sums.items():
        width = _BAR * value / best if best > 0 else 0.0
        if width <= 0:
            continue
        yield Share(name=name, value=value, x=x, width=width)
        x += width
