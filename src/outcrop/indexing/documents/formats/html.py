"""HTML: its text as Markdown, with headings, lists, tables and code blocks.

The place of a line is the line of the file where its text starts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from outcrop.indexing.documents.formats.document_text import DocumentText
from outcrop.markdown.front_matter import FrontMatter
from outcrop.text.html_parser import LinearHtmlParser

_MAX_CELL_CHARS = 1000  # longer ones are parts of a page that a table lays out
_MAX_SPAN = 20
# Rows are filled up with empty cells, unless these would be most of the table.
_MAX_EMPTY_SHARE = 10
_FREE_CELLS = 1_000


@dataclass(slots=True)
class _Row:
    line: int = 0
    """The line of the file where its text starts."""
    cells: list[list[str]] = field(default_factory=list)

    def texts(self) -> list[str]:
        return [_SPACES.sub(" ", "".join(cell)).strip() for cell in self.cells]


class HtmlTable:
    """The rows of a table."""

    def __init__(self) -> None:
        self._rows: list[_Row] = []
        self._cell: list[str] | None = None

    @property
    def in_cell(self) -> bool:
        """Whether text belongs to a cell now."""
        return self._cell is not None

    def open_row(self) -> None:
        """Start a row."""
        self._rows.append(_Row())
        self._cell = None

    def open_cell(self, span: str | None) -> None:
        """Start a cell, and the row as well where it is missing."""
        if not self._rows:
            self.open_row()
        self._cell = []
        columns = int(span) if span and re.fullmatch("[0-9]{1,4}", span) else 1
        empty: list[list[str]] = [[] for _ in range(min(columns, _MAX_SPAN) - 1)]
        self._rows[-1].cells.extend([self._cell, *empty])

    def add(self, text: str, line: int) -> None:
        """Add text that starts in a line of the file to the cell."""
        if self._cell is None:
            return
        self._cell.append(text.replace("\0", "\ufffd"))
        row = self._rows[-1]
        if not row.line and text.strip():
            row.line = line + text[: len(text) - len(text.lstrip())].count("\n")

    def close_cell(self) -> None:
        """End the cell."""
        self._cell = None

    def write(self) -> list[list[tuple[str, int]]]:
        """Return the blocks that the table becomes: lines with their places.

        A table of several rows and columns is one block. Others, and those with much
        text in a cell, only lay a page out: each row is a paragraph.
        """
        rows = [(row.line, row.texts()) for row in self._rows]
        rows = [(line, texts) for line, texts in rows if any(texts)]
        columns = max((len(texts) for _, texts in rows), default=0)
        longest = max((len(t) for _, texts in rows for t in texts), default=0)
        if len(rows) > 1 and columns > 1 and longest <= _MAX_CELL_CHARS:
            return [_pipe_table(rows, columns)]
        return [[(" | ".join(filter(None, texts)), line)] for line, texts in rows]


def _pipe_table(
    rows: list[tuple[int, list[str]]], columns: int
) -> list[tuple[str, int]]:
    lines: list[tuple[str, int]] = []
    given = sum(len(texts) for _, texts in rows)
    is_filled = len(rows) * columns <= _FREE_CELLS + _MAX_EMPTY_SHARE * given
    for line, texts in rows:
        cells = [text.replace("|", "\\|") for text in texts]
        if is_filled or not lines:  # the head says how many columns there are
            cells += [""] * (columns - len(cells))
        lines.append((f"| {' | '.join(cells)} |", line))
    head = lines[0][1]
    lines.insert(1, (f"|{' --- |' * columns}", head))
    return lines


# Their text is not part of the document.
_LEFT_OUT = frozenset(
    ["script", "style", "template", "noscript", "svg", "iframe", "object", "select"]
)
# Elements that start and end a line.
_BLOCKS = frozenset([
    "address", "article", "aside", "blockquote", "body", "br", "caption", "center",
    "dd", "details", "dialog", "div", "dl", "dt", "fieldset", "figcaption", "figure",
    "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "html",
    "li", "main", "nav", "ol", "p", "pre", "section", "summary", "table", "tbody",
    "tfoot", "thead", "tr", "ul",
])  # fmt: skip
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_CELLS = frozenset(["td", "th"])
_TABLE_PARTS = frozenset(["table", "tbody", "td", "tfoot", "th", "thead", "tr"])
# A table that contains one of these lays a page out.
_NOT_IN_CELLS = frozenset([*_HEADINGS, "pre", "table"])
_LANGUAGE = re.compile(
    r"\b(?:lang|language|highlight-source|highlight)-([\w+#.-]{1,30})"
)
_SPACES = re.compile(r"\s+")
# What Markdown would read as a block at the start of a line.
_BLOCK_START = re.compile(
    r"(?:#{1,6}(?=\s|$)|[-+*>|](?=\s|$)|\d{1,9}[.)](?=\s|$)|`{3}|~{3}|={3}|-{3}|\+{3})"
)
_BACKTICKS = re.compile(r"`{3,}")
# The text of a link to the heading itself, as generators of documentation add it.
_PERMALINK = re.compile(r"\s*[¶\u200b\U0001f517]+$")
# The whole text of a link to a place in the same page that shows no words.
_ANCHOR_TEXT = re.compile(r"\s*[¶§#\u200b\U0001f517]+\s*")
# What would make a heading or a row of the line above it.
_JOINS_ABOVE = re.compile(r"[=-]+$|:?-+:?\s*\|")
_NAVIGATION_ROLES = frozenset(["navigation", "search"])
# What generators call the links to the pages around, and lists of contents: DocBook,
# Publican, Texinfo, Doxygen, Javadoc.
_NAVIGATION_CLASSES = frozenset([
    "bottomnav", "docnav", "nav-panel", "navfooter", "navheader", "navpath", "subnav",
    "toc", "topnav",
])  # fmt: skip


def read_html(text: str) -> DocumentText:
    """Return the text of an HTML file; anything is accepted."""
    content = _ContentReader()
    content.read(text)
    reader: _Reader = content
    if content.is_open or not content.lines:
        reader = _Reader()
        reader.read(text)
    title = _SPACES.sub(" ", "".join(reader.title)).strip()
    if title and not reader.has_h1:
        reader.add_title(title)
    keywords = [word.strip() for word in reader.meta.get("keywords", "").split(",")]
    return DocumentText(
        text="\n".join([*reader.lines, ""]),
        front_matter=FrontMatter(
            title=title,
            description=_SPACES.sub(" ", reader.meta.get("description", "")).strip(),
            keywords=tuple(word for word in keywords if word),
        ),
        places=[*(reader.places or [1]), reader.getpos()[0]],
    )


class _Reader(LinearHtmlParser):
    """Collects lines of Markdown with the lines of the file they start in."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.places: list[int] = []
        self.title: list[str] = []
        self.meta: dict[str, str] = {}
        self.has_h1 = False
        self._first_heading: int | None = None
        self._words: list[str] = []
        self._start = 1
        self._prefix = ""
        self._hidden: list[str] = []
        self._in_title = False
        self._preformatted = False
        self._language = ""
        self._table: HtmlTable | None = None
        self._in_term = False
        self._in_anchor = False

    def read(self, text: str) -> None:
        """Read a file to its end."""
        # A lone CR is a line end for browsers; the parser counts only LF.
        super().read(text.removeprefix("\ufeff"))
        self.end_line()
        self._end_table()

    def add_title(self, title: str) -> None:
        """Make the title the heading of the page, unless its first one says it."""
        first = self._first_heading
        if first is not None and self.lines[first].lstrip("# ") == title:
            self.lines[first] = f"# {title}"
        else:
            self.lines[:0] = [f"# {title}", ""]
            self.places[:0] = [1, 1]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open an element."""
        self._in_anchor = tag == "a" and (dict(attrs).get("href") or "").startswith("#")
        if tag in _LEFT_OUT:
            self._hidden.append(tag)
        elif tag == "title":
            self._in_title = not self._hidden
        elif tag == "meta":
            self._read_meta(dict(attrs))
        elif self._preformatted and tag != "pre":
            self._words += ["\n"] * (tag == "br")
        elif self._table is not None and tag not in _NOT_IN_CELLS:
            self._open_in_table(self._table, tag, dict(attrs))
        elif tag in _BLOCKS:
            self.end_line()
            self._end_table()
            self._open_block(tag)
        elif tag in _CELLS and self._words:
            self._words.append(" | ")
        if self._preformatted or tag == "pre":
            self._note_language(dict(attrs))

    def handle_endtag(self, tag: str) -> None:
        """Close an element; one that was never opened is ignored."""
        self._in_anchor = False
        if tag in self._hidden:
            while self._hidden.pop() != tag:
                pass
        elif tag == "title":
            self._in_title = False
        elif self._preformatted and tag != "pre":
            self._words += ["\n"] * (tag in {"div", "p", "li", "tr"})
        elif self._table is not None and tag == "table":
            self.end_line()
            self._end_table()
        elif self._table is not None and tag in _CELLS:
            self._table.close_cell()
        elif self._table is not None and self._table.in_cell:
            self._table.add(" " * (tag in _BLOCKS), 0)
        elif tag in _BLOCKS:
            self.end_line()
            self._prefix = ""
            self._preformatted = False
            if tag == "dl":
                self._end_paragraph()
            self._in_term = self._in_term and tag != "dt"

    def handle_data(self, data: str) -> None:
        """Add text."""
        if self._in_anchor and _ANCHOR_TEXT.fullmatch(data):
            return
        if self._in_title:
            self.title.append(data)
        elif self._table is not None and self._table.in_cell and not self._hidden:
            self._table.add(data, self.getpos()[0])
        elif not self._hidden:
            if not self._words:
                self._start = self.getpos()[0]
            if data.strip() or self._words or self._preformatted:
                self._words.append(data)

    def _open_in_table(
        self, table: HtmlTable, tag: str, attributes: dict[str, str | None]
    ) -> None:
        if tag in _CELLS:
            self.end_line()
            table.open_cell(attributes.get("colspan"))
        elif tag == "tr":
            table.open_row()
        elif table.in_cell:
            table.add(" " * (tag in _BLOCKS), 0)
        elif tag in _BLOCKS and tag not in _TABLE_PARTS:
            self.end_line()
            self._open_block(tag)

    def _end_table(self) -> None:
        table, self._table = self._table, None
        for block in table.write() if table is not None else ():
            self._end_paragraph()
            lines, places = zip(*block, strict=True)
            if len(block) == 1 and _BLOCK_START.match(lines[0]):
                lines = (f"\\{lines[0]}",)
            self.lines += [*lines, ""]
            self.places += [*places, places[-1]]

    def end_line(self) -> None:
        """Write the text so far as a block of its own."""
        source, self._words = "".join(self._words), []
        if not source.strip():
            return
        prefix, self._prefix = self._prefix, ""
        if self._preformatted:
            block = self._fence(source)
        else:
            line = _SPACES.sub(" ", source.replace("\0", "\ufffd")).strip()
            line = _PERMALINK.sub("", line) or line
            if not prefix and _BLOCK_START.match(line):
                line = f"\\{line}"
            block = [prefix + line]
        if prefix or self._preformatted or _JOINS_ABOVE.match(block[0]):
            self._end_paragraph()
        if prefix.startswith("#") and self._first_heading is None:
            self._first_heading = len(self.lines)
        # A term and its definition are one paragraph, so that no cut parts them.
        keeps_open = self._in_term and not prefix and not self._preformatted
        gap = [] if keeps_open else [""]
        self.lines += [*block, *gap]
        first = self._start + source[: len(source) - len(source.lstrip())].count("\n")
        code_lines = len(block) - 2  # fences have the places of the lines beside them
        offsets = (max(0, min(at, code_lines) - 1) for at in range(len(block)))
        here = self.getpos()[0]  # elements inside code end lines that the file does not
        lasts = [0] * len(gap)
        self.places += [min(first + offset, here) for offset in (*offsets, *lasts)]

    def _end_paragraph(self) -> None:
        if self.lines and self.lines[-1]:
            self.lines.append("")
            self.places.append(self.places[-1])

    def _open_block(self, tag: str) -> None:
        self._in_term = tag == "dt" or (self._in_term and tag not in {"dd", "dl"})
        if tag in _HEADINGS:
            self._prefix = f"{'#' * _HEADINGS[tag]} "
            self.has_h1 = self.has_h1 or tag == "h1"
        elif tag == "li":
            self._prefix = "- "
        elif tag == "pre":
            self._preformatted = True
            self._language = ""
        elif tag == "table":
            self._table = HtmlTable()

    def _fence(self, source: str) -> list[str]:
        code = source.replace("\0", "\ufffd").strip("\r\n").splitlines()
        longest = max(map(len, _BACKTICKS.findall(source)), default=2)
        marks = "`" * (longest + 1)
        return [f"{marks}{self._language}", *code, marks]

    def _note_language(self, attributes: dict[str, str | None]) -> None:
        match = _LANGUAGE.search(attributes.get("class") or "")
        if match and not self._language:
            self._language = match[1]

    def _read_meta(self, attributes: dict[str, str | None]) -> None:
        name, content = attributes.get("name"), attributes.get("content")
        if name and content:
            self.meta.setdefault(name.lower(), content)


class _ContentReader(_Reader):
    """Leaves out menus, tables of contents and search forms."""

    def __init__(self) -> None:
        super().__init__()
        self._element = ""
        self._depth = 0

    @property
    def is_open(self) -> bool:
        """Whether navigation has not ended, so that text of the page may be lost."""
        return self._depth > 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open an element."""
        if self._depth:
            self._depth += tag == self._element
        elif tag == "nav" or (tag in _BLOCKS and _is_navigation(dict(attrs))):
            self.end_line()
            self._element, self._depth = tag, 1
        else:
            super().handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        """Close an element."""
        if self._depth:
            self._depth -= tag == self._element
        else:
            super().handle_endtag(tag)

    def handle_data(self, data: str) -> None:
        """Add text."""
        if not self._depth:
            super().handle_data(data)


def _is_navigation(attributes: dict[str, str | None]) -> bool:
    classes = (attributes.get("class") or "").lower().split()
    return attributes.get(
        "role"
    ) in _NAVIGATION_ROLES or not _NAVIGATION_CLASSES.isdisjoint(classes)
