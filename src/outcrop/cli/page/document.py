"""One document of the page: its source line by line, coloured by chunk."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from outcrop.cli.render.text import summary
from outcrop.presentation.page.chunks import COLOURS, show_chunks
from outcrop.presentation.page.sizes import HEIGHT, chart_sizes
from outcrop.presentation.page.visible import visible

if TYPE_CHECKING:
    from outcrop.markdown import Document
    from outcrop.presentation.chunked_document import ChunkedDocument
    from outcrop.presentation.page.chunks import Line, ShownChunk

_BAR_WIDTH = 14


def article(
    document: ChunkedDocument, parsed: Document | None, number: int, first: int
) -> str:
    """Return a document as HTML.

    Args:
        document: The document.
        parsed: Its parsed text; None if it is blank.
        number: Its number on the page.
        first: The number of its first chunk on the page.
    """
    chunks = show_chunks(document.text, document.chunks, parsed)
    sections = "".join(_section(chunk, first) for chunk in chunks)
    return (
        f'<article class="document" id="d{number}"><header>'
        f"<h2>{shown(document.path)}</h2><p>{shown(summary(document))}</p>"
        f"{_sizes(chunks, document.limit, first)}</header>{sections}</article>"
    )


def shown(text: str) -> str:
    """Escape text of others for an element or an attribute."""
    return escape(visible(text), quote=True)


def colour(index: int) -> str:
    """Return the class that colours a chunk; neighbours differ."""
    return f"k{index % COLOURS}"


def _sizes(chunks: list[ShownChunk], limit: int, first: int) -> str:
    """Draw one bar per chunk, as high as it is large, and a line at the limit."""
    chart = chart_sizes(chunks, limit)
    if chart is None:
        return ""
    bars = "".join(
        f'<rect id="s{first + index}" class="k{bar.chunk.colour}" x="{bar.x:.2f}" '
        f'y="{bar.y:.1f}" width="{bar.width:.2f}" height="{bar.height:.1f}"/>'
        for index, bar in enumerate(chart.bars)
    )
    count, limit_y = len(chunks), f"{chart.limit_y:.1f}"
    return (
        f'<svg class="sizes" width="{count * _BAR_WIDTH}" height="40" '
        f'viewBox="0 0 {count} {HEIGHT:g}" preserveAspectRatio="none" role="img" '
        f'aria-label="The sizes of the chunks, and the limit">{bars}'
        f'<line x1="0" x2="{count}" y1="{limit_y}" y2="{limit_y}"/></svg>'
    )


def _section(chunk: ShownChunk, first: int) -> str:
    anchor = f"c{first + chunk.number - 1}"
    over = (
        f'<span class="over">over the limit: {shown(chunk.excuse)}</span>'
        if chunk.excuse
        else ""
    )
    own = "".join(map(_line, chunk.lines))
    return (
        f'<section class="chunk k{chunk.colour}" id="{anchor}">'
        f'<p class="why"><a href="#{anchor}"><span class="number">{chunk.number}</span>'
        f'<span class="stage stage-{shown(chunk.stage)}">{shown(chunk.stage_name)}</span>'
        f'<span class="reason">{shown(chunk.reason)}</span></a>{over}</p>'
        f'<div class="text">{_repeated(chunk.before, "again")}{own}'
        f"{_repeated(chunk.after, 'again end')}</div></section>"
    )


def _line(line: Line) -> str:
    """Return a line of a chunk's own text, with its number in the source."""
    style = f" {line.style}" if line.style else ""
    source = "".join(segment.text for segment in line.segments)
    return f'<span class="l{style}" data-n="{line.number}">{shown(source)}</span>'


def _repeated(added: list[str], names: str) -> str:
    """Return lines of the chunk that are not at this place of the source."""
    if not added:
        return ""
    lines = "".join(f'<span class="l">{shown(line)}</span>' for line in added)
    return f'<div class="{names}" title="Not in the source here">{lines}</div>'
