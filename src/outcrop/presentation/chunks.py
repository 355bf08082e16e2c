"""The chunks of a document as pages show them: lines, reasons and a chart of sizes."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from statistics import fmean, median
from typing import TYPE_CHECKING

from outcrop.markdown import Kind
from outcrop.presentation.reasons import boundary_reason, oversize_reason, stage_name
from outcrop.presentation.text import Colours
from outcrop.text.offsets import LineCounter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from outcrop.markdown import Document as ParsedDocument
    from outcrop.model.chunk import Chunk
    from outcrop.presentation.text import Segment

COLOURS = 6
CHART_HEIGHT = 64.0
_GAP = 0.14
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_STYLES = {
    int(Kind.HEADING): "heading",
    int(Kind.FENCE): "block",
    int(Kind.INDENTED_CODE): "block",
    int(Kind.FRONT_MATTER): "block",
    int(Kind.HTML): "block",
    int(Kind.TABLE): "block",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of a document; what a neighbour quotes is marked."""

    number: int
    style: str  # `heading`, `block` or empty
    segments: list[Segment]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownChunk:
    """A chunk on the page."""

    number: int  # from 1
    colour: int  # neighbours differ
    stage: str  # the stage that set its boundary
    stage_name: str
    reason: str  # why it starts where it starts
    excuse: str  # why it is over the limit; empty if it is not
    size: int
    start_line: int
    end_line: int
    headers: list[str]
    before: list[str]  # lines repeated before its own text
    after: list[str]  # lines added after it
    lines: list[Line]  # its own text


def show_chunks(
    text: str,
    chunks: Sequence[Chunk],
    parsed: ParsedDocument | None,
    *,
    measure: Callable[[Chunk], int] = lambda chunk: len(chunk.content),
    lang: str | None = None,
) -> list[ShownChunk]:
    """Prepare a document's chunks for a page; tokens of code have colours."""
    lines = LineCounter(text)
    colours = Colours(text, lang)
    return [
        _show(chunks, index, measure(chunk), parsed, lines, colours)
        for index, chunk in enumerate(chunks)
    ]


def _show(
    chunks: Sequence[Chunk],
    index: int,
    size: int,
    parsed: ParsedDocument | None,
    lines: LineCounter,
    colours: Colours,
) -> ShownChunk:
    chunk = chunks[index]
    metadata = chunk.metadata
    stage, name, reason = reason_of(chunk)
    first_line = lines.line_at(chunk.start_offset)
    return ShownChunk(
        number=index + 1,
        colour=index % COLOURS,
        stage=stage,
        stage_name=name,
        reason=reason,
        excuse=oversize_reason(chunk),
        size=size,
        start_line=chunk.start_line,
        end_line=chunk.end_line,
        headers=[str(title) for title in metadata.get("headers", ())],
        before=_split(chunk.prefix),
        after=_split(chunk.suffix),
        lines=list(_lines(chunk, first_line, parsed, _quoted(chunks, index), colours)),
    )


def reason_of(chunk: Chunk) -> tuple[str, str, str]:
    """Return what made a boundary: the stage, its name, and the reason in words."""
    metadata = chunk.metadata
    if "boundary" in metadata:
        stage = str(metadata["boundary"]["stage"])
        return stage, stage_name(chunk), boundary_reason(chunk)
    if metadata.get("source") == "code":
        kind = str(metadata.get("node_kind") or "code").lower()
        return "code", kind, str(metadata.get("fqn") or "lines up to the limit")
    return "text", "text", "paragraphs up to the limit"


def _quoted(chunks: Sequence[Chunk], index: int) -> tuple[int, int]:
    """Return up to where the chunk before quotes this one, and from where the next."""
    chunk = chunks[index]
    head, tail = chunk.start_offset, chunk.end_offset
    if index:
        head += len(chunks[index - 1].metadata.get("next_content") or "")
    if index + 1 < len(chunks):
        tail -= len(chunks[index + 1].metadata.get("previous_content") or "")
    return head, max(tail, head)


def _lines(
    chunk: Chunk,
    number: int,
    parsed: ParsedDocument | None,
    quoted: tuple[int, int],
    colours: Colours,
) -> Iterator[Line]:
    text, at = colours.text, chunk.start_offset
    while at < chunk.end_offset:
        match = _LINE.match(text, at, chunk.end_offset)
        end = match.end() if match else chunk.end_offset
        yield Line(
            number=number,
            style=_style(parsed, at),
            segments=list(_segments(colours, at, end, quoted)),
        )
        at, number = end, number + 1


def _segments(
    colours: Colours, start: int, end: int, quoted: tuple[int, int]
) -> Iterator[Segment]:
    end = start + len(colours.text[start:end].rstrip("\r\n"))
    head, tail = (min(max(at, start), end) for at in quoted)
    for low, high, is_marked in (
        (start, head, True),
        (head, tail, False),
        (tail, end, True),
    ):
        yield from colours.segments(low, high, is_marked=is_marked)


def _style(parsed: ParsedDocument | None, at: int) -> str:
    if parsed is None:
        return ""
    block = bisect_right(parsed.blocks.starts, at) - 1
    return _STYLES.get(parsed.blocks.kinds[block], "") if block >= 0 else ""


def _split(added: str) -> list[str]:
    return [line for line in added.splitlines() if line]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A chunk in the chart, by its edges."""

    chunk: ShownChunk
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeChart:
    """The chunks of a document by size, one bar each."""

    bars: list[Bar]
    limit_y: float
    mean: float
    median: float
    largest: int
    over: int  # number of chunks over the limit


def chart_sizes(chunks: Sequence[ShownChunk], limit: int) -> SizeChart | None:
    """Draw the sizes of chunks; None if there are no chunks."""
    if not chunks:
        return None
    sizes = [chunk.size for chunk in chunks]
    scale = CHART_HEIGHT / max(limit, *sizes, 1)
    return SizeChart(
        bars=[
            Bar(
                chunk=chunk,
                x=at + _GAP / 2,
                y=CHART_HEIGHT - max(chunk.size * scale, 1.0),
                width=1 - _GAP,
                height=max(chunk.size * scale, 1.0),
            )
            for at, chunk in enumerate(chunks)
        ],
        limit_y=CHART_HEIGHT - limit * scale,
        mean=fmean(sizes),
        median=median(sizes),
        largest=max(sizes),
        over=sum(size > limit for size in sizes),
    )
