"""What each part of a split block needs around it to parse as the same block.

The containers around a block are known by the marks before it: quote marks stand on
every line, list markers only where the item begins. Indent of an item that began further
up would read as code in a part by itself. Empty list items of the same width, on a line
before the part, take that meaning away again. How wide they have to be is not known
exactly, since a block may be indented by up to three columns in its container; so there
is a frame for each width, for the caller to try.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from outcrop.markdown import Kind, parse
from outcrop.markdown.document import UNCLOSED
from outcrop.markdown.parse import BYTE_ORDER_MARK

if TYPE_CHECKING:
    from collections.abc import Iterator

# Kinds of block whose parts have to parse by themselves.
SELF_CONTAINED = frozenset({int(Kind.FENCE), int(Kind.INDENTED_CODE), int(Kind.TABLE)})

# All kinds that are split if they are over the limit; parts of the other kinds need not
# mean anything by themselves.
SPLITTABLE = SELF_CONTAINED | {int(Kind.HTML), int(Kind.FRONT_MATTER)}

_HEADINGS = bytes([Kind.HEADING])
_FENCE = int(Kind.FENCE)
_TABLE = int(Kind.TABLE)

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_MARKER = r"(?:[-+*]|\d{1,9}[.)])(?![^\s])"
_LABEL = r"\[\^[^\]\s]+\]:"
_LEAD = re.compile(rf"(?:[> \t]|{_MARKER}|{_LABEL})*")
_LINES_OF_MARKS = re.compile(rf"(?:{_LEAD.pattern}(?:\r\n|\r|\n))*")
_OPENS_ITSELF = re.compile(rf"{_MARKER}|{_LABEL}[ \t]*")
_FENCE_MARKS = re.compile(r"`{3,}|~{3,}")

_TAB_WIDTH = 4
_CODE_INDENT = 4  # from here on an indented line is code, whatever follows
_NOTE_INDENT = 4  # the indent of a footnote's later lines
_MIN_ITEM = 2  # a list item is at least a marker and a space wide
_MAX_SHIFT = 3  # how far a block may be indented in its container
_TABLE_HEAD = 2  # the header row and the line below it
_PAIR = 2  # a block of one line has two edges


@dataclass(frozen=True, slots=True)
class Frame:
    """The text that is added around a part.

    Attributes:
        containers: Opens the containers that the block's own indent relies on.
        opening: The same and the block's first lines, for later parts.
        closing: What ends a part that is not the last.
        fixed: How many lines open the block.
    """

    containers: str = ""
    opening: str = ""
    closing: str = ""
    fixed: int = 0


def block_lines(text: str, start: int, end: int, *, opens: bool) -> list[int]:
    """Edges of the lines of a block, blank lines with the one before.

    Args:
        text: The whole text.
        start: Where the block starts.
        end: Where it ends.
        opens: Whether containers may open with the block; lines with nothing else on
            them then belong to its first line.
    """
    end = start + len(text[start:end].rstrip())
    edges = [start]
    at = _end_of_marks(text, start, end) if opens else start
    while at < end:
        match = _LINE.match(text, at, end)
        edge = match.end() if match else end
        if len(edges) > 1 and not text[at:edge].strip("> \t\r\n"):
            edges[-1] = edge
        else:
            edges.append(edge)
        at = edge
    return edges


def _end_of_marks(text: str, start: int, end: int) -> int:
    """The end of the first lines, if those only open containers."""
    match = _LINES_OF_MARKS.match(text, start, end)
    return match.end() if match else start


def frames_of(text: str, kind: int, edges: list[int]) -> Iterator[Frame]:
    """The frames that may fit a block, the likeliest first."""
    if kind not in {_FENCE, _TABLE}:
        yield Frame()  # indented code is code without its container too
        return
    begin = _end_of_marks(text, edges[0], edges[1])
    match = _LINE.match(text, begin, edges[1])
    last = match[0] if match else ""
    opening = text[edges[0] : begin] + last
    if edges[0] == 0:
        opening = opening.removeprefix(BYTE_ORDER_MARK)
        last = last.removeprefix(BYTE_ORDER_MARK)
    newline = last[len(last.rstrip("\r\n")) :] or "\n"
    lead = _lead_of(last)
    closing, fixed = "", 0
    if kind == _FENCE:
        marks = _FENCE_MARKS.search(last, len(lead))
        closing = newline + _continue(lead) + (marks[0] if marks else "```")
        opening, fixed = opening.rstrip("\r\n") + newline, 1
    elif len(edges) > _PAIR:
        opening, fixed = opening + text[edges[1] : edges[2]], _TABLE_HEAD
    for containers in _containers(_lead_of(opening)):
        line = containers + newline if containers else ""
        yield Frame(line, line + opening, closing, fixed)


def _lead_of(line: str) -> str:
    match = _LEAD.match(line)
    return match[0] if match else ""


def _containers(lead: str) -> Iterator[str]:
    """Lines that open the list items a lead may rely on, the likeliest first."""
    seen: set[str] = set()
    for narrowest in (_CODE_INDENT, _MIN_ITEM):
        for shift in range(_MAX_SHIFT + 1):
            line = _empty_items(lead, narrowest, shift)
            if line not in seen:
                seen.add(line)
                yield line


def _empty_items(lead: str, narrowest: int, shift: int) -> str:
    """A line with empty items, less a shift, in place of indents that are wide enough."""
    line, needed = "", ""
    for run in re.findall(rf"{_OPENS_ITSELF.pattern}|[ \t]+|>", lead):
        if run == ">":
            line += run
            continue
        if not run.isspace():
            break  # a marker opens its own container, and what follows is inside
        width = len((" " * len(line) + run).expandtabs(_TAB_WIDTH)) - len(line)
        spare = width - 1 if line.endswith(">") else width
        items = ""
        if spare >= narrowest and spare - shift >= _MIN_ITEM:
            items = _items_of(spare - shift)
            needed = line + " " * (width - spare) + items
        line += " " * (width - spare) + items.ljust(spare)
    return needed.rstrip()


def _items_of(width: int) -> str:
    """Empty list items, one in the other, whose text would start at a column."""
    pairs = width // 2
    # One and the same marker three times over would be a rule.
    markers = ["-+"[item % 2] for item in range(pairs)]
    if width % 2:
        markers[-1] = "1."
    return " ".join(markers)


def _continue(lead: str) -> str:
    """The marks that continue the containers of a block on another line."""

    def indent(mark: re.Match[str]) -> str:
        is_label = mark[0].startswith("[")
        return " " * (_NOTE_INDENT if is_label else len(mark[0]))

    return _OPENS_ITSELF.sub(indent, lead)


def is_same_block(content: str, kind: int, *, may_be_open: bool = False) -> bool:
    """Whether a text is one block of a kind, with nothing but headings before it.

    Args:
        content: The text of a chunk, repeated headings and openings included.
        kind: The `Kind` that is expected.
        may_be_open: Whether a fence may lack its end.
    """
    blocks = parse(content).blocks
    if blocks.kinds.lstrip(_HEADINGS) != bytes([kind]):
        return False
    return may_be_open or not blocks.flags[-1] & UNCLOSED
