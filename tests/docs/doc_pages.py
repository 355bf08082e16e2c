"""The project's own pages, read with a Markdown parser: blocks, links and headings."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pyromark

ROOT = Path(__file__).parents[2]

# A comment directly before a block says why it is not run.
OPT_OUT = re.compile(r"<!--\s*not run:\s*(?P<reason>.*?)\s*-->", re.DOTALL)

_OPTIONS = pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_GFM


@dataclass(slots=True)
class Block:
    """A fenced block.

    Attributes:
        page: The file it stands in.
        line: The line of its fence, from 1.
        language: The first word behind the fence.
        source: What it holds.
        reason: Why it is not run, or None.
        output: What the `text` block directly behind a Python block holds, or None.
    """

    page: Path
    line: int
    language: str
    source: str
    reason: str | None = None
    output: str | None = None

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


@dataclass(slots=True)
class Page:
    """What the tests need to know of a page.

    Attributes:
        path: The file.
        blocks: Its fenced blocks, in order.
        links: Addresses of its links and pictures.
        anchors: What a link may name behind `#`.
        tables: The first column of each table, header first.
    """

    path: Path
    blocks: list[Block] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)
    tables: list[list[str]] = field(default_factory=list)

    def column(self, header: str) -> list[str]:
        """The first columns of all tables that start with a header, without it."""
        return [
            cell for first, *cells in self.tables if first == header for cell in cells
        ]


def page_paths() -> list[Path]:
    """The pages at the root, and everything below `docs`."""
    return sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


def page_name(path: Path) -> str:
    """A page's path for people, as in `docs/index.md`."""
    return path.relative_to(ROOT).as_posix()


def read_page(path: Path) -> Page:
    """Read one page."""
    data = path.read_bytes()
    page = Page(path=path)
    reader = _Reader(page, data)
    for event, span in pyromark.events_with_range(data.decode(), options=_OPTIONS):
        reader.take(event, span["start"], span["end"])
    return page


class _Reader:
    """Follows the parser's events."""

    def __init__(self, page: Page, data: bytes) -> None:
        self._page = page
        self._data = data
        self._words: list[str] | None = None
        self._comment = ("", -1)
        self._last_end = 0
        self._is_adjacent = False
        self._is_first_cell = False

    def take(self, event: Any, start: int, end: int) -> None:
        if not isinstance(event, dict):
            return
        ((name, value),) = event.items()
        if name == "Start":
            self._open(value, start)
        elif name == "End":
            self._close(value, end)
        elif name in {"Text", "Code"} and self._words is not None:
            self._words.append(value)
        elif name in {"Html", "InlineHtml"}:
            self._page.links.extend(_addresses(value))
            text = value if self._comment[1] != start else self._comment[0] + value
            self._comment = (text, end)

    def _open(self, tag: Any, start: int) -> None:
        name, value = (tag, None) if isinstance(tag, str) else next(iter(tag.items()))
        if name in {"Link", "Image"}:
            self._page.links.append(value["dest_url"])
        elif name == "Heading":
            self._words = []
        elif name == "Table":
            self._page.tables.append([])
        elif name in {"TableHead", "TableRow"}:
            self._is_first_cell = True
        elif name == "TableCell" and self._is_first_cell:
            self._words = []
        elif name == "CodeBlock":
            self._words = []
            info = "" if value == "Indented" else value["Fenced"]
            self._add_block(start, (info.split() or [""])[0])

    def _add_block(self, start: int, language: str) -> None:
        line = self._data.count(b"\n", 0, start) + 1
        block = Block(self._page.path, line, language, "")
        comment, comment_end = self._comment
        if comment_end >= 0 and not self._data[comment_end:start].strip():
            match = OPT_OUT.search(comment)
            block.reason = match["reason"] if match else None
        self._page.blocks.append(block)
        self._is_adjacent = not self._data[self._last_end : start].strip()

    def _close(self, tag: Any, end: int) -> None:
        name = tag if isinstance(tag, str) else next(iter(tag))
        words, page = self._words, self._page
        if words is None or name not in {"CodeBlock", "Heading", "TableCell"}:
            return
        text = "".join(words)
        self._words = None
        if name == "Heading":
            page.anchors.add(_slug(text))
        elif name == "TableCell":
            page.tables[-1].append(text)
            self._is_first_cell = False
        else:
            block = page.blocks[-1]
            block.source = text
            previous = page.blocks[-2] if len(page.blocks) > 1 else None
            if block.language == "text" and previous and self._is_adjacent:
                previous.output = text
            self._last_end = end


def _slug(title: str) -> str:
    """The anchor that code forges give a heading."""
    kept = re.sub(r"[^\w\- ]", "", title.strip().lower())
    return kept.replace(" ", "-")


def _addresses(html: str) -> list[str]:
    found: list[str] = []

    class Addresses(HTMLParser):
        def handle_starttag(self, tag, attrs):
            found.extend(v for n, v in attrs if n in {"href", "src", "srcset"} and v)

    parser = Addresses()
    parser.feed(html)
    parser.close()
    return found
