"""AsciiDoc: titles start with `=` or are underlined, blocks stand between equal marks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from outcrop.indexing.documents.formats.document_text import (
    LINE,
    MAX_READ_TITLE_CHARS,
    Outline,
    Title,
)
from outcrop.markdown.document import path_title
from outcrop.markdown.front_matter import FrontMatter

if TYPE_CHECKING:
    from collections.abc import Mapping

_TITLE = re.compile(r"\ufeff?(={1,6}|#{1,6})[ \t]+(\S.*?)(?:(?<![ \t])[ \t]+\1)?")
# Listings, literals, passthroughs, comments and tables: their text is not AsciiDoc.
_VERBATIM = re.compile(r"(-{4,}|\.{4,}|\+{4,}|/{4,}|[|,:!]={3,}|```)[ \t]*\S*[ \t]*")
# Examples, sidebars, quotes and open blocks hold paragraphs, but no sections.
_COMPOUND = re.compile(r"(={4,}|\*{4,}|_{4,}|--)[ \t]*")
_ATTRIBUTE = re.compile(r":([A-Za-z][\w-]*):[ \t]+(\S.*)")
_MARKUP = re.compile(r"\{[\w-]+\}|[`*_#+]{1,2}(?=\S)|(?<=\S)[`*_#+]{1,2}")
_ANCHOR = re.compile(r"\[\[[^\]]*\]\]")
_MAX_OPEN = 20
_UNDERLINE = re.compile(r"([=~^+-])\1{2,}[ \t]*")
_LEVELS = "=-~^+"
# How much longer or shorter than its title an underline may be.
_MAX_DIFFERENCE = 2
# Between a paragraph and a title: nothing, an anchor, or the attributes of a block.
_SEPARATOR = re.compile(r"[ \t]*|\[.*\][ \t]*|//.*")


def read_asciidoc(text: str) -> Outline:
    """Return the outline of AsciiDoc."""
    titles: list[Title] = []
    blocks: list[tuple[int, int]] = []
    attributes: dict[str, str] = {}
    open_marks: list[str] = []
    block_start = 0
    above: re.Match[str] | None = None  # the line above, if it can be a title
    is_separated = True
    for line in LINE.finditer(text):
        source = line.group().rstrip("\r\n")
        if open_marks:
            mark = source.rstrip()
            if mark == open_marks[-1]:
                open_marks.pop()
                if not open_marks:
                    blocks.append((block_start, line.end()))
            elif not _VERBATIM.fullmatch(open_marks[-1]) and _opens(source):
                # Only as many as anyone nests, so that the stack stays small.
                open_marks = [*open_marks, mark][:_MAX_OPEN]
        elif title := _title(line, above):
            titles.append(title)
        elif _opens(source):
            open_marks = [_closing(source)]
            block_start = line.start()
        elif match := _ATTRIBUTE.fullmatch(source):
            attributes.setdefault(match[1].lower(), match[2].strip())
        above = line if is_separated and not open_marks else None
        is_separated = bool(_SEPARATOR.fullmatch(source))
    if open_marks:
        blocks.append((block_start, len(text)))
    return Outline(titles=titles, blocks=blocks, front_matter=_about(attributes))


def _opens(line: str) -> bool:
    return bool(_VERBATIM.fullmatch(line) or _COMPOUND.fullmatch(line))


def _title(line: re.Match[str], above: re.Match[str] | None) -> Title | None:
    """Return the title that a line is, or that it underlines."""
    source = line.group().rstrip("\r\n")
    if above is not None and _underlines(source, above):
        level = _LEVELS.index(source[0]) + 1
        return Title(
            level,
            _visible(_own(above)[:MAX_READ_TITLE_CHARS]),
            above.start(),
            line.end(),
        )
    match = None if _opens(source) else _TITLE.fullmatch(source.rstrip(" \t"))
    if match is None:
        return None
    return Title(
        len(match[1]),
        _visible(match[2][:MAX_READ_TITLE_CHARS]),
        line.start(),
        line.end(),
    )


def _own(line: re.Match[str]) -> str:
    return line.group().strip("\ufeff\r\n \t")


def _underlines(line: str, above: re.Match[str]) -> bool:
    """Return whether a line makes the one above it a title."""
    if not _UNDERLINE.fullmatch(line):
        return False
    title = _own(above)
    # The title of a block starts with a dot.
    is_text = any(map(str.isalnum, title)) and not _SEPARATOR.fullmatch(title)
    is_text = is_text and not title.startswith(".")
    return is_text and abs(len(line.rstrip()) - len(title)) <= _MAX_DIFFERENCE


def _closing(line: str) -> str:
    """Return the line that closes a block; a fence may name a language."""
    return "```" if line.startswith("```") else line.rstrip()


def _about(attributes: Mapping[str, str]) -> FrontMatter:
    keywords = attributes.get("keywords", "").split(",")
    return FrontMatter(
        description=attributes.get("description", ""),
        keywords=tuple(word.strip() for word in keywords if word.strip()),
    )


def _visible(title: str) -> str:
    plain = _MARKUP.sub("", _ANCHOR.sub("", title))
    return path_title(" ".join(plain.split()) or title.strip())
