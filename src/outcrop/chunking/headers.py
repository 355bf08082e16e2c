"""No chunk ends in a heading whose text is in the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outcrop.chunking.draft import Draft
    from outcrop.chunking.layout import Layout


class HeaderProcessor:
    """Moves headings from the end of one draft to the start of the next.

    This comes before sections are split, so that a section that has to be split
    already holds its headings and can repeat them.
    """

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def prevent_dangling_headers(self, drafts: list[Draft]) -> list[Draft]:
        """Give every heading to the draft that holds its body.

        Args:
            drafts: In order; they are changed in place.

        Returns:
            The drafts that are left: one that was nothing but headings vanishes into
            the next.
        """
        kept: list[Draft] = []
        for draft in drafts:
            # A draft that starts inside a block continues the one before.
            is_whole = draft.start <= self._layout.start_of(draft.first)
            if kept and is_whole and self._layout.glued[draft.first]:
                self._move_headings(kept, draft)
            kept.append(draft)
        return kept

    def _move_headings(self, kept: list[Draft], draft: Draft) -> None:
        source = kept[-1]
        block = draft.first
        while block > source.first and self._layout.glued[block]:
            block -= 1
        draft.first, draft.start = block, self._layout.start_of(block)
        draft.heading_moved = True
        if block == source.first:
            kept.pop()
            draft.is_merged = True
            draft.stage, draft.rule = source.stage, source.rule
            return
        draft.stage, draft.rule = "headers", "dangling_heading"
        source.stop, source.end = block, draft.start
