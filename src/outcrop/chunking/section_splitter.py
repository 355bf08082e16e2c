"""Cutting what is over the limit, without losing its heading or its words.

A stretch that has to be cut is filled from the front. Among the boundaries in reach,
those that disturb the structure least are preferred: between top-level blocks and list
items before nested ones, those before sentences, sentences before words. A list item
that fits into a chunk of its own is never cut to fill the chunk before it.

Each part after the first repeats the headings that open its section.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.chunking.block_splitter import BlockSplitter
from outcrop.chunking.draft import CODE_POINT_INTEGRITY, Draft, oversize_reason
from outcrop.chunking.layout import NO_STACK
from outcrop.markdown.document import FIRST_ATOMIC, INLINE_RANK, OPENS_ITEM, Kind
from outcrop.text.boundaries import Boundary, find_cut
from outcrop.text.offsets import first_visible

if TYPE_CHECKING:
    from outcrop.chunking.layout import HeaderStack, Layout

_HEADING = int(Kind.HEADING)
_CUT_AS_TEXT = frozenset({int(Kind.HTML), int(Kind.FRONT_MATTER)})
_LINE_BY_LINE = _CUT_AS_TEXT | {int(Kind.DEFINITIONS)}


def split_drafts(drafts: list[Draft], layout: Layout) -> list[Draft]:
    """Cut each draft that does not fit, the headings it repeats included.

    Drafts come in order; those that fit get their prefix and are kept. Each one that is
    returned is within the limit, or has the reason why not.
    """
    return _Splitter(layout).split(drafts)


class _Splitter:
    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._config = layout.config
        self._limit = layout.config.limit
        smallest, largest = layout.config.smallest, layout.config.max_chunk_size
        self._crumb_share = min(0.5, smallest / largest)
        # With any other unit than characters, the whole has to be measured again.
        self._adds_up = layout.adds_up
        self._text = layout.document.text
        self._blocks = layout.document.blocks
        self._parts: list[Draft] = []

    def split(self, drafts: list[Draft]) -> list[Draft]:
        self._parts = parts = []
        stack_at, kinds = self._layout.stack_at, self._blocks.kinds
        limit = self._limit if self._adds_up else -1
        for draft in drafts:
            size = draft.end - draft.start
            if kinds[draft.first] != _HEADING:  # one that does repeats nothing
                stack = stack_at(draft.first)
                draft.prefix, draft.repeats_from = stack.source, stack.start
                size += stack.size
            if size <= limit:
                parts.append(draft)
                continue
            rest: Draft | None = draft
            while rest is not None:
                if self._fits(rest):
                    parts.append(rest)
                    break
                rest = self._take(rest)
        return parts

    def _fits(self, draft: Draft) -> bool:
        budget = self._limit
        if self._adds_up:
            budget -= len(draft.prefix)
            if draft.end - draft.start <= budget:
                return True
        elif draft.prefix:
            budget -= self._layout.sizer.of(draft.prefix)
        fits = self._layout.fits(draft.start, draft.end, budget)
        return fits and (self._adds_up or self._is_within(draft, draft.end))

    def _is_within(self, draft: Draft, end: int) -> bool:
        """Whether a draft that ends at `end` is within the limit, measured as one."""
        content = draft.prefix + self._text[draft.start : end].rstrip() + draft.suffix
        return self._layout.sizer.of(content) <= self._limit

    def _take(self, rest: Draft) -> Draft | None:
        """Cut one part off the front; return the rest, if any."""
        budget = self._config.max_chunk_size - self._layout.sizer.of(rest.prefix)
        while budget > 0:
            reach = self._layout.sizer.reach(rest.start, rest.end, budget)
            boundaries = self._boundaries_in_reach(rest, reach)
            block = self._choose(rest, reach, boundaries)
            if block is None:
                break
            if self._adds_up or self._is_within(rest, self._layout.start_of(block)):
                return self._cut_before(rest, block)
            budget = budget * 9 // 10  # the parts add up to more than their sum
        else:
            boundaries = {}  # no part that ends before a block is within the limit
        return self._take_group(rest, reach, boundaries)

    def _take_group(
        self, rest: Draft, reach: int, boundaries: dict[int, int]
    ) -> Draft | None:
        """Cut where no boundary between blocks will do."""
        if boundaries:  # only crumbs could be cut off between blocks
            following = max(boundaries.values())
            left = self._fill_with_text(rest, following, reach)
            return left or self._cut_before(rest, following)
        stop = self._group_stop(rest.first, rest.stop)
        if self._layout.document.is_unbreakable(stop - 1):
            return self._take_atomic(rest, stop)
        return self._cut_text(rest, stop - 1)

    # Between blocks

    def _boundaries_in_reach(self, rest: Draft, reach: int) -> dict[int, int]:
        """The last block of each rank that a part within reach may end before."""
        starts, ranks = self._blocks.starts, self._blocks.ranks
        glued = self._layout.glued
        last: dict[int, int] = {}
        for block in range(rest.first + 1, rest.stop):
            at = starts[block]
            if at > reach and first_visible(self._text, reach, at) < at:
                break
            if not glued[block]:
                last[ranks[block]] = block
        return last

    def _choose(self, rest: Draft, reach: int, last: dict[int, int]) -> int | None:
        """The boundary to cut at; None where all would leave a crumb."""
        crumb = self._crumb(reach - rest.start)
        for rank in sorted(last):
            block = last[rank]
            at = self._layout.start_of(block)
            if at - rest.start >= crumb:
                if rest.end - at < crumb:
                    return self._spare_the_rest(rest, crumb, rank, block)
                return block
            if self._fits_alone(block, rank, rest.stop):
                return block
        return None

    def _crumb(self, room: int) -> int:
        """How many characters are too few to stand alone, in a part of `room`."""
        return int(room * self._crumb_share)

    def _spare_the_rest(self, rest: Draft, crumb: int, rank: int, last: int) -> int:
        """An earlier boundary of the same rank, so that no crumb remains."""
        starts, ranks = self._blocks.starts, self._blocks.ranks
        for block in range(last - 1, rest.first, -1):
            if starts[block] - rest.start < crumb:
                break
            is_fair = rest.end - starts[block] >= crumb and ranks[block] == rank
            if is_fair and not self._layout.glued[block]:
                return block
        return last

    def _fits_alone(self, block: int, rank: int, stop: int) -> bool:
        """Whether what starts at `block`, up to the next cut of its rank, fits."""
        start, end = self._layout.start_of(block), self._layout.start_of(stop)
        budget = self._config.max_chunk_size - self._layout.stack_at(block).size
        reach = self._layout.sizer.reach(start, end, budget)
        for following in range(block + 1, stop):
            at = self._layout.start_of(following)
            if at > reach and first_visible(self._text, reach, at) < at:
                return False
            is_cut = self._blocks.ranks[following] <= rank
            if is_cut and not self._layout.glued[following]:
                return True
        return first_visible(self._text, reach, end) == end

    def _cut_before(self, rest: Draft, block: int) -> Draft:
        at = self._layout.start_of(block)
        self._emit(rest, block, at)
        return self._left(rest, block, at, self._rule_at(block))

    def _rule_at(self, block: int) -> str:
        blocks = self._blocks
        if blocks.kinds[block] == _HEADING:
            return "heading"
        if blocks.flags[block] & OPENS_ITEM:
            return "nested_list_item" if blocks.ranks[block] else "list_item"
        is_atomic = blocks.kinds[block] >= FIRST_ATOMIC
        return (
            "block" if is_atomic or blocks.ranks[block] == INLINE_RANK else "paragraph"
        )

    def _group_stop(self, first: int, stop: int) -> int:
        """The block after `first` and what is glued to it: headings and their body."""
        end = first + 1
        while end < stop and self._layout.glued[end]:
            end += 1
        return end

    # Inside text

    def _fill_with_text(self, rest: Draft, block: int, reach: int) -> Draft | None:
        """Fill this chunk with the start of the next block, if no chunk could hold that.

        Only text is cut like this, and only between words.
        """
        body = self._group_stop(block, rest.stop) - 1
        low = self._layout.start_of(body)
        if self._layout.document.is_unbreakable(body) or low >= reach:
            return None
        if not self._adds_up:  # how far the text reaches is known by blocks only
            return None
        at, kind = find_cut(self._text, low, reach, low)
        is_inside = kind in {Boundary.GRAPHEME, Boundary.CODE_POINT}
        return None if is_inside else self._cut_at(rest, body, at, kind)

    def _cut_text(self, rest: Draft, body: int) -> Draft | None:
        """Cut inside the text of block `body`, or inside its headings if need be."""
        budget = self._config.max_chunk_size - self._layout.sizer.of(rest.prefix)
        end = min(rest.end, self._layout.start_of(body + 1))
        reach = self._layout.sizer.reach_inside(rest.start, end, budget)
        reach = max(reach, rest.start + 1)
        visible = first_visible(self._text, rest.start, rest.end)
        low = first_visible(self._text, max(visible, self._layout.start_of(body)), end)
        stretched = self._stretch(rest, low, end) if low >= reach else low
        if stretched > low:
            reach = stretched
        if low >= reach and visible > rest.start:
            rest.start = visible  # without its indent more of it may fit
            return rest
        if low >= reach:  # the headings leave no room for the text
            last = self._last_heading_in_reach(rest, body, reach)
            if last > rest.first:
                return self._cut_before(rest, last)
            if self._layout.document.is_unbreakable(rest.first):
                return self._take_atomic(rest, rest.first + 1)
            low = visible
        room = self._crumb(reach - rest.start)
        high = min(reach, max(rest.end - room, rest.start + 2 * room, low + 1))
        by_line = self._blocks.kinds[body] in _LINE_BY_LINE
        floor = rest.start + room
        at, kind = find_cut(self._text, low, high, floor, by_line=by_line)
        while not self._adds_up and at > low + 1 and not self._is_within(rest, at):
            # A shorter text may count for more: tokens are not words.
            at, kind = find_cut(self._text, low, at - 1, floor, by_line=by_line)
        if stretched > low and not self._is_within(rest, at):
            at, kind = stretched, Boundary.CODE_POINT
        if not self._adds_up and not self._is_within(rest, at):
            return self._cut_code_point(rest, body)
        return self._cut_at(rest, body, at, kind)

    def _cut_code_point(self, rest: Draft, body: int) -> Draft | None:
        """Cut off a code point that alone is as much as the limit allows, or more."""
        if rest.prefix:
            self._repeat(rest, NO_STACK)
            return rest
        visible = first_visible(self._text, rest.start, rest.end)
        if visible > rest.start:
            rest.start = visible
            return rest
        is_over = not self._is_within(rest, visible + 1)
        left = self._cut_at(rest, body, visible + 1, Boundary.CODE_POINT)
        if is_over:
            self._parts[-1].oversize_reason = CODE_POINT_INTEGRITY
        return left

    def _stretch(self, rest: Draft, low: int, end: int) -> int:
        """How far a part may extend beyond `low`, measured as a whole.

        The sizer stops a little short of the budget, and its parts may add up to more
        than the whole: enough to part a long heading from the first word of its text.
        """
        reach, step = low, 1
        if self._adds_up:
            return reach
        while reach + step <= end and self._is_within(rest, reach + step):
            reach, step = reach + step, 2 * step
        while step > 1:
            step //= 2
            if reach + step <= end and self._is_within(rest, reach + step):
                reach += step
        return reach

    def _last_heading_in_reach(self, rest: Draft, body: int, reach: int) -> int:
        """The last block of a run of headings that a part may end before.

        It is the first block of `rest` where not even one heading is within the limit.
        """
        last = rest.first
        while last < body:
            at = self._blocks.starts[last + 1]
            is_in_reach = first_visible(self._text, min(reach, at), at) == at
            if not (is_in_reach if self._adds_up else self._is_within(rest, at)):
                break
            last += 1
        return last

    def _cut_at(self, rest: Draft, body: int, at: int, kind: Boundary) -> Draft | None:
        at = rest.start + len(self._text[rest.start : at].rstrip())
        while body > rest.first and self._layout.start_of(body) >= at:
            body -= 1
        self._emit(rest, body + 1, at)
        following = first_visible(self._text, at, rest.end)
        if following == rest.end:
            return None
        if kind is Boundary.LINE:  # its indent belongs to the line
            following = max(
                at, *(self._text.rfind(end, at, following) + 1 for end in "\r\n")
            )
        block = body
        if following >= self._layout.start_of(body + 1):
            block = body + 1
            following = self._layout.start_of(block)
        return self._left(rest, block, following, kind.value)

    # Blocks that cannot be cut

    def _take_atomic(self, rest: Draft, stop: int) -> Draft | None:
        """Take headings and one atomic block that is over the limit with them."""
        end = self._layout.start_of(stop)
        left = None
        if stop < rest.stop:
            left = self._left(rest, stop, end, self._rule_at(stop))
        rest.stop, rest.end = stop, end
        if not self._is_far_over(stop - 1):
            self._shorten_prefix(rest)
            if self._is_within(rest, end):
                self._parts.append(rest)
                return left
        is_split = self._config.oversize_blocks == "split"
        if is_split and self._blocks.kinds[stop - 1] in _CUT_AS_TEXT:
            self._cut_as_text(rest)
            return left
        rest.oversize_reason = oversize_reason(self._blocks, stop - 1)
        if is_split:
            self._parts.extend(BlockSplitter(self._layout).split(rest))
        else:
            self._parts.append(rest)
        return left

    def _cut_as_text(self, rest: Draft) -> None:
        """Cut a block that means nothing in parts, between its lines at best."""
        body = rest.stop - 1
        is_far_over = self._is_far_over(body)
        piece: Draft | None = rest
        while piece is not None and not self._fits(piece):
            if not is_far_over and self._is_within(piece, piece.end):
                break
            piece = self._cut_text(piece, body)
        if piece is not None:
            self._parts.append(piece)

    def _is_far_over(self, block: int) -> bool:
        """Whether a block is known to be over the limit without measuring it again."""
        source = self._text[
            self._layout.start_of(block) : self._layout.start_of(block + 1)
        ]
        blank = len(source) - len(source.strip())
        return self._layout.sizer.span(block, block + 1) > 2 * self._limit + blank

    def _shorten_prefix(self, draft: Draft) -> None:
        """Repeat fewer headings where the block then fits."""
        if not draft.prefix:
            return
        stacks = self._layout.stacks(self._layout.document.section_of(draft.first))
        for stack in stacks:
            self._repeat(draft, stack)
            if self._is_within(draft, draft.end):
                return
        self._repeat(draft, stacks[0])

    # Parts

    def _emit(self, rest: Draft, stop: int, end: int) -> None:
        self._parts.append(
            Draft(
                rest.first,
                stop,
                rest.start,
                end,
                rest.stage,
                rest.rule,
                rest.prefix,
                rest.repeats_from,
                heading_moved=rest.heading_moved,
                is_merged=rest.is_merged,
                metadata=rest.metadata,
            )
        )

    def _left(self, rest: Draft, block: int, start: int, rule: str) -> Draft:
        if self._text[start - 1] not in "\r\n":
            # White space inside a line belongs to no chunk, so it is not measured.
            start = first_visible(self._text, start, rest.end)
        left = Draft(block, rest.stop, start, rest.end, "split", rule)
        left.metadata = rest.metadata
        self._repeat(left, self._layout.stack_at(block))
        return left

    def _repeat(self, draft: Draft, stack: HeaderStack) -> None:
        draft.prefix, draft.repeats_from = stack.source, stack.start
