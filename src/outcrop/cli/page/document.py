"""One document of the page: its source line by line, coloured by chunk."""

from __future__ import annotations

import re
from bisect import bisect_right
from html import escape
from typing import TYPE_CHECKING

from outcrop.cli.render.text import summary
from outcrop.markdown import Kind
from outcrop.presentation.reasons import boundary_reason, oversize_reason, stage_name
from outcrop.text.lines import LineCounter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outcrop.markdown import Document
    from outcrop.model.chunk import Chunk
    from outcrop.presentation.chunked_document import ChunkedDocument

_COLOURS = 6
_BAR_WIDTH = 14
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_LINE_STYLES = {
    int(Kind.HEADING): " h",
    int(Kind.FENCE): " c",
    int(Kind.INDENTED_CODE): " c",
    int(Kind.FRONT_MATTER): " c",
    int(Kind.HTML): " c",
    int(Kind.TABLE): " c",
}
# A control character has no shape of its own: its picture is shown.
_PICTURES = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\t\n"}
_PICTURES[0x7F] = 0x2421


def article(
    document: ChunkedDocument, parsed: Document | None, number: int, first: int
) -> str:
    """A document as HTML.

    Args:
        document: What to show.
        parsed: Its text, parsed; None where it is blank.
        number: Which document of the page it is.
        first: The page's number of its first chunk.
    """
    lines = LineCounter(document.text)
    sections = "".join(
        _section(chunk, index, first, parsed, lines.line_at(chunk.start_offset))
        for index, chunk in enumerate(document.chunks)
        if parsed is not None
    )
    return (
        f'<article class="document" id="d{number}"><header>'
        f"<h2>{shown(document.path)}</h2><p>{shown(summary(document))}</p>"
        f"{_sizes(document, first)}</header>{sections}</article>"
    )


def shown(text: str) -> str:
    """Text of others, safe inside an element and inside an attribute."""
    readable = text.translate(_PICTURES).encode(errors="replace").decode()
    return escape(readable, quote=True)


def colour(index: int) -> str:
    """The class that gives a chunk its colour: neighbours differ."""
    return f"k{index % _COLOURS}"


def _sizes(document: ChunkedDocument, first: int) -> str:
    """A bar a chunk, as high as it is large, and a line at the limit."""
    if not document.chunks:
        return ""
    sizes = [len(chunk.content) for chunk in document.chunks]
    top = max(document.limit, *sizes) / 100
    bars = "".join(
        f'<rect id="s{first + index}" class="{colour(index)}" x="{index + 0.1:.1f}" '
        f'y="{100 - size / top:.1f}" width="0.8" height="{size / top:.1f}"/>'
        for index, size in enumerate(sizes)
    )
    limit = f"{100 - document.limit / top:.1f}"
    return (
        f'<svg class="sizes" width="{len(sizes) * _BAR_WIDTH}" height="40" '
        f'viewBox="0 0 {len(sizes)} 100" preserveAspectRatio="none" role="img" '
        f'aria-label="The sizes of the chunks, and the limit">{bars}'
        f'<line x1="0" x2="{len(sizes)}" y1="{limit}" y2="{limit}"/></svg>'
    )


def _section(chunk: Chunk, index: int, first: int, parsed: Document, line: int) -> str:
    stage = shown(str(chunk.metadata["boundary"]["stage"]))
    excuse = oversize_reason(chunk)
    over = (
        f'<span class="over">over the limit: {shown(excuse)}</span>' if excuse else ""
    )
    before = _again(chunk.prefix, "again") if chunk.prefix else ""
    behind = _again(chunk.suffix, "again end") if chunk.suffix else ""
    own = "".join(_own_lines(chunk, parsed, line))
    return (
        f'<section class="chunk {colour(index)}" id="c{first + index}">'
        f'<p class="why"><a href="#c{first + index}">'
        f'<span class="number">{index + 1}</span>'
        f'<span class="stage stage-{stage}">{shown(stage_name(chunk))}</span>'
        f'<span class="reason">{shown(boundary_reason(chunk))}</span></a>{over}</p>'
        f'<div class="text">{before}{own}{behind}</div></section>'
    )


def _own_lines(chunk: Chunk, parsed: Document, number: int) -> Iterator[str]:
    """The lines of a chunk's own text, each with its number in the source."""
    kinds, starts = parsed.blocks.kinds, parsed.blocks.starts
    at = chunk.start_offset
    while at < chunk.end_offset:
        end = _line_end(parsed.text, at, chunk.end_offset)
        style = _LINE_STYLES.get(kinds[bisect_right(starts, at) - 1], "")
        source = parsed.text[at:end].rstrip("\r\n")
        yield f'<span class="l{style}" data-n="{number}">{shown(source)}</span>'
        at, number = end, number + 1


def _line_end(text: str, start: int, stop: int) -> int:
    match = _LINE.match(text, start, stop)
    return match.end() if match else stop


def _again(added: str, names: str) -> str:
    """What is in the chunk but not at this place of the source."""
    lines = "".join(
        f'<span class="l">{shown(line)}</span>' for line in added.split("\n") if line
    )
    return f'<div class="{names}" title="Not in the source here">{lines}</div>'
