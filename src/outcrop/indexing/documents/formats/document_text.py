"""The text of a document, as its format gives it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from outcrop.markdown.front_matter import FrontMatter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.indexing.documents.formats.outline import Outline


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
