"""reStructuredText: titles are lines with a line of marks below, and maybe above.

Code, tables and formulas are blocks: the line that announces them, and all lines below
that are indented more than it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from outcrop.indexing.documents.formats.document_text import (
    BYTE_ORDER_MARK,
    LINE,
    MAX_READ_TITLE_CHARS,
    Outline,
    Title,
)
from outcrop.markdown.document import path_title

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# A line of one mark is an adornment; four suffice below a longer title.
_MIN_LINE_CHARS = 4
_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*[ \t]*")
_ROLE = re.compile(r":[\w:.+-]+:`([^`]*)`")
_TARGET = re.compile(r"\s*<[^<>]*>$")
_MARKUP = re.compile(r"(?<!\\)[`*|]+")
_ESCAPE = re.compile(r"\\(?:\s|(\S))")  # an escaped space only ends markup
_LITERAL_DIRECTIVES = frozenset([
    "code", "code-block", "csv-table", "doctest", "ipython", "list-table", "math",
    "parsed-literal", "prompt", "raw", "sourcecode", "table", "testcode", "testoutput",
])  # fmt: skip
_DIRECTIVE = re.compile(r"[ \t]*\.\.[ \t]+(?:([\w-]+)::)?")
# What no other text contains: a directive or a target at the start of a line, or a role.
_EXPLICIT_MARKUP = re.compile(
    r"^\.\. (?:[a-zA-Z][\w:-]*::(?!\S)|_[^\r\n]+:)|(?<![\w`]):[a-z][\w:+.-]{0,60}:`[^`\r\n]+`",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class _Adorned:
    start: int  # including the line above
    end: int  # after the line below
    text: str
    style: tuple[str, bool]  # the mark, and whether it is also above


def read_plain(text: str) -> Outline:
    """Return the outline of plain text, which may be reStructuredText.

    Sphinx reads sources of any name; those of Django are called `.txt`.
    """
    return read_rst(text) if _EXPLICIT_MARKUP.search(text) else Outline()


def read_rst(text: str) -> Outline:
    """Return the outline of reStructuredText; the order of styles gives the levels."""
    first_line = len(BYTE_ORDER_MARK) if text.startswith(BYTE_ORDER_MARK) else 0
    lines = list(LINE.finditer(text, first_line))
    styles: list[tuple[str, bool]] = []
    titles: list[Title] = []
    for found in _titles(lines):
        if found.style not in styles:
            styles.append(found.style)
        level = styles.index(found.style) + 1
        titles.append(Title(level, found.text, found.start, found.end))
    return Outline(titles=titles, blocks=list(_blocks(lines)))


def _blocks(lines: Sequence[re.Match[str]]) -> Iterator[tuple[int, int]]:
    at = 0
    while at < len(lines):
        first = lines[at]
        at += 1
        if not _opens_block(first.group()):
            continue
        indent = _indent(first.group())
        end = first.end()
        while at < len(lines):
            line = lines[at].group()
            if line.strip() and _indent(line) <= indent:
                break
            end = lines[at].end() if line.strip() else end
            at += 1
        if end > first.end():
            yield first.start(), end


def _opens_block(line: str) -> bool:
    """Whether a line announces a literal block: a directive, or text with `::`."""
    if directive := _DIRECTIVE.match(line):
        return directive[1] in _LITERAL_DIRECTIVES
    return line.rstrip().endswith("::")


def _indent(line: str) -> int:
    expanded = line.expandtabs()
    return len(expanded) - len(expanded.lstrip())


def _titles(lines: Sequence[re.Match[str]]) -> Iterator[_Adorned]:
    at = 0
    while at + 1 < len(lines):
        above = lines[at - 1].group() if at else ""
        line, below = lines[at].group(), lines[at + 1].group()
        mark = _mark(below)
        if not mark or not line.strip() or _mark(line):
            at += 1
            continue
        has_line_above = bool(above.strip()) and above.rstrip() == below.rstrip()
        title = line.strip()
        is_long_enough = len(below.rstrip()) >= min(len(title), _MIN_LINE_CHARS)
        is_flush = has_line_above or not line[0].isspace()
        if is_long_enough and is_flush and (has_line_above or not above.strip()):
            first = lines[at - 1] if has_line_above else lines[at]
            style = (mark, has_line_above)
            visible = _visible(title[:MAX_READ_TITLE_CHARS])
            yield _Adorned(first.start(), lines[at + 1].end(), visible, style)
            at += 2
        else:
            at += 1


def _mark(line: str) -> str:
    """Return the mark that a line consists of, or an empty string."""
    bare = line.rstrip("\r\n")
    match = _ADORNMENT.fullmatch(bare)
    return match.group(1) if match else ""


def _visible(title: str) -> str:
    """Return a title without roles, targets and other markup, as paths have it."""
    plain = _ROLE.sub(lambda role: _TARGET.sub("", role.group(1)).lstrip("~!"), title)
    plain = _ESCAPE.sub(r"\1", _MARKUP.sub("", plain))
    return path_title(" ".join(plain.split()) or title)
