"""Which boundaries of a window cannot change, whatever text follows it.

Small chunks are joined in two passes from the left, each of which looks one chunk ahead.
A boundary that both passes keep depends on nothing before it, so the next window can
start there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.chunking.merge import Candidate, merge_once, merge_small
from outcrop.chunking.streaming.window import starts_window
from outcrop.markdown.document import Kind

if TYPE_CHECKING:
    from outcrop.chunking.draft import Draft
    from outcrop.chunking.layout import Layout
    from outcrop.chunking.strategy import BaseStrategy

_HEADING = int(Kind.HEADING)
# How far after a cut the choice of a cut looks, at the most.
_LOOK_AHEAD = 64


def settle(
    drafts: list[Draft], layout: Layout, strategy: BaseStrategy, *, is_last: bool
) -> tuple[list[Draft], int]:
    """Join small drafts of a window, as far as the result is certain.

    Args:
        drafts: What the strategy proposes for the window.
        layout: The window.
        strategy: The strategy.
        is_last: Whether the window ends with the text.

    Returns:
        The drafts that are certain, and the index of the block after them; the window
        has to be longer where there are none.
    """
    if is_last:
        settled = merge_small(drafts, layout) if strategy.merges_small else drafts
        return settled, len(layout.document.blocks)
    if strategy.merges_small:
        # The last draft may go on in the next window.
        candidates = [Candidate(draft, layout) for draft in drafts[:-1]]
        complete = _certain(candidates, layout)[:-1]
        drafts = [candidate.draft for candidate in _certain(complete, layout)]
    starts = [draft.first for draft in drafts[1:] if _can_restart(draft.first, layout)]
    stop = starts[-1] if starts else 0
    return [draft for draft in drafts if draft.first < stop], stop


def _certain(candidates: list[Candidate], layout: Layout) -> list[Candidate]:
    """Join candidates; return those whose start is certain, the last one incomplete."""
    if not candidates:
        return []
    undecided = candidates[-1].draft.first  # it depends on what follows
    merged = merge_once(candidates, layout)
    return merged[:-1] if merged[-1].draft.first == undecided else merged


def _can_restart(block: int, layout: Layout) -> bool:
    """Whether a window that starts with a block gives the chunks of the whole text."""
    document = layout.document
    start = document.blocks.starts[block]
    return (
        document.blocks.kinds[block] == _HEADING
        and not layout.glued[block]
        and starts_window(document.text, start)
        and start + _LOOK_AHEAD <= len(document.text)
    )
