"""How large a stretch of a document is, and how far a budget reaches.

In characters both are sums of offsets. With any other measure, tokens above all, every
block is measured once, in one batch, and a stretch of blocks is taken to be the sum of
its parts; what is emitted in the end is measured for itself.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Protocol

from outcrop.errors import ChunkConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from outcrop.markdown.document import Document


class Sizer(Protocol):
    """Measures texts and stretches of one document."""

    def of(self, text: str) -> int:
        """The size of a text."""
        ...

    def span(self, first: int, stop: int) -> int:
        """The size of the blocks from `first` up to `stop`."""
        ...

    def reach(self, start: int, end: int, budget: int) -> int:
        """The furthest offset up to `end` so that the text from `start` fits."""
        ...

    def reach_inside(self, start: int, end: int, budget: int) -> int:
        """The same, to the character, where `reach` may stop at the edge of a block."""
        ...


class CharacterSizer:
    """Counts code points."""

    def __init__(self, document: Document) -> None:
        self._edges = document.blocks.starts[:]
        self._edges.append(len(document.text))

    def of(self, text: str) -> int:
        """The number of code points."""
        return len(text)

    def span(self, first: int, stop: int) -> int:
        """The distance of the block starts."""
        edges = self._edges
        return edges[stop] - edges[first]

    def reach(self, start: int, end: int, budget: int) -> int:
        """The budget itself."""
        return min(end, start + budget)

    reach_inside = reach


class MeasuredSizer:
    """Counts with a function of the user's, such as a token counter."""

    def __init__(self, document: Document, length: Callable[[str], int]) -> None:
        self._text = document.text
        self._length = length
        self._edges = [*document.blocks.starts, len(self._text)]
        pieces = [self._text[start:end] for start, end in pairwise(self._edges)]
        sizes = measure_all(length, pieces)
        try:
            is_valid = all(size >= 0 for size in sizes)
        except TypeError:
            is_valid = False
        if not is_valid:
            rule = "it must return a number of at least 0 for every text"
            raise ChunkConfigError("length", length, rule)
        self._sums = [0, *accumulate(sizes)]

    def of(self, text: str) -> int:
        """The result of the function."""
        return self._length(text) if text else 0

    def span(self, first: int, stop: int) -> int:
        """The sum of the blocks."""
        return self._sums[stop] - self._sums[first]

    def reach(self, start: int, end: int, budget: int) -> int:
        """The last block edge that fits, or an offset inside the first block."""
        if start >= end:
            return end
        block = bisect_right(self._edges, start) - 1
        if self._edges[block] != start:
            edge = min(end, self._edges[block + 1])
            reached, used = self._home_in(start, edge, budget)
            if reached < edge:
                return reached
            block, budget = block + 1, budget - used
        last = bisect_right(self._sums, self._sums[block] + budget) - 1
        if self._edges[last] > start:
            return min(end, self._edges[last])
        return self._home_in(start, min(end, self._edges[block + 1]), budget)[0]

    def reach_inside(self, start: int, end: int, budget: int) -> int:
        """The furthest offset found by measuring what lies before it."""
        return self._home_in(start, end, budget)[0]

    def _home_in(self, start: int, end: int, budget: int) -> tuple[int, int]:
        """Home in on the budget by the density of what was measured last.

        No more text is measured than the budget could hold a few times over, so that
        a block of any length is cut in linear time.
        """
        reached, size_reached, high = start, 0, end + 1
        guess = min(end, start + 4 * max(1, budget))
        for _ in range(16):
            size = self.of(self._text[start:guess])
            if size <= budget:
                reached, size_reached = guess, size
                if guess == end or size * 20 >= budget * 19:
                    break
            else:
                high = guess
            if high - reached <= 1:
                break
            aim = start + int((guess - start) / max(1, size) * budget * 0.98)
            guess = aim if reached < aim < high else (reached + high) // 2
            guess = min(guess, end)
        return reached, size_reached


def measure_all(length: Callable[[str], int], texts: Sequence[str]) -> list[int]:
    """Measure many texts, in one call where the function offers it."""
    batch: Callable[[Sequence[str]], list[int]] | None
    batch = getattr(length, "count_batch", None)
    return batch(texts) if batch is not None else [length(text) for text in texts]
