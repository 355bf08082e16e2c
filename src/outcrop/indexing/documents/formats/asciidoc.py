"""AsciiDoc: titles start with `=`, blocks stand between two equal lines of marks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from outcrop.indexing.documents.formats.outline import LINE, Outline, Title
from outcrop.markdown.document import path_title
from outcrop.markdown.front_matter import FrontMatter

if TYPE_CHECKING:
    from collections.abc import Mapping

_TITLE = re.compile(r"\ufeff?(={1,6}|#{1,6})[ \t]+(\S.*?)(?:[ \t]+\1)?[ \t]*")
# Listings, literals, passthroughs, comments and tables: their text is not AsciiDoc.
_VERBATIM = re.compile(r"(-{4,}|\.{4,}|\+{4,}|/{4,}|[|,:!]={3,}|```)[ \t]*\S*[ \t]*")
# Examples, sidebars, quotes and open blocks hold paragraphs, but no sections.
_COMPOUND = re.compile(r"(={4,}|\*{4,}|_{4,}|--)[ \t]*")
_ATTRIBUTE = re.compile(r":([A-Za-z][\w-]*):[ \t]+(\S.*)")
_MARKUP = re.compile(r"\{[\w-]+\}|[`*_#+]{1,2}(?=\S)|(?<=\S)[`*_#+]{1,2}")
_ANCHOR = re.compile(r"\[\[[^\]]*\]\]")
_MAX_OPEN = 20


def read_asciidoc(text: str) -> Outline:
    """Return the outline of AsciiDoc."""
    titles: list[Title] = []
    blocks: list[tuple[int, int]] = []
    attributes: dict[str, str] = {}
    open_marks: list[str] = []
    block_start = 0
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
        elif _opens(source):
            open_marks = [_closing(source)]
            block_start = line.start()
        elif match := _TITLE.fullmatch(source):
            text_of_title = _visible(match[2])
            title = Title(len(match[1]), text_of_title, line.start(), line.end())
            titles.append(title)
        elif match := _ATTRIBUTE.fullmatch(source):
            attributes.setdefault(match[1].lower(), match[2].strip())
    if open_marks:
        blocks.append((block_start, len(text)))
    return Outline(titles=titles, blocks=blocks, front_matter=_about(attributes))


def _opens(line: str) -> bool:
    return bool(_VERBATIM.fullmatch(line) or _COMPOUND.fullmatch(line))


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
