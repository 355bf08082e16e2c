"""Joining chunks too small to stand alone with a neighbour they belong to."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outcrop.chunking.draft import Draft
    from outcrop.chunking.layout import Layout

_NOT_LOOKED_UP = -2  # -1 is the preamble


def merge_small(drafts: list[Draft], layout: Layout) -> list[Draft]:
    """Join small drafts with a neighbour where the two belong together and fit.

    Two neighbours belong together in one section, under one parent section, or as a
    section and its own subsection. A small section with subsections waits for those
    rather than joining what stands before it.
    """
    candidates = [Candidate(draft, layout) for draft in drafts]
    merged = merge_once(candidates, layout)
    if any(candidate.is_small for candidate in merged):
        # A section that waited for its subsections may now join the one before it.
        merged = merge_once(merged, layout)
    return [candidate.draft for candidate in merged]


def merge_once(candidates: list[Candidate], layout: Layout) -> list[Candidate]:
    """Join candidates with the one before, from the left to the right.

    Each decision depends on what was joined so far and on the next candidate alone.
    """
    merged: list[Candidate] = []
    last: Candidate | None = None
    for candidate, following in zip_longest(candidates, candidates[1:]):
        if (
            last is not None
            and (last.is_small or candidate.is_small)
            and _belong_together(layout, last, candidate)
            and not _waits(layout, last, candidate, following)
            and _fit_together(layout, last, candidate)
        ):
            last.absorb(candidate, layout)
        else:
            merged.append(candidate)
            last = candidate
    return merged


class Candidate:
    """A draft with what merging asks of it."""

    __slots__ = ("_opening", "_section", "draft", "is_small")

    def __init__(self, draft: Draft, layout: Layout) -> None:
        self.draft = draft
        self.is_small = layout.sizer.span(draft.first, draft.stop) < layout.smallest
        # Looked up on demand: most candidates are neither small nor beside a small one.
        self._section = self._opening = _NOT_LOOKED_UP

    def section(self, layout: Layout) -> int:
        """The section of the first text."""
        if self._section == _NOT_LOOKED_UP:
            self._section = layout.section_of(self.draft)
        return self._section

    def opening(self, layout: Layout) -> int:
        """The section it starts in: an outer one where it starts with headings."""
        if self._opening == _NOT_LOOKED_UP:
            self._opening = layout.document.section_of(self.draft.first)
        return self._opening

    def absorb(self, following: Candidate, layout: Layout) -> None:
        """Extend the draft by the one that follows it."""
        draft = self.draft
        draft.stop = following.draft.stop
        draft.end = following.draft.end
        draft.metadata = draft.metadata or following.draft.metadata
        self._section = _NOT_LOOKED_UP
        self.is_small = layout.sizer.span(draft.first, draft.stop) < layout.smallest


def _belong_together(layout: Layout, first: Candidate, second: Candidate) -> bool:
    headings = layout.document.headings
    before, after = first.section(layout), second.opening(layout)
    if before == after:
        return True
    # A preamble belongs to the document, and so does a section of the top level.
    parent = headings[before].parent if before >= 0 else -1
    return headings[after].parent == parent or _is_inside(layout, after, before)


def _is_inside(layout: Layout, section: int, outer: int) -> bool:
    headings = layout.document.headings
    while section > outer:
        section = headings[section].parent
    return section == outer and outer >= 0


def _waits(
    layout: Layout,
    last: Candidate,
    candidate: Candidate,
    following: Candidate | None,
) -> bool:
    """Whether a candidate is better joined with what follows it."""
    section, before = candidate.section(layout), last.section(layout)
    if section == before or _is_inside(layout, candidate.opening(layout), before):
        return False
    if layout.glued[candidate.draft.stop]:
        return True  # it ends in a heading whose body comes next
    return (
        following is not None
        and following.section(layout) != section
        and _is_inside(layout, following.section(layout), section)
        and _fit_together(layout, candidate, following)
    )


def _fit_together(layout: Layout, first: Candidate, second: Candidate) -> bool:
    budget = layout.config.max_chunk_size - layout.stack_at(first.draft.first).size
    return layout.fits(first.draft.start, second.draft.end, budget)
