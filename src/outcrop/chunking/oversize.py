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
from outcrop.chunking.layout import NO_STACK
from outcrop.markdown.document import UNCLOSED, Kind
from outcrop.markdown.parse import BYTE_ORDER_MARK
from outcrop.text.whitespace import first_visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outcrop.chunking.layout import HeaderStack, Layout

_FENCE = int(Kind.FENCE)
_TABLE = int(Kind.TABLE)
_SPLITTABLE = frozenset({_FENCE, _TABLE, int(Kind.INDENTED_CODE)})

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_LEAD = re.compile(r"[ \t]*(?:(?:>|[-+*]|\d{1,9}[.)])[ \t]*)*")
_FENCE_MARKS = re.compile(r"`{3,}|~{3,}")
_MARKER = re.compile(r"[-+*]|\d{1,9}[.)]")
_MARKS = "> \t\r\n-+*0123456789.)"
_CODE_INDENT = 4  # from here on an indented line is code, whatever follows
_TAB_WIDTH = 4
_TABLE_HEAD = 2  # the header row and the line below it
_PAIR = 2  # a block of one line has two edges


@dataclass(frozen=True, slots=True)
class _Frame:
    """What goes around a part.

    Attributes:
        containers: Opens the containers that the block's own indent relies on.
        opening: The block's first lines, for later parts.
        closing: What ends a part that is not the last.
    """

    containers: str
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
        edges = self._lines(start, draft.end)
        if kind == _FENCE and not blocks.flags[block] & UNCLOSED and len(edges) > _PAIR:
            del edges[-2]  # the closing fence goes with the line before it
        frame, fixed = self._frame(kind, edges)
        around = frame.containers + frame.opening + frame.closing
        if self._sizer.of(around) >= self._layout.config.limit:
            return [draft]  # no line could ever fit beside what opens the block
        return self._parts(draft, edges, frame, fixed)

    def _lines(self, start: int, end: int) -> list[int]:
        """Edges of the lines of `text[start:end]`, blank lines with the one before."""
        end = start + len(self._text[start:end].rstrip())
        edges = [start]
        while edges[-1] < end:
            match = _LINE.match(self._text, edges[-1], end)
            edge = match.end() if match else end
            line = self._text[edges[-1] : edge]
            if len(edges) > 1 and not line.strip("> \t\r\n"):
                edges[-1] = edge
            else:
                edges.append(edge)
        # Containers may open on lines of their own, before the block's first line.
        while len(edges) > _PAIR and not self._line(edges, 0).strip(_MARKS):
            del edges[1]
        return edges

    def _line(self, edges: list[int], index: int) -> str:
        return self._text[edges[index] : edges[index + 1]]

    def _frame(self, kind: int, edges: list[int]) -> tuple[_Frame, int]:
        """What a later part needs around it, and how many lines open the block."""
        opening = self._line(edges, 0).lstrip(BYTE_ORDER_MARK)
        lines = _LINE.findall(opening)
        first = next((line for line in lines if line.strip(_MARKS)), lines[0])
        newline = first[len(first.rstrip("\r\n")) :] or "\n"
        lead = _lead_of(first)
        containers = _containers(lead, newline)
        if kind == _TABLE and len(edges) > _PAIR:
            return _Frame(containers, first + self._line(edges, 1), ""), _TABLE_HEAD
        if kind == _FENCE:
            marks = _FENCE_MARKS.search(first, len(lead))
            closing = newline + _continue(lead) + (marks[0] if marks else "```")
            opening = first.rstrip("\r\n") + newline
            return _Frame(containers, opening, closing), 1
        return _Frame("", "", ""), 0

    def _parts(
        self, draft: Draft, edges: list[int], frame: _Frame, fixed: int
    ) -> list[Draft]:
        parts: list[Draft] = []
        index, stop = 0, len(edges) - 1
        while index < stop:
            for part in self._candidates(draft, edges, index, frame, fixed):
                end = self._end_of_part(part, edges, index, frame, fixed)
                part.end = edges[end]
                part.suffix = "" if end == stop else frame.closing
                if self._fits(part):
                    break
            else:
                part.oversize_reason = draft.oversize_reason
            parts.append(part)
            index = end
        return parts

    def _candidates(
        self, draft: Draft, edges: list[int], index: int, frame: _Frame, fixed: int
    ) -> Iterator[Draft]:
        """The part that starts with a line, with ever fewer headings before it.

        The last is the one to take where none fits: with all its headings.
        """
        if index == 0:
            prefix = draft.prefix + frame.containers
            start = draft.repeats_from if draft.prefix else edges[0]
            yield replace(draft, prefix=prefix, repeats_from=start, oversize_reason="")
            return
        rule = "table_row" if fixed == _TABLE_HEAD else "code_line"
        stacks = self._stacks(draft.stop - 1)
        for stack in [*stacks, stacks[0]]:
            yield Draft(
                draft.stop - 1,
                draft.stop,
                edges[index],
                draft.end,
                "split",
                rule,
                stack.source + frame.containers + frame.opening,
                stack.start if stack.source else edges[0],
            )

    def _stacks(self, block: int) -> list[HeaderStack]:
        section = self._layout.document.section_of(block)
        return self._layout.stacks(section) if section >= 0 else [NO_STACK]

    def _end_of_part(
        self, part: Draft, edges: list[int], index: int, frame: _Frame, fixed: int
    ) -> int:
        """The line before which the part that starts with line `index` ends."""
        stop = len(edges) - 1
        least = min(stop, (fixed if index == 0 else index) + 1)
        closing = self._sizer.of(frame.closing)
        budget = self._layout.config.limit - self._sizer.of(part.prefix)
        most = least
        while most < stop:
            room = budget if most + 1 == stop else budget - closing
            own = self._text[part.start : edges[most + 1]].rstrip()
            if self._sizer.of(own) > room:
                return self._calmest(edges, least, most, index)
            most += 1
        return stop

    def _calmest(self, edges: list[int], least: int, most: int, index: int) -> int:
        """The best line to cut before: behind a blank one, or an outer one."""
        candidates = range(most, max(least, (index + most) // 2) - 1, -1)
        for line in candidates:
            if "\n" in self._line(edges, line - 1).strip("> \t").rstrip("\r\n"):
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


def _containers(lead: str, newline: str) -> str:
    """A line that opens the list items which a block's indent relies on.

    Indent that belonged to a list item further up would read as code by itself. Empty
    list items on a line before it take that meaning away again.
    """
    line, needed = "", ""
    for run in re.findall(r"[ \t]+|\S", lead):
        width = len((" " * len(line) + run).expandtabs(_TAB_WIDTH)) - len(line)
        spare = width - 1 if line.endswith(">") else width
        if run.isspace() and spare >= _CODE_INDENT:
            # One and the same marker three times over would be a rule.
            markers = "".join("-+"[item % 2] + " " for item in range(spare // 2 - 1))
            line += " " * (width - spare) + markers.ljust(spare)
            needed = line.rstrip() + newline
        else:
            line += " " * width if run.isspace() else run
    return needed


def _continue(lead: str) -> str:
    """A block's container markers so that they go on with the same containers."""
    return _MARKER.sub(lambda marker: " " * len(marker[0]), lead)
