"""A chunk: a piece of a document that knows exactly where it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

NO_OFFSET = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A piece of a document.

    For every chunk cut from `text`,
    `content == prefix + text[start_offset:end_offset] + suffix`.

    Attributes:
        content: The text of the chunk, repeated headings included.
        start_line: First source line present in `content`, counted from 1.
        end_line: Last source line present in `content`, inclusive.
        start_offset: Where the chunk's own text starts, in code points; -1 if unknown,
            as in a chunk made elsewhere.
        end_offset: Where it ends, exclusive; -1 if unknown.
        prefix: What was put before the own text: repeated headings, a table's
            header row, a re-opened fence.
        suffix: What was put after it: a closing fence.
        metadata: JSON values; the fields are listed in `docs/reference/metadata.md`.
    """

    content: str
    start_line: int
    end_line: int
    start_offset: int = NO_OFFSET
    end_offset: int = NO_OFFSET
    metadata: dict[str, Any]
    prefix: str = ""
    suffix: str = ""

    @property
    def has_span(self) -> bool:
        """Whether it is known where the chunk's own text lies."""
        return self.start_offset != NO_OFFSET

    @property
    def chunk_id(self) -> str:
        """The chunk's id within its document."""
        return str(self.metadata["chunk_id"])
