"""A chunked document as HTML: its chunks, the chart of their sizes, and its sections.

The page of the command line and the Document view of the server show the same elements,
with the style of `static/document.css` and the script of `static/tree.js`. Every
character of a document is escaped. All links are to chunks of the same page, so they
work without the script.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from outcrop.presentation.chunks import CHART_HEIGHT, COLOURS
from outcrop.presentation.text import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outcrop.presentation.chunks import Line, ShownChunk, SizeChart
    from outcrop.presentation.document import PageNode
    from outcrop.presentation.text import Segment

_MIN_BARS = 12  # fewer chunks would be wide blocks


def escaped(text: object) -> str:
    """Escape untrusted text for an element or an attribute."""
    return escape(visible(text), quote=True)


def coloured(part: Segment) -> str:
    """Return a stretch of text, in an element with its colour if it has one."""
    text = escaped(part.text)
    return f'<span class="t-{part.kind}">{text}</span>' if part.kind else text


def chunks_html(
    chunks: Sequence[ShownChunk], first: int, ids: Sequence[str] = ()
) -> str:
    """Return the chunks of a document, each under the reason for its boundary.

    Anchors are their numbers on the page, from the first on, and their ids in the index
    if they are stored.
    """
    stored = ids or [""] * len(chunks)
    return "".join(
        _chunk(chunk, f"c{first + at}", stored_id)
        for at, (chunk, stored_id) in enumerate(zip(chunks, stored, strict=True))
    )


def _chunk(chunk: ShownChunk, anchor: str, stored_id: str) -> str:
    excuse = (
        f'<span class="excuse">over the limit: {escaped(chunk.excuse)}</span>'
        if chunk.excuse
        else ""
    )
    title, data, target = "", "", ""
    if stored_id:
        shown = escaped(stored_id)
        title, data = f' title="Chunk {shown}"', f' data-id="{shown}"'
        target = f'<i id="{shown}"></i>'
    return (
        f'<section class="chunk k{chunk.colour}" id="{anchor}"{data} tabindex="-1">'
        f'{target}<p class="why"><a href="#{anchor}"{title}>'
        f'<span class="number">{chunk.number}</span>'
        f'<span class="stage stage-{escaped(chunk.stage)}">{escaped(chunk.stage_name)}'
        f'</span><span class="reason">{escaped(chunk.reason)}</span></a>{excuse}'
        f'<span class="size">{chunk.size:,}</span></p>'
        f'<div class="own">{_repeated(chunk.before, "again")}'
        f"{''.join(map(_line, chunk.lines))}{_repeated(chunk.after, 'again end')}"
        "</div></section>"
    )


def _line(line: Line) -> str:
    """Return a line of a chunk's own text, with its number in the source."""
    style = f" {line.style}" if line.style else ""
    text = "".join(
        f'<span class="quoted" title="Quoted by the neighbour">{coloured(part)}</span>'
        if part.is_marked
        else coloured(part)
        for part in line.segments
    )
    return f'<span class="l{style}" data-n="{line.number}">{text}</span>'


def _repeated(added: Sequence[str], names: str) -> str:
    """Return lines of a chunk that are not at this place of the source."""
    if not added:
        return ""
    lines = "".join(f'<span class="l">{escaped(line)}</span>' for line in added)
    return f'<div class="{names}" title="Not in the source here">{lines}</div>'


def chart_html(chart: SizeChart | None, first: int, unit: str) -> str:
    """Return one bar per chunk, as high as the chunk is large, and a line at the limit.

    Bars lead to the chunks by their numbers on the page, from the first on.
    """
    if chart is None:
        return ""
    bars = "".join(
        f'<a href="#c{number}" tabindex="-1"><rect class="k{bar.chunk.colour}" '
        f'id="s{number}" x="{bar.x:.2f}" y="{bar.y:.2f}" width="{bar.width:.2f}" '
        f'height="{bar.height:.2f}"><title>Chunk {bar.chunk.number}: '
        f"{bar.chunk.size:,} {escaped(unit)}</title></rect></a>"
        for number, bar in enumerate(chart.bars, first)
    )
    width, limit = max(len(chart.bars), _MIN_BARS), f"{chart.limit_y:.2f}"
    return (
        f'<svg class="chart" viewBox="0 0 {width} {CHART_HEIGHT:g}" '
        'preserveAspectRatio="none" role="img" '
        f'aria-label="The size of each chunk, and the limit">{bars}'
        f'<line x1="0" x2="{width}" y1="{limit}" y2="{limit}"/></svg>'
    )


def tree_html(items: str, title: str) -> str:
    """Return the tree beside the text; empty if it has no items."""
    if not items:
        return ""
    name = escaped(title)
    return (
        f'<details class="tree" id="tree" open><summary>{name}</summary>'
        f'<ul role="tree" aria-label="{name}">{items}</ul></details>'
    )


def tree_items(
    nodes: Sequence[PageNode], first_node: int, first_chunk: int
) -> Iterator[str]:
    """Yield the nodes of a document, in its order, as nested items of the tree.

    Nodes and chunks are numbered on the page, those of the document from the first on.
    """
    depths: list[int] = []  # of the items that are open: deeper ones follow
    for at, node in enumerate(nodes):
        while depths and depths[-1] >= node.depth:
            depths.pop()
            yield "</ul></li>"
        is_parent = at + 1 < len(nodes) and nodes[at + 1].depth > node.depth
        number, level = first_node + at, len(depths) + 1
        yield _link(node, number, first_chunk + node.chunk, level, is_parent=is_parent)
        if is_parent:
            depths.append(node.depth)
            yield f'<ul role="group" id="g{number}">'
        else:
            yield "</li>"
    yield "</ul></li>" * len(depths)


def _link(
    node: PageNode, number: int, chunk: int, level: int, *, is_parent: bool
) -> str:
    state = f' aria-expanded="true" aria-owns="g{number}"' if is_parent else ""
    fold = '<span class="fold"></span>' if is_parent else ""
    badge = (
        f'<span class="number k{node.chunk % COLOURS}">{node.chunk + 1}</span>'
        if node.is_leaf
        else ""
    )
    lines = f"{node.start_line}"
    if node.end_line != node.start_line:
        lines += f"-{node.end_line}"
    return (
        f'<li role="none"><a role="treeitem" id="n{number}" href="#c{chunk}" '
        f'aria-level="{level}"{state}>{fold}{badge}'
        f'<span class="name">{escaped(node.title)}</span>'
        f'<span class="at">{lines}</span></a>'
    )
