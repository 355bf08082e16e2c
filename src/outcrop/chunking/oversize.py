"""Cutting a code block or a table that alone is over the limit.

A table is cut between rows, and every part behind the first repeats the header row. A
fenced block is cut between lines, at blank lines or outer ones where it can be; a part's
fence is re-opened before it and closed behind it. What is added reproduces the container
around the block, quote marks and list indent, so that every part by itself parses to
the same kind of block.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from outcrop.chunking.draft import Draft
from outcrop.markdown.document import UNCLOSED, Kind
from outcrop.text.whitespace import first_visible

if TYPE_CHECKING:
    from outcrop.chunking.layout import HeaderStack, Layout

_FENCE = int(Kind.FENCE)
_TABLE = int(Kind.TABLE)
_SPLITTABLE = frozenset({_FENCE, _TABLE, int(Kind.INDENTED_CODE)})

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_LEAD = re.compile(r"[ \t]*(?:(?:>|[-+*]|\d{1,9}[.)])[ \t]*)*")
_FENCE_MARKS = re.compile(r"`{3,}|~{3,}")
_MARKER = re.compile(r"[-+*]|\d{1,9}[.)]")
_CODE_INDENT = 4  # from here on an indented line is code, whatever follows
_TAB_WIDTH = 4


@dataclass(frozen=True, slots=True)
class _Frame:
    """What goes around a part: put before it, and behind it."""

    opening: str
    closing: str


class BlockSplitter:
    """Splits one oversize block into parts within the limit."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._text = layout.document.text
        self._sizer = layout.sizer

    def split(self, draft: Draft) -> list[Draft]:
        """Cut a draft that holds headings and one block over the limit.

        Args:
            draft: It ends with the block and says why it is oversize.

        Returns:
            Its parts; the draft itself where its block is of a kind that stays whole.
        """
        block = draft.stop - 1
        blocks = self._layout.document.blocks
        kind = blocks.kinds[block]
        if kind not in _SPLITTABLE:
            return [draft]
        start = max(draft.start, self._layout.start_of(block))
        lines = self._lines(start, draft.end)
        frame, fixed = self._frame(kind, lines)
        if kind == _FENCE and not blocks.flags[block] & UNCLOSED:
            lines = self._without_crumb_fence(lines)
        return self._parts(draft, lines, frame, fixed)

    def _lines(self, start: int, end: int) -> list[int]:
        """Offsets at which the lines of `text[start:end]` begin, and where they end."""
        end = start + len(self._text[start:end].rstrip())
        edges = [start]
        while edges[-1] < end:
            match = _LINE.match(self._text, edges[-1], end)
            edges.append(match.end() if match else end)
        return edges

    def _without_crumb_fence(self, edges: list[int]) -> list[int]:
        """Tie the closing fence to the line before it: alone it is no part."""
        if len(edges) > 3:
            return [*edges[:-2], edges[-1]]
        return edges

    def _line(self, edges: list[int], index: int) -> str:
        return self._text[edges[index] : edges[index + 1]]

    def _frame(self, kind: int, edges: list[int]) -> tuple[_Frame, int]:
        """What a later part needs around it, and how many lines open the block."""
        first = self._line(edges, 0)
        newline = first[len(first.rstrip("\r\n")) :] or "\n"
        lead = _lead_of(first)
        if kind == _TABLE and len(edges) > 2:
            head = _reopen(lead) + first[len(lead) :]
            return _Frame(head + self._line(edges, 1), ""), 2
        if kind == _FENCE:
            marks = _FENCE_MARKS.search(first, len(lead))
            fence = marks[0] if marks else "```"
            opening = _reopen(lead) + first[len(lead) :].rstrip("\r\n") + newline
            return _Frame(opening, newline + _continue(lead) + fence), 1
        return _Frame("", ""), 0

    def _parts(
        self, draft: Draft, edges: list[int], frame: _Frame, fixed: int
    ) -> list[Draft]:
        parts: list[Draft] = []
        index, stop = 0, len(edges) - 1
        stack = self._stack(draft)
        part = draft
        while index < stop:
            end = self._end_of_part(part, edges, index, frame, fixed)
            is_last = end == stop
            suffix = "" if is_last else frame.closing
            part = replace(part, end=edges[end], suffix=suffix, oversize_reason="")
            if not self._fits(part):
                part.oversize_reason = draft.oversize_reason
            parts.append(part)
            index = self._next_visible_line(edges, end)
            if index >= stop:
                break
            part = Draft(
                draft.stop - 1,
                draft.stop,
                edges[index],
                draft.end,
                "split",
                "table_row" if fixed == 2 else "code_line",
                stack.source + frame.opening,
                stack.start if stack.source else edges[0],
            )
        return parts

    def _stack(self, draft: Draft) -> HeaderStack:
        """The headings that a later part repeats."""
        return self._layout.stack_at(draft.stop - 1)

    def _next_visible_line(self, edges: list[int], index: int) -> int:
        while index < len(edges) - 1 and not self._line(edges, index).strip():
            index += 1
        return index

    def _end_of_part(
        self, part: Draft, edges: list[int], index: int, frame: _Frame, fixed: int
    ) -> int:
        """The line before which the part that starts with line `index` ends."""
        least = max(index, fixed if index == 0 else 0) + 1
        stop = len(edges) - 1
        around = self._sizer.of(part.prefix) + self._sizer.of(frame.closing)
        budget = self._layout.config.limit - around
        fitting = least
        while fitting < stop:
            end = edges[fitting + 1]
            closing = 0 if fitting + 1 < stop else self._sizer.of(frame.closing)
            if not self._layout_fits(part.start, end, budget + closing):
                break
            fitting += 1
        if fitting == stop:
            return stop
        return self._calmest(edges, least, min(fitting, stop), index)

    def _layout_fits(self, start: int, end: int, budget: int) -> bool:
        return self._sizer.of(self._text[start:end].rstrip()) <= budget

    def _calmest(self, edges: list[int], least: int, most: int, index: int) -> int:
        """The best line to cut before: behind a blank one, or an outer one."""
        half = max(least, (index + most) // 2)
        candidates = range(most, half - 1, -1)
        for line in candidates:
            if not self._line(edges, line - 1).strip():
                return line
        return min(candidates, key=lambda line: _indent(self._line(edges, line)))

    def _fits(self, part: Draft) -> bool:
        own = self._text[part.start : part.end].rstrip()
        size = self._sizer.of(part.prefix + own + part.suffix)
        return size <= self._layout.config.limit


def _indent(line: str) -> int:
    visible = first_visible(line, 0, len(line))
    return len(line[:visible].expandtabs(_TAB_WIDTH))


def _lead_of(line: str) -> str:
    match = _LEAD.match(line)
    return match[0] if match else ""


def _reopen(lead: str) -> str:
    """A block's container markers so that they open the same containers again.

    Indent that belonged to a list item further up would read as code: list markers of
    the same width take its place.
    """
    opened = []
    column = 0
    for run in re.findall(r"[ \t]+|>|[-+*]|\d{1,9}[.)]", lead):
        width = len((" " * column + run).expandtabs(_TAB_WIDTH)) - column
        after_marker = bool(opened) and opened[-1].strip() != ""
        spare = width - 1 if after_marker else width
        if run.isspace() and spare >= _CODE_INDENT:
            opened.append(" " * (width - spare) + _list_markers(spare))
        else:
            opened.append(run)
        column += width
    return "".join(opened)


def _list_markers(width: int) -> str:
    """List markers that open nested items whose text starts `width` columns in."""
    odd = "-  " if width % 2 else ""
    return "- " * ((width - len(odd)) // 2) + odd


def _continue(lead: str) -> str:
    """A block's container markers so that they go on with the same containers."""
    return _MARKER.sub(lambda marker: " " * len(marker[0]), lead)
