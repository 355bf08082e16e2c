"""The sizes of chunks as a small chart, and in figures."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean, median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.web.document_view import ShownChunk

HEIGHT = 64.0
_GAP = 0.14


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A chunk in the chart.

    Attributes:
        chunk: Which one.
        x: Where the bar starts.
        y: Where its top is.
        width: How wide it is.
        height: How high it is.
    """

    chunk: ShownChunk
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeChart:
    """All chunks of a document by size.

    Attributes:
        bars: One a chunk.
        limit_y: Where the limit is.
        mean: Mean size.
        median: Median size.
        largest: Greatest size.
        over: How many chunks are over the limit.
    """

    bars: list[Bar]
    limit_y: float
    mean: float
    median: float
    largest: int
    over: int


def chart_sizes(chunks: Sequence[ShownChunk], limit: int) -> SizeChart | None:
    """Draw the sizes of chunks; None where there is none."""
    if not chunks:
        return None
    sizes = [chunk.size for chunk in chunks]
    scale = HEIGHT / max(limit, *sizes, 1)
    return SizeChart(
        bars=[
            Bar(
                chunk=chunk,
                x=at + _GAP / 2,
                y=HEIGHT - max(chunk.size * scale, 1.0),
                width=1 - _GAP,
                height=max(chunk.size * scale, 1.0),
            )
            for at, chunk in enumerate(chunks)
        ],
        limit_y=HEIGHT - limit * scale,
        mean=fmean(sizes),
        median=median(sizes),
        largest=max(sizes),
        over=sum(size > limit for size in sizes),
    )
