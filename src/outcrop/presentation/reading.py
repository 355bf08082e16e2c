"""A Markdown document as people read it, without anything that could run or be loaded.

The parser's events become elements of a fixed set. Text and attributes are escaped, the
document's own HTML is reduced to its text, images to their descriptions, and a link is
kept only where the caller gives it an address.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from outcrop.markdown.parser import parseable, read_events
from outcrop.presentation.document import UNTITLED, PageNode
from outcrop.presentation.document_html import escaped
from outcrop.presentation.reading_events import (
    code_block,
    front_matter,
    html_block,
    image,
    inline_html,
    slug_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    Resolve = Callable[[set[str]], Mapping[str, str]]

HEADING_ANCHOR = "s-"
_NOTE_ANCHOR = "f-"
# The start and the end of elements, where they are always the same.
_ELEMENTS = {
    "Paragraph": ("<p>", "</p>"),
    "Emphasis": ("<em>", "</em>"),
    "Strong": ("<strong>", "</strong>"),
    "Strikethrough": ("<del>", "</del>"),
    "Item": ("<li>", "</li>"),
    "BlockQuote": ("<blockquote>", "</blockquote>"),
    "FootnoteDefinition": ("", "</div>"),
    "Table": ('<div class="table" tabindex="0"><table>', "</tbody></table></div>"),
    "TableHead": ("<thead><tr>", "</tr></thead><tbody>"),
    "TableRow": ("<tr>", "</tr>"),
}
_ALIGNMENTS = {"Left": " left", "Center": " center", "Right": " right"}
# Blocks without blocks in them; a chunk that starts inside one starts above it.
_LEAVES = frozenset(
    ["Paragraph", "Heading", "CodeBlock", "HtmlBlock", "MetadataBlock", "Table", "Rule"]
)
_CAPTURED = frozenset(["CodeBlock", "HtmlBlock", "MetadataBlock", "Image"])
_CONTAINERS = frozenset(["BlockQuote", "Item", "FootnoteDefinition"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A document as HTML, and its headings, which `c1`, `c2` and so on are anchors of."""

    html: str
    nodes: list[PageNode]


def render_reading(
    text: str, anchors: Iterable[tuple[int, str]], resolve: Resolve
) -> Reading:
    """Render a Markdown text.

    Args:
        text: The document.
        anchors: Offsets, ascending, and the ids that links lead there by.
        resolve: Takes the targets of the document's links and returns the addresses of
            those that may be followed.
    """
    source, data = parseable(text)
    events: list[Any]
    events, _ = read_events(source, list, merge_text=True)
    targets = {
        event["Start"]["Link"]["dest_url"]
        for event, _ in events
        if isinstance(event, dict)
        and isinstance(event.get("Start"), dict)
        and "Link" in event["Start"]
    }
    renderer = _Renderer(data, list(_in_bytes(text, anchors)), resolve(targets))
    for event, span in events:
        renderer.handle(event, span["start"], span["end"])
    return Reading(html=renderer.finish(), nodes=renderer.nodes)


def _in_bytes(
    text: str, anchors: Iterable[tuple[int, str]]
) -> Iterator[tuple[int, str]]:
    at = size = 0
    for offset, name in anchors:
        size += len(text[at:offset].encode("utf-8", "replace"))
        at = offset
        yield size, name


class _Renderer:
    """Turns events into HTML, one after another."""

    def __init__(
        self, data: bytes, anchors: Sequence[tuple[int, str]], links: Mapping[str, str]
    ) -> None:
        self.nodes: list[PageNode] = []
        self._data = data
        self._anchors = list(reversed(anchors))
        self._links = links
        self._parts: list[str] = []
        self._captured: list[str] | None = None  # text of a block or an image
        self._info: Any = None  # of what is captured
        self._images = 0  # open ones; they may be nested
        self._open_links: list[bool] = []
        self._containers = 0
        self._title: list[str] | None = None
        self._slugs: dict[str, int] = {}
        self._alignments: tuple[str, ...] = ()
        self._cell = 0
        self._is_head = False
        self._line, self._line_at = 1, 0

    def handle(self, event: Any, start: int, end: int) -> None:
        """Take the next event, with its range in bytes."""
        if isinstance(event, str):
            self._mark(event, start, end)
            return
        ((name, value),) = event.items()
        if name in {"Start", "End"}:
            tag, of = (
                (value, None) if isinstance(value, str) else next(iter(value.items()))
            )
            if name == "Start":
                self._start(tag, of, start, end)
            else:
                self._end(tag, of)
        else:
            self._text(name, value)

    def finish(self) -> str:
        """Return the document; chunks that are left start at its end."""
        self._place_anchors(len(self._data) + 1)
        return "".join(self._parts)

    def _mark(self, event: str, start: int, end: int) -> None:
        if self._captured is not None:
            self._captured.append("\n")
        elif event == "HardBreak":
            self._parts.append("<br>")
        elif event == "SoftBreak":
            self._parts.append("\n")
        elif event == "Rule":
            self._place_anchors(max(start + 1, end))
            self._parts.append("<hr>")

    def _text(self, name: str, value: Any) -> None:
        if self._captured is not None:
            self._captured.append(str(value))
            return
        if self._title is not None and name in {"Text", "Code", "InlineMath"}:
            self._title.append(value)
        self._parts.append(_inline(name, value))

    def _start(self, tag: str, value: Any, start: int, end: int) -> None:
        if tag in _LEAVES:
            self._place_anchors(end)
        if tag == "Image":
            self._images += 1
        if self._captured is not None:
            return
        if tag in _CAPTURED:
            self._captured, self._info = [], value
            return
        self._containers += tag in _CONTAINERS
        opener = getattr(self, f"_open_{tag.lower()}", None)
        if opener is not None:
            self._parts.append(opener(value, start))
        elif tag in _ELEMENTS:
            self._parts.append(_ELEMENTS[tag][0])
        if tag == "Item":
            self._place_anchors(start + 1)

    def _end(self, tag: str, value: Any) -> None:
        if tag == "Image":
            self._images -= 1
        if self._captured is not None:
            if tag in _CAPTURED and not self._images:
                self._close_captured(tag)
            return
        self._containers -= tag in _CONTAINERS
        closer = getattr(self, f"_close_{tag.lower()}", None)
        if closer is not None:
            self._parts.append(closer(value))
        elif tag in _ELEMENTS:
            self._parts.append(_ELEMENTS[tag][1])

    def _close_captured(self, tag: str) -> None:
        text, self._captured = "".join(self._captured or ()), None
        if tag == "CodeBlock":
            info = self._info if isinstance(self._info, dict) else {}
            self._parts.append(code_block(text, info.get("Fenced", "")))
        elif tag == "HtmlBlock":
            self._parts.append(html_block(text))
        elif tag == "MetadataBlock":
            self._parts.append(front_matter(text))
        else:
            if self._title is not None:
                self._title.append(text)
            self._parts.append(image(text, self._info["dest_url"]))

    def _open_heading(self, value: dict[str, Any], start: int) -> str:
        level = int(value["level"][1])
        self._title = []
        self._heading = (len(self._parts), level, start, value["id"])
        return ""  # the tag is inserted once the title is known

    def _close_heading(self, _: Any) -> str:
        at, level, start, own_id = self._heading
        title, self._title = "".join(self._title or ()).strip(), None
        anchor = escaped(
            HEADING_ANCHOR + self._unique((own_id or slug_of(title)).lower())
        )
        number = len(self.nodes) + 1
        place = ""
        if not self._containers:
            self.nodes.append(self._node(title, level, start))
            place = f' id="c{number}"'
        self._parts[at] = f'<h{level} class="h"{place}><i id="{anchor}"></i>'
        return f"</h{level}>"

    def _node(self, title: str, level: int, start: int) -> PageNode:
        self._line += self._data.count(b"\n", self._line_at, start)
        self._line_at = start
        return PageNode(
            title=title or UNTITLED,
            headers=[],
            depth=level,
            start_line=self._line,
            end_line=self._line,
            size=0,
            chunk=len(self.nodes),
        )

    def _unique(self, slug: str) -> str:
        unique = slug
        while unique in self._slugs:  # a title may be what another one became
            self._slugs[slug] += 1
            unique = f"{slug}-{self._slugs[slug]}"
        self._slugs[unique] = 0
        return unique

    def _open_list(self, first: int | None, _: int) -> str:
        return "<ul>" if first is None else f'<ol start="{int(first)}">'

    def _close_list(self, is_numbered: bool) -> str:  # noqa: FBT001 - as the event says
        return "</ol>" if is_numbered else "</ul>"

    def _open_link(self, value: dict[str, str], _: int) -> str:
        address = self._links.get(value["dest_url"])
        # A link in a link would end it.
        is_link = address is not None and not any(self._open_links)
        self._open_links.append(is_link)
        if is_link:
            return f'<a href="{escaped(address)}" rel="noreferrer noopener">'
        return '<span class="dead" title="Not in the index">'

    def _close_link(self, _: Any) -> str:
        return "</a>" if self._open_links.pop() else "</span>"

    def _open_footnotedefinition(self, label: str, _: int) -> str:
        note = escaped(_NOTE_ANCHOR + slug_of(label))
        return f'<div class="note" id="{note}"><b>{escaped(label)}</b> '

    def _open_table(self, alignments: tuple[str, ...], _: int) -> str:
        self._alignments = alignments
        return _ELEMENTS["Table"][0]

    def _open_tablehead(self, _: Any, __: int) -> str:
        self._cell, self._is_head = 0, True
        return _ELEMENTS["TableHead"][0]

    def _open_tablerow(self, _: Any, __: int) -> str:
        self._cell, self._is_head = 0, False
        return _ELEMENTS["TableRow"][0]

    def _open_tablecell(self, _: Any, __: int) -> str:
        alignments = self._alignments
        name = alignments[self._cell] if self._cell < len(alignments) else ""
        self._cell += 1
        tag = "th" if self._is_head else "td"
        return f'<{tag} class="cell{_ALIGNMENTS.get(name, "")}">'

    def _close_tablecell(self, _: Any) -> str:
        return "</th>" if self._is_head else "</td>"

    def _place_anchors(self, before: int) -> None:
        """Insert the anchors of all chunks that start before an offset."""
        if self._captured is not None:
            return
        while self._anchors and self._anchors[-1][0] < before:
            self._parts.append(
                f'<i class="at" id="{escaped(self._anchors.pop()[1])}"></i>'
            )


def _inline(name: str, value: Any) -> str:
    """Return the HTML of an event within a line."""
    if name == "Code":
        return f"<code>{escaped(value)}</code>"
    if name in {"InlineMath", "DisplayMath"}:
        return f'<code class="math">{escaped(value)}</code>'
    if name in {"InlineHtml", "Html"}:
        return inline_html(value)
    if name == "FootnoteReference":
        note = escaped(_NOTE_ANCHOR + slug_of(value))
        return f'<sup><a href="#{note}">{escaped(value)}</a></sup>'
    if name == "TaskListMarker":
        return "☑ " if value else "☐ "
    return escaped(value)
