"""The one pass over pulldown-cmark's events.

The parser yields a stream of `(event, byte range)` pairs, about sixty for a kilobyte of
Markdown. The stream is read once and never stored: a list of all events costs more time
and memory than the parse itself. Three facts keep the loop short:

- a leaf block's end is known when it starts, so everything inside is skipped by its
  start offset alone;
- the same holds for containers, so end events are never looked at;
- text in a tight list item comes without a paragraph around it; its first event, which
  may be a line break, opens a block, and the rest of the line on which an element ends
  is skipped.

Offsets in here are bytes of UTF-8.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from outcrop.markdown.document import (
    INLINE_RANK,
    NESTED,
    OPENS_ITEM,
    UNCLOSED,
    Kind,
)
from outcrop.markdown.parser import CONTAINERS

if TYPE_CHECKING:
    from collections.abc import Iterator

# Lists say nothing their items do not; missing cells of a row start after its table.
_PASSED_OVER = frozenset({"List", "TableHead", "TableRow", "TableCell"})
_LEAVES = {
    "Heading": int(Kind.HEADING),
    "Paragraph": int(Kind.PARAGRAPH),
    "CodeBlock": int(Kind.FENCE),
    "HtmlBlock": int(Kind.HTML),
    "MetadataBlock": int(Kind.FRONT_MATTER),
    "Table": int(Kind.TABLE),
}
_HEADING = int(Kind.HEADING)
_PARAGRAPH = int(Kind.PARAGRAPH)
_DEFINITIONS = int(Kind.DEFINITIONS)
_RULE = int(Kind.RULE)
_FENCE = int(Kind.FENCE)
_INDENTED_CODE = int(Kind.INDENTED_CODE)
_MAX_RANK = INLINE_RANK - 1
_MARKERS = b"> \t\r\n-*+0123456789.)"
_BLANK = b" \t\r\n"
_NEW_ITEM = NESTED | OPENS_ITEM
_VISIBLE = frozenset({"Text", "Code", "InlineMath", "DisplayMath"})

# End of a block that runs on into the next: text beside display math.
UNKNOWN = -1


@dataclass(slots=True)
class RawBlocks:
    """Blocks and top-level headings as the stream gives them.

    Attributes:
        starts: Where the line of each block's first character begins.
        ends: Where the parser says the block ends, or `UNKNOWN`.
        kinds: A `Kind` each.
        ranks: Containers open across the cut before the block.
        flags: `OPENS_ITEM` where a list item starts with the block.
        headings: Level and title of each top-level heading.
    """

    starts: array[int] = field(default_factory=lambda: array("q"))
    ends: array[int] = field(default_factory=lambda: array("q"))
    kinds: bytearray = field(default_factory=bytearray)
    ranks: bytearray = field(default_factory=bytearray)
    flags: bytearray = field(default_factory=bytearray)
    headings: list[tuple[int, str]] = field(default_factory=list)

    def add(self, start: int, end: int, kind: int, rank: int, flags: int) -> None:
        """Append one block."""
        self.starts.append(start)
        self.ends.append(end)
        self.kinds.append(kind)
        self.ranks.append(rank)
        self.flags.append(flags)


# One long function on purpose: it runs sixty times for every kilobyte, and moving its
# branches into methods made parsing a third slower.
def scan(  # noqa: C901, PLR0912, PLR0915
    events: Iterator[tuple[Any, dict[str, int]]], data: bytes
) -> RawBlocks:
    """Read the leaf blocks of a Markdown text, in order.

    Args:
        events: The parser's event stream.
        data: The text as UTF-8; lines end with LF or CRLF.
    """
    raw = RawBlocks()
    kinds = raw.kinds
    add_start, add_end, add_kind = raw.starts.append, raw.ends.append, kinds.append
    add_rank, add_flags = raw.ranks.append, raw.flags.append
    rfind = data.rfind
    skip_to = 0  # events that start before this belong to a block already seen
    is_loose = False  # in the text of a tight item
    floor = 0  # where the last block starts
    open_ends: list[int] = []  # where the containers around the reader end
    # The outermost container no block has been seen in yet: its start, how many are
    # around it, and whether a list item is among the new ones.
    new_start, new_depth, new_flags = -1, 0, 0

    for event, span in events:
        start = span["start"]
        if start < skip_to:
            if is_loose and span["end"] > skip_to and "End" not in event:
                # A line break, or an element that runs on into the next line.
                if not _is_item(event):
                    skip_to = raw.ends[-1] = _line_end(data, start, span["end"])
                    continue
            elif start + 1 < skip_to or not _is_item(event):
                continue
        if event == "Rule":
            kind, end = _RULE, span["end"]
            skip_to, is_loose = end, False
        elif event == "SoftBreak":
            continue
        elif "Start" in event:
            tag = event["Start"]
            name = tag if tag.__class__ is str else next(iter(tag))
            if name == "Item" or name in CONTAINERS:
                is_loose = False
                while data[start] in _BLANK:  # an item after a tab starts too early
                    start += 1
                while open_ends and open_ends[-1] <= start:
                    open_ends.pop()
                    new_start = -1  # a bare marker: it joins the text before it
                if new_start < 0:
                    new_start, new_depth, new_flags = start, len(open_ends), NESTED
                if name == "Item":
                    new_flags = _NEW_ITEM
                open_ends.append(span["end"])
                continue
            if name in _PASSED_OVER:
                is_loose = False
                continue
            if name in _LEAVES:
                kind, end = _LEAVES[name], span["end"]
                skip_to, is_loose = end, False
            else:
                skip_to = _line_end(data, start, span["end"])
                if is_loose:
                    raw.ends[-1] = skip_to
                    continue
                kind, end, is_loose = _PARAGRAPH, skip_to, True
        elif "End" in event:
            continue
        else:
            skip_to = _line_end(data, start, span["end"])
            if is_loose:
                raw.ends[-1] = skip_to
                continue
            kind, end, is_loose = _PARAGRAPH, skip_to, True

        while open_ends and open_ends[-1] <= start:
            open_ends.pop()
            new_start = -1
        if new_start >= 0:
            rank, flags, at = new_depth, new_flags, new_start
            new_start = -1
            line = rfind(b"\n", at, start) + 1
            if line and data[at:line].strip(_MARKERS):
                # Link definitions stand between the container's start and its first
                # block.
                floor = rfind(b"\n", floor, at) + 1 or (at if kinds else floor)
                raw.add(floor, UNKNOWN, _DEFINITIONS, min(rank, _MAX_RANK), flags)
                rank, at, flags = len(open_ends), line, NESTED
        else:
            rank, at = len(open_ends), start
            flags = NESTED if rank else 0
        line = rfind(b"\n", floor, at) + 1
        if line:
            floor = line
        elif kinds:
            floor = at
        if kind == _HEADING:
            if flags:
                kind = _PARAGRAPH
            else:
                level = int(tag["Heading"]["level"][1])
                raw.headings.append((level, _read_title(events)))
        elif kind == _FENCE:
            if tag["CodeBlock"] == "Indented":
                # White space that CommonMark takes for text does not count as code.
                is_blank = data[start:end].decode().isspace()
                kind = _PARAGRAPH if is_blank else _INDENTED_CODE
            elif _is_unclosed(events, data, start, end):
                flags |= UNCLOSED
        add_start(floor)
        add_end(end)
        add_kind(kind)
        add_rank(rank if rank < _MAX_RANK else _MAX_RANK)  # noqa: FURB136 - min() is slow
        add_flags(flags)

    return raw


def _line_end(data: bytes, start: int, end: int) -> int:
    """The end of the line on which an inline element ends."""
    found = data.find(b"\n", max(start, end - 1))
    return found if found >= 0 else len(data)


def _is_item(event: Any) -> bool:
    """Whether a list item starts."""
    return event.__class__ is dict and event.get("Start") == "Item"


def _is_unclosed(
    events: Iterator[tuple[Any, dict[str, int]]], data: bytes, start: int, end: int
) -> bool:
    """Consume a fenced block's events; return whether it lacks its closing fence.

    What follows the last line of its content can only be the closing fence.
    """
    content_end = data.find(b"\n", start, end) + 1 or end
    for event, span in events:
        if "Text" not in event:
            break
        content_end = span["end"]
    return not data[content_end:end].strip(b"> \t\r\n")


def _read_title(events: Iterator[tuple[Any, dict[str, int]]]) -> str:
    """Consume a heading's events; return its visible text."""
    words: list[str] = []
    for event, _ in events:
        if event.__class__ is str:
            words.append(" ")
            continue
        for name in event:
            if name in _VISIBLE:
                words.append(event[name])
            elif name == "End" and event[name].__class__ is dict:
                # Only a heading has fields in its end: inline elements are names.
                return " ".join("".join(words).split())
    return " ".join("".join(words).split())
