"""Which boundaries of a window cannot change, whatever text follows it.

Small chunks are joined in two passes from the left, each of which looks one chunk ahead.
A boundary that both passes keep depends on nothing before it, so the next window can
start there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.chunking.merge import Candidate, merge_once, merge_small
from outcrop.chunking.streaming.window_parser import starts_paragraph, starts_section

if TYPE_CHECKING:
    from outcrop.chunking.draft import Draft
    from outcrop.chunking.layout import Layout
    from outcrop.chunking.strategy import BaseStrategy

# How many characters after a cut the choice of that cut may depend on.
_LOOK_AHEAD = 64


def settle(
    drafts: list[Draft],
    layout: Layout,
    strategy: BaseStrategy,
    *,
    is_last: bool,
    at_paragraphs: bool,
) -> tuple[list[Draft], Draft | None]:
    """Join small drafts of a window, as far as the result is certain.

    Args:
        drafts: What the strategy proposes for the window.
        layout: The window.
        strategy: The strategy.
        is_last: Whether the window ends with the text.
        at_paragraphs: Whether the next window may start with a paragraph.

    Returns:
        The drafts that are certain, and the one after them, with which the next window
        starts; the window has to be longer where there are none.
    """
    if is_last:
        return merge_small(drafts, layout) if strategy.merges_small else drafts, None
    if strategy.merges_small:
        # The last draft may continue in the next window.
        candidates = [Candidate(draft, layout) for draft in drafts[:-1]]
        complete = _certain(candidates, layout)[:-1]
        drafts = [candidate.draft for candidate in _certain(complete, layout)]
    for at in range(len(drafts) - 1, 0, -1):
        if can_restart(drafts[at].first, layout, at_paragraphs=at_paragraphs):
            return drafts[:at], drafts[at]
    return [], None


def _certain(candidates: list[Candidate], layout: Layout) -> list[Candidate]:
    """Join candidates; return those whose start is certain, the last one incomplete."""
    if not candidates:
        return []
    undecided = candidates[-1].draft.first  # it depends on what follows
    merged = merge_once(candidates, layout)
    return merged[:-1] if merged[-1].draft.first == undecided else merged


def can_restart(block: int, layout: Layout, *, at_paragraphs: bool) -> bool:
    """Whether a window that starts with a block gives the chunks of the whole text."""
    document = layout.document
    can_start = starts_paragraph if at_paragraphs else starts_section
    return (
        can_start(document, block)
        and not layout.glued[block]
        and document.blocks.starts[block] + _LOOK_AHEAD <= len(document.text)
    )
