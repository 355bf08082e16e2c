"""Documents as sections: Markdown, reStructuredText and HTML.

Links into documents of the same package stay in the text, in characters of the private
use area, so that what links say can be paired with the section they lead to.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import NamedTuple

_ATX = re.compile(r"^(#{1,6})\s+(.+?)\s*#*\s*$")
_FENCE = re.compile(r"^\s*(```|~~~)")
_UNDERLINE = re.compile(r"^([=\-~^\"'`#*+.:_])\1{2,}\s*$")
_LABEL = re.compile(r"^\.\. _([^:`]+):\s*$")
_REFERENCE = re.compile(r":(?:std:)?(ref|doc):`(?:([^`<]+?)\s*<([^`>]+)>|([^`<]+))`")
_MARKDOWN_LINK = re.compile(r"(?<!!)\[([^\[\]\n]+)\]\(([^()\s]*)\)")
_LINK = re.compile("\ue000([^\ue001]*)\ue001([^\ue002]*)\ue002")
_MARKS = re.compile("\ue000[^\ue001]*\ue001|\ue002")
_ADDRESS = re.compile(r"^(?:[a-z][a-z0-9+.-]*:|//|$)", re.IGNORECASE)
_HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])
_SKIPPED_TAGS = frozenset(["script", "style", "nav", "head", "footer", "svg"])
_BLOCKS = frozenset(["p", "li", "div", "tr", "pre", "dd", "dt", "br", "table"])


class DocSection(NamedTuple):
    """A heading path, the text under it and the anchors that lead to it."""

    path: tuple[str, ...]
    text: str
    anchors: tuple[str, ...] = ()


def links_in(text: str) -> list[str]:
    """Return the targets of the links in a text."""
    return [target for target, _ in _LINK.findall(text)]


def without_links(text: str) -> str:
    """Return a text with what its links show, but not where they lead."""
    return _MARKS.sub("", text)


def without_shown(text: str) -> str:
    """Return a text without its links."""
    return _LINK.sub("", text)


def _link(target: str, shown: str) -> str:
    if _ADDRESS.match(target):
        return shown
    return f"\ue000{target}\ue001{shown}\ue002"


def read_markdown(text: str) -> list[DocSection]:
    """Split Markdown at its ATX headings, those in fences left alone."""
    sections: list[DocSection] = []
    path: list[tuple[int, str]] = []
    lines: list[str] = []
    in_fence = False

    def flush() -> None:
        titles = tuple(title for _, title in path)
        anchors = (_slug(titles[-1]),) if titles else ()
        kept = _MARKDOWN_LINK.sub(lambda m: _link(m[2], m[1]), "\n".join(lines))
        sections.append(DocSection(titles, kept, anchors))
        lines.clear()

    for line in text.splitlines():
        if _FENCE.match(line):
            in_fence = not in_fence
        match = None if in_fence else _ATX.match(line)
        if match is None:
            lines.append(line)
            continue
        flush()
        level = len(match[1])
        path = [item for item in path if item[0] < level]
        path.append((level, _MARKDOWN_LINK.sub(r"\1", match[2])))
    flush()
    return sections


def _slug(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def read_rst(text: str) -> list[DocSection]:
    """Split reStructuredText at underlined titles."""
    lines = text.splitlines()
    sections: list[DocSection] = []
    order: list[str] = []
    path: list[tuple[int, str]] = []
    kept: list[str] = []
    labels: list[str] = []
    anchors: list[str] = []
    at = 0

    def flush() -> None:
        body = _REFERENCE.sub(_read_reference, "\n".join(kept))
        titles = tuple(title for _, title in path)
        sections.append(DocSection(titles, body, tuple(anchors)))
        kept.clear()

    while at < len(lines):
        line, below = lines[at], lines[at + 1] if at + 1 < len(lines) else ""
        label = _LABEL.match(line)
        if label:
            labels.append(f"ref:{label[1].lower()}")
            at += 1
        elif not _is_title(line, below):
            if line.strip() and not _UNDERLINE.match(line):
                labels = []  # they lead to a paragraph or a picture
            kept.append(line)
            at += 1
        else:
            flush()
            anchors, labels = labels, []
            if below[0] not in order:
                order.append(below[0])
            level = order.index(below[0])
            path = [item for item in path if item[0] < level]
            path.append((level, line.strip()))
            at += 2
    flush()
    return sections


def _is_title(line: str, below: str) -> bool:
    return bool(
        line.strip()
        and not line[0].isspace()
        and _UNDERLINE.match(below)
        and len(below.strip()) >= len(line.strip())
        and not _UNDERLINE.match(line)
    )


def _read_reference(match: re.Match[str]) -> str:
    """Return a reference to a label, or to a page, whose suffix it leaves out."""
    target = (match[3] or match[4]).strip()
    shown = match[2] or re.sub(r"[-_:/]+", " ", match[4])
    leads_to = f"{target}.rst" if match[1] == "doc" else f"ref:{target.lower()}"
    return f"\ue000{leads_to}\ue001{shown}\ue002"


class _Page(HTMLParser):
    """Collects headings, text, links and anchors of a page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.sections: list[DocSection] = []
        self._path: list[tuple[int, str]] = []
        self._text: list[str] = []
        self._heading: list[str] | None = None
        self._skipped = 0
        self._in_link = False
        self._anchors: list[str] = []
        self._next_anchors: list[str] = []  # seen since the last text

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SKIPPED_TAGS:
            self._skipped += 1
            return
        for name, value in attrs:
            if value and (name == "id" or (tag == "a" and name == "name")):
                self._next_anchors.append(value)
            elif value and name == "href" and self._heading is None:
                self._start_link(tag, value)
        if tag in _HEADINGS:
            self.flush()
            self._heading = []
        elif tag in _BLOCKS:
            self._text.append("\n")

    def _start_link(self, tag: str, target: str) -> None:
        if tag == "a" and not self._in_link and not _ADDRESS.match(target):
            self._text.append(f"\ue000{target}\ue001")
            self._in_link = True

    def handle_endtag(self, tag: str) -> None:
        if tag in _SKIPPED_TAGS:
            self._skipped = max(0, self._skipped - 1)
        elif tag == "a" and self._in_link:
            self._text.append("\ue002")
            self._in_link = False
        elif tag in _HEADINGS:
            title = " ".join("".join(self._heading or []).split()).strip("¶# ")
            level = int(tag[1])
            self._path = [item for item in self._path if item[0] < level]
            self._path.append((level, title))
            self._heading = None
            self._anchors += self._next_anchors
            self._next_anchors = []

    def handle_data(self, data: str) -> None:
        if self._skipped:
            return
        if self._heading is not None:
            self._heading.append(data)
            return
        self._text.append(data)
        if data.strip():
            self._anchors += self._next_anchors
            self._next_anchors = []

    def flush(self) -> None:
        if self._in_link:
            self._text.append("\ue002")
            self._in_link = False
        text = "".join(self._text).strip()
        if text:
            path = tuple(title for _, title in self._path if title)
            self.sections.append(DocSection(path, text, tuple(self._anchors)))
        self._text, self._anchors = [], []


def read_html(text: str) -> list[DocSection]:
    """Split a page at its headings."""
    page = _Page()
    page.feed(text)
    page.flush()
    return page.sections
