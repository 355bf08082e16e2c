"""Org: titles start with stars, blocks stand between `#+begin_` and `#+end_`."""

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

_TITLE = re.compile(r"\ufeff?(\*+)[ \t]+(\S.*)")
_BEGIN = re.compile(r"[ \t]*#\+begin_(\S+).*", re.IGNORECASE)
_KEYWORD = re.compile(r"\ufeff?#\+(\w+):[ \t]*(\S.*)")
_STATE = re.compile(r"(?:TODO|DONE|NEXT|WAITING|CANCELLED)[ \t]+|\[#[A-Z]\][ \t]+")
_TAGS = re.compile(r"[ \t]+:[\w@#%:]+:[ \t]*$")
_LINK = re.compile(r"\[\[([^\]]*)\](?:\[([^\]]*)\])?\]")
_MARKUP = re.compile(r"(?<!\w)([*/=~+])(\S(?:.*?\S)?)\1(?!\w)")


def read_org(text: str) -> Outline:
    """Return the outline of an Org file."""
    titles: list[Title] = []
    blocks: list[tuple[int, int]] = []
    keywords: dict[str, str] = {}
    end_mark = ""
    block_start = 0
    for line in LINE.finditer(text):
        source = line.group().rstrip("\r\n")
        if end_mark:
            if source.strip().lower() == end_mark:
                blocks.append((block_start, line.end()))
                end_mark = ""
        elif match := _BEGIN.fullmatch(source):
            end_mark = f"#+end_{match[1].lower()}"
            block_start = line.start()
        elif match := _TITLE.fullmatch(source):
            visible = _visible(match[2][:MAX_READ_TITLE_CHARS])
            titles.append(Title(len(match[1]), visible, line.start(), line.end()))
        elif match := _KEYWORD.fullmatch(source):
            keywords.setdefault(match[1].lower(), match[2].strip())
    # A block that is never closed is text, but what looked like a title is lost.
    return Outline(titles=titles, blocks=blocks, front_matter=_about(keywords))


def _about(keywords: Mapping[str, str]) -> FrontMatter:
    words = re.split(r"[,\s]+", keywords.get("keywords", ""))
    tags = keywords.get("filetags", "").replace(":", " ").split()
    return FrontMatter(
        title=path_title(keywords.get("title", "")),
        description=keywords.get("description", ""),
        keywords=tuple(word for word in words if word),
        tags=tuple(tags),
    )


def _visible(title: str) -> str:
    plain = _TAGS.sub("", title)
    while match := _STATE.match(plain):
        plain = plain[match.end() :]
    plain = _LINK.sub(lambda link: link[2] or link[1], plain)
    plain = _MARKUP.sub(lambda markup: markup[2], plain)
    return path_title(" ".join(plain.split()) or title.strip())
