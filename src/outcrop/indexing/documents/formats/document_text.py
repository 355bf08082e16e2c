"""The text of a document, as its format gives it, and its outline."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from outcrop.markdown.front_matter import FrontMatter
from outcrop.sections.splitter import SectionHeading

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


BYTE_ORDER_MARK = "\ufeff"  # part of the text, but not of a title
# Of a longer title only the beginning is read, and much less is shown.
MAX_READ_TITLE_CHARS = 2_000
LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")


@dataclass(frozen=True, slots=True)
class Title:
    """The title of a section.

    Attributes:
        level: Its level, from 1.
        text: The visible text.
        start: Where its first line starts.
        end: Where its last line ends.
    """

    level: int
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TextSection:
    """A range of a document from one title to the next.

    Attributes:
        start: Where its title starts; 0 before the first title.
        end: Where the next section starts.
        headers: Titles from the outside in; empty before the first.
    """

    start: int
    end: int
    headers: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """What a format knows of a text.

    Attributes:
        titles: The titles of its sections, in order.
        blocks: Code listings, tables and the like, as half-open spans in order; no
            title is in one of them.
        front_matter: What the document says of itself. Its title stands above those of
            the sections.
    """

    titles: Sequence[Title] = ()
    blocks: Sequence[tuple[int, int]] = ()
    front_matter: FrontMatter = field(default_factory=FrontMatter)

    def sections(self, text: str) -> list[TextSection]:
        """Return the sections of the text in order; together they cover it."""
        return find_sections(text, self.titles, self.front_matter.title)

    def is_title_alone(self, text: str, start: int, end: int) -> bool:
        """Return whether a range of the text has titles and nothing else."""
        at = start
        for title in self.titles[bisect_left(self.titles, start, key=_start_of) :]:
            if title.end > end or text[at : title.start].strip():
                break
            at = title.end
        return at > start and not text[at:end].strip()

    @property
    def headings(self) -> list[SectionHeading]:
        """The titles with their levels, for the splitter of sections."""
        return [
            SectionHeading(each.level, each.text, each.start) for each in self.titles
        ]


def _start_of(title: Title) -> int:
    return title.start


def find_sections(
    text: str, titles: Iterable[Title], document_title: str = ""
) -> list[TextSection]:
    """Return the sections of a document in order; together they cover it.

    A title directly above another belongs to the section of that one.
    """
    outermost = (document_title,) if document_title else ()
    sections: list[TextSection] = []
    open_titles: list[Title] = []
    start = 0
    path = outermost
    bare_until = -1  # end of the titles without text so far
    for title in titles:
        if text[max(start, bare_until) : title.start].lstrip(BYTE_ORDER_MARK).strip():
            sections.append(TextSection(start, title.start, path))
            start = title.start
        while open_titles and open_titles[-1].level >= title.level:
            open_titles.pop()
        open_titles.append(title)
        path = (*outermost, *(each.text for each in open_titles))
        bare_until = title.end
    sections.append(TextSection(start, len(text), path))
    return sections


class MalformedError(ValueError):
    """A file is not what its name says; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentText:
    """A text to cut.

    Attributes:
        text: The text of the file, or Markdown made from it.
        outline: Its titles and blocks; None for Markdown, which the chunker parses.
        front_matter: What the document says of itself.
        places: Of Markdown made from a file, the place in the file of each line: its
            line, or its cell. None where the text is that of the file.
        embedded: Spans of Markdown in another language: JSX and shortcodes.
    """

    text: str
    outline: Outline | None = None
    front_matter: FrontMatter = field(default_factory=FrontMatter)
    places: Sequence[int] | None = None
    embedded: Sequence[tuple[int, int]] = ()

    @property
    def about(self) -> str:
        """The words of the front matter that the document is found by."""
        found = self.front_matter
        words = (
            found.title,
            found.description,
            *found.keywords,
            *found.tags,
            *found.aliases,
        )
        return "\n".join(word for word in words if word)

    def place(self, line: int) -> int:
        """Return the place in the file of a line of the text, from 1."""
        if not self.places:
            return line
        return self.places[min(line, len(self.places)) - 1]
