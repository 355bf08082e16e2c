"""Text with the colours of its tokens, in stretches that templates escape."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from outcrop.codegraph.colouring import read_tokens
from outcrop.presentation.text import Segment

if TYPE_CHECKING:
    from collections.abc import Iterator


class Colours:
    """A text and its tokens; there are none where it is not code that can be read.

    Args:
        text: The text.
        lang: The language of code; None for other texts.
    """

    def __init__(self, text: str, lang: str | None = None) -> None:
        self.text = text
        self._tokens = read_tokens(text, lang)
        self._starts = [token.start for token in self._tokens]

    def segments(
        self, start: int, end: int, *, is_marked: bool = False
    ) -> Iterator[Segment]:
        """Yield a part of the text, cut where a token begins or ends."""
        at = start
        index = max(bisect_right(self._starts, start) - 1, 0)
        while at < end and index < len(self._tokens):
            token = self._tokens[index]
            low, high = max(token.start, at), min(token.end, end)
            if token.start >= end:
                break
            if low < high:
                if at < low:
                    yield Segment(text=self.text[at:low], is_marked=is_marked)
                text = self.text[low:high]
                yield Segment(text=text, is_marked=is_marked, kind=token.kind)
                at = high
            index += 1
        if at < end:
            yield Segment(text=self.text[at:end], is_marked=is_marked)
