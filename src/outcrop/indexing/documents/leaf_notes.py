"""What is stored with each leaf of a document in Markdown besides its text.

The leaves are gone through twice, as a whole or part by part: a leaf is stored with the
number of leaves in its section, and with the words of headings before it.
"""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from outcrop.model.stored import OWN_LINE
from outcrop.text.offsets import LineCounter, first_visible
from outcrop.text.search_text import ABOUT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outcrop.model.chunk import Chunk

# Lines of headings, underlined ones included, and nothing else. Not a possessive group:
# before Python 3.11.5, one skips what its last, failed attempt has read.
_HEADINGS = re.compile(
    r"(?>[ \t]*+\r?\n| {0,3}#{1,6}(?:[ \t][^\r\n]*+)?(?:\r?\n|\Z)"
    r"|[^\r\n]++\r?\n {0,3}(?:=++|-++)[ \t]*+(?:\r?\n|\Z))+[ \t]*+"
)


class WholeTextNeededError(ValueError):
    """A text cannot be indexed part by part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeafPart:
    """A part of a text with its leaves; the next part starts with a leaf.

    Attributes:
        text: The part.
        leaves: Its leaves, in order.
        parents: What tells the parent of each leaf from others.
        offset: Where the part starts in the text.
        lines: How many lines lie before it.
    """

    text: str
    leaves: Sequence[Chunk]
    parents: Sequence[object]
    offset: int = 0
    lines: int = 0

    def is_bare(self, leaf: Chunk) -> bool:
        """Whether a leaf holds nothing but headings of sections.

        A heading in a list or a quote, before all sections, is text.
        """
        if not leaf.metadata["headers"]:
            return False
        start, end = leaf.start_offset - self.offset, leaf.end_offset - self.offset
        return bool(_HEADINGS.fullmatch(self.text, start, end))

    def gap_after(self, at: int) -> str:
        """The white space between a leaf and the next one."""
        following = at + 1
        end = (
            self.leaves[following].start_offset - self.offset
            if following < len(self.leaves)
            else len(self.text)
        )
        return self.text[self.leaves[at].end_offset - self.offset : end]


class _BareHeading(NamedTuple):
    parent: object
    level: int
    title: str


class LeafNotes:
    """Makes the notes of leaves: their part of a section, and words to find them by.

    A heading without text is hidden from search, unless the document has nothing else.
    It answers nothing. Often the section after it is about both, as with two signatures
    of one function, so its words are found there.

    Args:
        about: Words that the first leaf which search finds is found by, too.
    """

    def __init__(self, about: str) -> None:
        self._about = about
        self._hides: bool | None = None
        self._runs = array("q")  # number of leaves in each section
        self._last_key: object = None
        self._run = -1  # in the second pass
        self._number = 0
        self._waiting: list[_BareHeading] = []

    def survey(self, part: LeafPart) -> None:
        """Look at the next part for the first time.

        Raises:
            WholeTextNeededError: The first part had headings alone.
        """
        bare = [part.is_bare(leaf) for leaf in part.leaves]
        if self._hides is None:
            self._hides = any(
                leaf.metadata["indexable"] and not is_bare
                for leaf, is_bare in zip(part.leaves, bare, strict=True)
            )
        elif not self._hides:
            raise WholeTextNeededError("the text starts with headings alone")
        for leaf, parent, is_bare in zip(part.leaves, part.parents, bare, strict=True):
            known = leaf.metadata
            is_found = known["indexable"] and not (is_bare and self._hides)
            # Front matter is no part of the text after it.
            key = (parent, known["headers"], is_found)
            if key != self._last_key:
                self._runs.append(0)
                self._last_key = key
            self._runs[-1] += 1

    def notes(self, part: LeafPart) -> Iterator[dict[str, Any]]:
        """Go through the next part for the second time; yield the notes of each leaf.

        Headings without text are hidden. With the part number and the white space after
        a leaf, search can restore the exact text of a section. A leaf that repeats
        headings also gets the line where its own text starts.
        """
        lines = LineCounter(part.text)
        for at, leaf in enumerate(part.leaves):
            notes: dict[str, Any] = {"gap_after": part.gap_after(at)}
            number, parts = self._next_number()
            if parts > 1:
                notes |= {"part": number, "parts": parts}
            if leaf.prefix:
                start, end = leaf.start_offset, leaf.end_offset
                visible = first_visible(
                    part.text, start - part.offset, end - part.offset
                )
                notes[OWN_LINE] = part.lines + lines.line_at(visible)
            if words := self._words(part, at):
                notes[ABOUT] = "\n".join(words)
            yield notes

    def _next_number(self) -> tuple[int, int]:
        if self._run < 0 or self._number == self._runs[self._run]:
            self._run, self._number = self._run + 1, 0
        self._number += 1
        return self._number - 1, self._runs[self._run]

    def _words(self, part: LeafPart, at: int) -> list[str]:
        """Hide a leaf that is bare; return the words that another one is found by."""
        leaf, parent = part.leaves[at], part.parents[at]
        known = leaf.metadata
        if not known["indexable"]:
            return []
        if self._hides and part.is_bare(leaf):
            known["indexable"] = False
            title = known["headers"][-1]
            self._waiting.append(_BareHeading(parent, known["header_level"], title))
            return []
        words = [
            bare.title
            for bare in self._waiting
            if (bare.parent, bare.level) == (parent, known["header_level"])
        ]
        self._waiting = []
        if self._about:
            words.insert(0, self._about)
            self._about = ""
        return words
