"""Pairs from documentation: headings, first sentences and links with their sections."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING, NamedTuple

from training.pair import Pair

if TYPE_CHECKING:
    from collections.abc import Iterator

_ATX = re.compile(r"^(#{1,6})\s+(.+?)\s*#*\s*$")
_FENCE = re.compile(r"^\s*(```|~~~)")
_UNDERLINE = re.compile(r"^([=\-~^\"'`#*+.:_])\1{2,}\s*$")
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+(?=\S)")
_MIN_SECTION = 120
_MAX_SECTION = 1_200
_MIN_HEADING = 4
_MIN_SENTENCE, _MAX_SENTENCE = 40, 300
_HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])
_SKIPPED_TAGS = frozenset(["script", "style", "nav", "head", "footer", "svg"])
_BLOCKS = frozenset(["p", "li", "div", "tr", "pre", "dd", "dt", "br", "table"])
_USELESS = frozenset(
    ["contents", "table of contents", "index", "navigation", "copyright", "license",
     "authors", "see also", "overview", "notes", "description", "changelog"]
)  # fmt: skip


class DocSection(NamedTuple):
    """A heading path and the text under it."""

    path: tuple[str, ...]
    text: str


def document_pairs(sections: list[DocSection]) -> Iterator[Pair]:
    """Yield pairs of the sections of one document."""
    for section in sections:
        text = section.text.strip()
        if len(text) < _MIN_SECTION:
            continue
        heading = section.path[-1] if section.path else ""
        above = " > ".join(section.path)
        if (
            heading.lower().strip(" ¶#") not in _USELESS
            and len(heading) >= _MIN_HEADING
        ):
            question = " ".join(section.path[-2:])
            yield Pair("heading", question, text[:_MAX_SECTION])
        sentences = _SENTENCE.split(text[: 2 * _MAX_SECTION])
        for at in range(0, len(sentences) - 2, 3):
            said = " ".join(sentences[at].split())
            if _MIN_SENTENCE < len(said) < _MAX_SENTENCE:
                rest = " ".join(sentences[:at] + sentences[at + 1 :])
                yield Pair("sentence", said, f"{above}\n{rest}"[:_MAX_SECTION])


def read_markdown(text: str) -> list[DocSection]:
    """Split Markdown at its ATX headings, those in fences left alone."""
    sections: list[DocSection] = []
    path: list[tuple[int, str]] = []
    lines: list[str] = []
    in_fence = False
    for line in text.splitlines():
        if _FENCE.match(line):
            in_fence = not in_fence
        match = None if in_fence else _ATX.match(line)
        if match is None:
            lines.append(line)
            continue
        sections.append(DocSection(tuple(t for _, t in path), "\n".join(lines)))
        level, lines = len(match[1]), []
        path = [item for item in path if item[0] < level]
        path.append((level, match[2]))
    sections.append(DocSection(tuple(t for _, t in path), "\n".join(lines)))
    return sections


def read_rst(text: str) -> list[DocSection]:
    """Split reStructuredText at underlined titles."""
    lines = text.splitlines()
    sections: list[DocSection] = []
    order: list[str] = []
    path: list[tuple[int, str]] = []
    kept: list[str] = []
    at = 0
    while at < len(lines):
        line, below = lines[at], lines[at + 1] if at + 1 < len(lines) else ""
        is_title = (
            line.strip()
            and not line[0].isspace()
            and _UNDERLINE.match(below)
            and len(below.strip()) >= len(line.strip())
            and not _UNDERLINE.match(line)
        )
        if not is_title:
            kept.append(line)
            at += 1
            continue
        sections.append(DocSection(tuple(t for _, t in path), "\n".join(kept)))
        kept = []
        if below[0] not in order:
            order.append(below[0])
        level = order.index(below[0])
        path = [item for item in path if item[0] < level]
        path.append((level, line.strip()))
        at += 2
    sections.append(DocSection(tuple(t for _, t in path), "\n".join(kept)))
    return sections


class _Page(HTMLParser):
    """Collects headings and text of a page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.sections: list[DocSection] = []
        self._path: list[tuple[int, str]] = []
        self._text: list[str] = []
        self._heading: list[str] | None = None
        self._skipped = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        if tag in _SKIPPED_TAGS:
            self._skipped += 1
        elif tag in _HEADINGS:
            self.flush()
            self._heading = []
        elif tag in _BLOCKS:
            self._text.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in _SKIPPED_TAGS:
            self._skipped = max(0, self._skipped - 1)
        elif tag in _HEADINGS:
            title = " ".join("".join(self._heading or []).split()).strip("¶# ")
            level = int(tag[1])
            self._path = [item for item in self._path if item[0] < level]
            self._path.append((level, title))
            self._heading = None

    def handle_data(self, data: str) -> None:
        if self._skipped:
            return
        (self._text if self._heading is None else self._heading).append(data)

    def flush(self) -> None:
        text = "".join(self._text).strip()
        if text:
            path = tuple(title for _, title in self._path if title)
            self.sections.append(DocSection(path, text))
        self._text = []


def read_html(text: str) -> list[DocSection]:
    """Split a page at its headings."""
    page = _Page()
    page.feed(text)
    page.flush()
    return page.sections
