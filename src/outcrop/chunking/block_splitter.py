"""Cutting a block that alone is over the limit.

A table is cut between rows, and every part after the first repeats the header row. A
code block is cut between lines, at blank lines or outer ones where it can be; a part's
fence is re-opened before it and closed after it. What is added reproduces the container
around the block, quote marks and list indent, so that every part by itself parses to
the same kind of block; a block for which that cannot be done stays whole.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from outcrop.chunking.draft import Draft
from outcrop.chunking.layout import NO_STACK
from outcrop.chunking.parts import block_lines, frames_of, is_same_block
from outcrop.markdown.document import NESTED, UNCLOSED, Kind
from outcrop.text.offsets import first_visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outcrop.chunking.layout import HeaderStack, Layout
    from outcrop.chunking.parts import Frame

_RULES = {
    int(Kind.FENCE): "code_line",
    int(Kind.INDENTED_CODE): "code_line",
    int(Kind.TABLE): "table_row",
}
_FENCE = int(Kind.FENCE)
_INDENTED_CODE = int(Kind.INDENTED_CODE)
_TAB_WIDTH = 4
_PAIR = 2  # a block of one line has two edges
_WHITE_SPACE = re.compile(r"[^\S\r\n]+")


@dataclass(frozen=True, slots=True)
class _Lines:
    """The lines of one block that may be parted."""

    kind: int
    edges: list[int]  # where the lines start, and where the last one ends
    flags: int

    @property
    def stop(self) -> int:
        """The number of lines."""
        return len(self.edges) - 1


class BlockSplitter:
    """Splits one oversize block into parts within the limit."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._text = layout.document.text
        self._sizer = layout.sizer
        self._limit = layout.config.limit

    def split(self, draft: Draft) -> list[Draft]:
        """Cut a draft that holds headings and one block over the limit.

        Args:
            draft: It ends with the block and says why it is oversize.

        Returns:
            Its parts; the draft itself where its block has to stay whole.
        """
        block = draft.stop - 1
        blocks = self._layout.document.blocks
        kind = blocks.kinds[block]
        if kind not in _RULES:
            return [draft]
        start = max(draft.start, self._layout.start_of(block))
        flags = blocks.flags[block]
        edges = block_lines(self._text, start, draft.end, opens=bool(flags & NESTED))
        if kind == _FENCE and not flags & UNCLOSED and len(edges) > _PAIR:
            del edges[-2]  # the closing fence goes with the line before it
        lines = _Lines(kind, edges, flags)
        for frame in frames_of(self._text, kind, edges):
            if self._sizer.of(frame.opening + frame.closing) >= self._limit:
                break  # no line could ever fit beside what opens the block
            parts = self._parts(draft, lines, frame)
            if self._are_same_block(parts, lines, frame):
                return parts
        return [draft]

    def _are_same_block(self, parts: list[Draft], lines: _Lines, frame: Frame) -> bool:
        """Whether each part, parsed alone, is the same kind of block as the whole.

        Outside containers, a fence or a table is one with its opening before it, unless
        the edges of the part mean something else by themselves.
        """
        # Indented this far, its first line is code unless a link definition precedes it.
        is_far_in = _indent(self._line(lines, 0)) >= _TAB_WIDTH
        is_safe = not (
            lines.flags & NESTED or lines.kind == _INDENTED_CODE or is_far_in
        )
        is_open = bool(lines.flags & UNCLOSED)
        for part in parts:
            content = self._content(part)
            opening = "" if part is parts[0] else frame.opening
            is_headed = part.start < lines.edges[0] or part.prefix != opening
            starts = "#" if is_headed else "#`~|"
            if is_safe and self._is_plain(part, content, starts):
                continue
            may_be_open = is_open and part is parts[-1]
            if not is_same_block(content, lines.kind, may_be_open=may_be_open):
                return False
        return True

    def _is_plain(self, part: Draft, content: str, starts: str) -> bool:
        """Whether the first and the last line of a part mean the same without context.

        Its start could open a list, say, or a title that is one below a link definition
        could open a fence; white space that is dropped from its end could have kept its
        last line from being a closing fence.
        """
        bare = content.lstrip(" ")
        if len(content) - len(bare) >= _TAB_WIDTH:
            return False  # code, unless a paragraph or a link definition is before it
        if not (bare[:1].isalpha() or bare[:1] in starts):
            return False
        end = part.start + len(self._text[part.start : part.end].rstrip())
        # A draft may end before the white space that the block ends with.
        after = _WHITE_SPACE.match(self._text, end)
        dropped = self._text[end : part.end] + (after[0] if after else "")
        return not dropped.strip(" \t\r\n")

    def _line(self, lines: _Lines, index: int) -> str:
        return self._text[lines.edges[index] : lines.edges[index + 1]]

    def _parts(self, draft: Draft, lines: _Lines, frame: Frame) -> list[Draft]:
        parts: list[Draft] = []
        index = 0
        while index < lines.stop:
            for part in self._candidates(draft, lines, index, frame):
                index_after = self._end_part(part, lines, index, frame)
                if self._fits(part):
                    break
            else:
                part.oversize_reason = draft.oversize_reason
            parts.append(part)
            index = index_after
        return parts

    def _candidates(
        self, draft: Draft, lines: _Lines, index: int, frame: Frame
    ) -> Iterator[Draft]:
        """The part that starts with a line, with ever fewer headings before it.

        The last is the one to take where none fits: with all its headings.
        """
        first = lines.edges[0]
        if index == 0:
            # Headings in the draft itself end every container before the block.
            containers = frame.containers if draft.start == first else ""
            start = draft.repeats_from if draft.prefix else first
            yield replace(
                draft,
                prefix=draft.prefix + containers,
                repeats_from=start,
                oversize_reason="",
            )
            return
        stacks = self._stacks(draft.stop - 1)
        for stack in [*stacks, stacks[0]]:
            yield Draft(
                draft.stop - 1,
                draft.stop,
                lines.edges[index],
                draft.end,
                "split",
                _RULES[lines.kind],
                stack.source + frame.opening,
                stack.start if stack.source else first,
                metadata=draft.metadata,
            )

    def _stacks(self, block: int) -> list[HeaderStack]:
        section = self._layout.document.section_of(block)
        return self._layout.stacks(section) if section >= 0 else [NO_STACK]

    def _end_part(self, part: Draft, lines: _Lines, index: int, frame: Frame) -> int:
        """End a part that starts with line `index`; give the line it ends before."""
        least = min(lines.stop, (frame.fixed if index == 0 else index) + 1)
        low, high, step = least, lines.stop + 1, 1
        while low + step < high:  # how many lines fit: leap ahead, then close in
            if self._fits_before(part, lines, low + step, frame):
                low, step = low + step, 2 * step
            else:
                high = low + step
        while high - low > 1:
            middle = (low + high) // 2
            if self._fits_before(part, lines, middle, frame):
                low = middle
            else:
                high = middle
        end = low if low == lines.stop else self._calmest(lines, least, low, index)
        self._end_before(part, lines, end, frame)
        return end

    def _fits_before(self, part: Draft, lines: _Lines, end: int, frame: Frame) -> bool:
        self._end_before(part, lines, end, frame)
        return self._fits(part)

    def _end_before(self, part: Draft, lines: _Lines, end: int, frame: Frame) -> None:
        part.end = lines.edges[end]
        part.suffix = "" if end == lines.stop else frame.closing

    def _calmest(self, lines: _Lines, least: int, most: int, index: int) -> int:
        """The best line to cut before: one after a blank line, or an outer one."""
        candidates = range(most, max(least, (index + most) // 2) - 1, -1)
        for line in candidates:
            if "\n" in self._line(lines, line - 1).strip("> \t").rstrip("\r\n"):
                return line
        return min(candidates, key=lambda line: _indent(self._line(lines, line)))

    def _content(self, part: Draft) -> str:
        own = self._text[part.start : part.end].rstrip()
        return part.prefix + own + part.suffix

    def _fits(self, part: Draft) -> bool:
        return self._sizer.of(self._content(part)) <= self._limit


def _indent(line: str) -> int:
    visible = first_visible(line, 0, len(line))
    return len(line[:visible].expandtabs(_TAB_WIDTH))
