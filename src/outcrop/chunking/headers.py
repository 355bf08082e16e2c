"""No chunk ends in a heading whose text is in the next.

This stage comes before sections are split, so that a section that has to be split
already holds its headings and can repeat them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outcrop.chunking.draft import Draft
    from outcrop.chunking.layout import Layout


def keep_headings_with_text(drafts: list[Draft], layout: Layout) -> list[Draft]:
    """Give every heading to the draft that holds its body, changing drafts in place.

    Returns:
        The drafts that are left: one that was nothing but headings vanishes into the
        next.
    """
    kept: list[Draft] = []
    glued, edges = layout.glued, layout.edges
    for draft in drafts:
        # A draft that starts inside a block continues the one before.
        if glued[draft.first] and kept and draft.start <= edges[draft.first]:
            _move_headings(kept, draft, layout)
        kept.append(draft)
    return kept


def _move_headings(kept: list[Draft], draft: Draft, layout: Layout) -> None:
    source = kept[-1]
    block = draft.first
    while block > source.first and layout.glued[block]:
        block -= 1
    draft.first, draft.start = block, layout.start_of(block)
    draft.heading_moved = True
    if block == source.first:
        kept.pop()
        draft.is_merged = True
        draft.stage, draft.rule = source.stage, source.rule
        return
    draft.stage, draft.rule = "headers", "dangling_heading"
    source.stop, source.end = block, draft.start
