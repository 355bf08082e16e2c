"""The sizes of chunks as a bar chart and in figures."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean, median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.presentation.page.chunks import ShownChunk

HEIGHT = 64.0
_GAP = 0.14


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A chunk in the chart.

    Attributes:
        chunk: The chunk.
        x: Its left edge.
        y: Its top edge.
        width: Its width.
        height: Its height.
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
        bars: One per chunk.
        limit_y: Position of the limit.
        mean: Mean size.
        median: Median size.
        largest: Maximum size.
        over: Number of chunks over the limit.
    """

    bars: list[Bar]
    limit_y: float
    mean: float
    median: float
    largest: int
    over: int


def chart_sizes(chunks: Sequence[ShownChunk], limit: int) -> SizeChart | None:
    """Draw the sizes of chunks; None if there are no chunks."""
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
