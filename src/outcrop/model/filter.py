"""The restriction of a search to some chunks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """The conditions that a chunk must meet; empty fields do not restrict."""

    # One of these patterns has to match the document's path. `*` and `?` stay within a
    # folder, `**` crosses folders. A pattern without a slash is matched with the file's
    # name alone; one that starts with a slash is anchored at the project's folder, or
    # at the root for documents outside it.
    path_globs: Sequence[str] = ()
    documents: Sequence[str] = ()  # the document's path has to be one of these
    # One of these has to be a tag in the document's front matter, in upper or lower
    # case.
    tags: Sequence[str] = ()
    # The document's language has to be one of these: `en`, `python`.
    langs: Sequence[str] = ()
    # The chunk's kind has to be one of these, or its source one of `sources`.
    kinds: Sequence[str] = ()
    # The chunk's source has to be one of these, or its kind one of `kinds`; all chunks
    # of definitions pass `code`.
    sources: Sequence[str] = ()
    # The chunk's definition has to be in one of these packages, modules or types, or
    # below: names with dots, as in `section_path`.
    packages: Sequence[str] = ()
    # The chunk has to be below one of these paths of headings, or below a path that
    # ends with one: `set it up/tools`, folded to lower case.
    sections: Sequence[str] = ()
    min_level: int | None = None  # lowest level in the hierarchy
    max_level: int | None = None  # highest level in the hierarchy

    def __bool__(self) -> bool:
        return self.by_document or self.by_chunk

    @property
    def by_document(self) -> bool:
        """Whether it restricts documents."""
        return bool(self.path_globs or self.documents or self.tags or self.langs)

    @property
    def by_chunk(self) -> bool:
        """Whether it restricts chunks within a document."""
        levels = (self.min_level, self.max_level)
        named = self.kinds or self.sources or self.packages or self.sections
        return bool(named) or levels != (None, None)

    @property
    def levels(self) -> tuple[int, int] | None:
        """The lowest and the highest level; None for all."""
        if self.min_level is None or self.max_level is None:
            return None
        return self.min_level, self.max_level

    def allows_headings(self, headings: Sequence[str]) -> bool:
        """Return whether a path of headings leads through one of `sections`."""
        if not self.sections:
            return True
        # Compared as text, because a heading may contain a slash itself.
        path = f"/{'/'.join(headings).casefold()}/"
        return any(f"/{wanted}/" in path for wanted in self.sections)
