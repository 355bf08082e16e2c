"""A section: the text under one heading, as a unit of document search."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

# The heading of the text before the first heading.
DOCUMENT_ROOT: Final = "(document root)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading of level 1 to 3 with the text under it.

    For every section cut from `text`, `content == text[start_offset:end_offset]`.

    Attributes:
        id: Derived from the document's path, the headings above and how often the
            same heading came before; never from the content.
        document_path: The document, as the caller names it.
        heading: The visible text of the heading, or `DOCUMENT_ROOT`.
        depth: Level of the heading; 0 before the first one.
        content: The text, heading included.
        token_count: Tokens of `content`.
        parent_id: The section around this one, or None at the top.
        order: Place among the sections with the same parent, from 0.
        document_hash: Hash of the document, as the caller computes it.
        start_offset: Where `content` starts in the document, in code points.
        end_offset: Where it ends, exclusive.
        start_line: First line of `content` that is not blank, counted from 1.
        end_line: Last line of `content` that is not blank, inclusive.
        is_over_limit: Whether `token_count` is over `max_tokens_per_section`.
        is_dirty: Whether the stored vector is older than the content.
        vector: The embedding, or None before one was made.
        created_at: When the section was first stored, or None before.
        updated_at: When it was last stored, or None before.
        summary: A summary of `content`, where one was made.
        document_summary: A summary of the whole document, so that a section found
            by itself still says where it belongs.
        summary_error: Why a requested summary is missing.
    """

    id: str
    document_path: str
    heading: str
    depth: int
    content: str
    token_count: int
    parent_id: str | None
    order: int
    document_hash: str
    start_offset: int
    end_offset: int
    start_line: int
    end_line: int
    is_over_limit: bool = False
    is_dirty: bool = False
    vector: tuple[float, ...] | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    summary: str | None = None
    document_summary: str | None = None
    summary_error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedSection:
    """A section of the index, with its chunks and the words that find it."""

    section: Section
    headings: tuple[str, ...]  # the headings from the outside in, its own included
    first_chunk: int  # index of the first leaf with some of its text
    last_chunk: int  # index of the last one
    terms: Mapping[str, int]  # how often its text says each term; never read back

    @property
    def content_hash(self) -> str:
        """A hash of the section's text."""
        data = self.section.content.encode("utf-8", "replace")
        return blake2b(data, digest_size=8).hexdigest()
