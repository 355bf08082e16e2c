"""Makes the sections of a document for the index, aligned with its chunks."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from typing import TYPE_CHECKING

from outcrop.markdown.document import path_title
from outcrop.model.section import DOCUMENT_ROOT, IndexedSection
from outcrop.sections.splitter import MarkdownSplitter, find_headings
from outcrop.text.search_text import document_search_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from outcrop.indexing.documents.formats.document_text import DocumentText
    from outcrop.model.section import Section
    from outcrop.model.stored import Document, StoredChunk
    from outcrop.sections.splitter import SectionHeading
    from outcrop.text.tokens import TokenCounter


def cut_sections(
    document: Document,
    source: DocumentText,
    chunks: Sequence[StoredChunk],
    counter: TokenCounter,
) -> list[IndexedSection]:
    """Cut a document at its H1 to H3; one without headings is one section."""
    leaves = [chunk for chunk in chunks if chunk.is_leaf]
    if not leaves:
        return []
    text = source.text
    headings = (
        find_headings(text, source.embedded)
        if source.outline is None
        else source.outline.headings
    )
    sections = MarkdownSplitter(token_counter=counter).split_at(
        headings, text, document.path, document.content_hash or ""
    )
    return index_sections(sections, leaves, _title_above(source, headings), {})


def index_sections(
    sections: Sequence[Section],
    leaves: Sequence[StoredChunk],
    title: tuple[str, ...],
    paths: dict[str, tuple[str, ...]],
) -> list[IndexedSection]:
    """Align sections with the leaves that hold their text.

    Args:
        sections: The sections of a document, or some of them.
        leaves: All leaves with some of their text, and no leaf before or between them.
        title: The title that stands above all headings, if there is one.
        paths: The headings of the sections around them by id; theirs are added.
    """
    _add_paths(paths, sections, title)
    places = _Places(leaves)
    indexed = []
    for section in sections:
        first, last = places.of(section)
        indexed.append(
            IndexedSection(
                section=section,
                headings=paths[section.id],
                first_chunk=leaves[first].place,
                last_chunk=leaves[last].place,
                terms=_terms(section, paths[section.id], leaves[first : last + 1]),
            )
        )
    return indexed


def _title_above(
    source: DocumentText, headings: Sequence[SectionHeading]
) -> tuple[str, ...]:
    """Return the title that stands above all headings, if there is one."""
    if source.outline is None and any(heading.level == 1 for heading in headings):
        return ()
    title = path_title(source.front_matter.title)
    return (title,) if title else ()


def _add_paths(
    paths: dict[str, tuple[str, ...]],
    sections: Sequence[Section],
    title: tuple[str, ...],
) -> None:
    """Add the headings of each section; parents come before their children.

    A title in the front matter comes before all of them.
    """
    for section in sections:
        above = paths[section.parent_id] if section.parent_id is not None else title
        own = () if section.heading == DOCUMENT_ROOT else (path_title(section.heading),)
        paths[section.id] = (*above, *own)


class _Places:
    """Finds the leaves with the text of a section."""

    def __init__(self, leaves: Sequence[StoredChunk]) -> None:
        self._starts = [leaf.start_offset or 0 for leaf in leaves]
        self._ends = [leaf.end_offset or 0 for leaf in leaves]

    def of(self, section: Section) -> tuple[int, int]:
        """Return the first and the last leaf that overlap a section."""
        first = bisect_right(self._ends, section.start_offset)
        last = bisect_left(self._starts, section.end_offset) - 1
        last = max(0, min(last, len(self._starts) - 1))
        return min(first, last), last


def _terms(
    section: Section, headings: Sequence[str], leaves: Sequence[StoredChunk]
) -> Mapping[str, int]:
    """Count the words of a section, from its chunks if they have no other text."""
    is_own = all(
        section.start_offset <= (leaf.start_offset or 0)
        and (leaf.end_offset or 0) <= section.end_offset
        for leaf in (leaves[0], leaves[-1])
    )
    if not is_own:
        path = section.document_path
        return document_search_text(path, headings, section.content).terms
    if len(leaves) == 1:
        return leaves[0].terms
    total: Counter[str] = Counter()
    for leaf in leaves:
        total.update(leaf.terms)
    return dict(total)
