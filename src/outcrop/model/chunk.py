"""A chunk: a piece of a document that knows exactly where it comes from."""

from __future__ import annotations

from dataclasses import dataclass, fields
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
        """Whether the offsets of the chunk's own text are known."""
        return self.start_offset != NO_OFFSET

    @property
    def chunk_id(self) -> str:
        """The chunk's id within its document."""
        return str(self.metadata["chunk_id"])


# The constructor of a frozen class sets each field by its name; these set it directly,
# in a third of the time, which shows where a document becomes thousands of chunks.
_new = Chunk.__new__
(
    _set_content,
    _set_start_line,
    _set_end_line,
    _set_start_offset,
    _set_end_offset,
    _set_metadata,
    _set_prefix,
    _set_suffix,
) = (vars(Chunk)[each.name].__set__ for each in fields(Chunk))


def make_chunk(  # noqa: PLR0913, PLR0917 - an argument for each field
    content: str,
    start_line: int,
    end_line: int,
    start_offset: int,
    end_offset: int,
    metadata: dict[str, Any],
    prefix: str,
    suffix: str,
) -> Chunk:
    """Return a chunk of these fields, faster than `Chunk(...)` does."""
    chunk = _new(Chunk)
    _set_content(chunk, content)
    _set_start_line(chunk, start_line)
    _set_end_line(chunk, end_line)
    _set_start_offset(chunk, start_offset)
    _set_end_offset(chunk, end_offset)
    _set_metadata(chunk, metadata)
    _set_prefix(chunk, prefix)
    _set_suffix(chunk, suffix)
    return chunk
