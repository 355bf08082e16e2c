"""Blocks from the scanner in C, where it was built and is sure of the text.

The scanner reads blocks alone, which is most of the work of a parser saved. What needs
more is left to pulldown-cmark: display math, and titles with markup, which are read as a
small document of nothing but these headings and the link definitions.
"""

from __future__ import annotations

from array import array
from functools import partial
from typing import TYPE_CHECKING, Any

from outcrop.markdown.document import Blocks, Heading, Kind
from outcrop.markdown.parser import parseable, read_events
from outcrop.markdown.scan import scan
from outcrop.text.native import load_native

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from outcrop.markdown.embedded import Span

    # Takes data, and the lengths of the mark and the front matter before it.
    Scanner = Callable[[str | bytes, int, int], tuple[Any, ...] | None]


# The constructor of a named tuple is a function in Python; this one is not.
_make_heading: Callable[[tuple[Any, ...]], Heading] = partial(tuple.__new__, Heading)


def load_scanner() -> Scanner | None:
    """Return the scanner; None where it was not built or is switched off."""
    native = load_native("outcrop.markdown")
    return None if native is None else native.scan


def read_natively(
    scanner: Scanner, source: str, mark: int = 0, front_matter: int = 0
) -> tuple[Blocks, list[Heading]] | None:
    """Read blocks and headings, or return None where the scanner is not sure.

    Args:
        scanner: The scanner.
        source: The text from where Markdown starts.
        mark: The length of the byte order mark before it.
        front_matter: The length of the front matter before it, which becomes a block.
    """
    # ASCII is read where it is; anything else as UTF-8.
    data = source if source.isascii() else source.encode("utf-8", "replace")
    found = scanner(data, mark, front_matter)
    if found is None:
        return None
    offsets, kinds, ranks, flags, headings, unread, definitions, is_nested = found
    if unread and not _read_titles(data, headings, unread, definitions, is_nested):
        return None
    starts = array("q")
    starts.frombytes(offsets)
    blocks = Blocks(starts, kinds, ranks, flags)
    if front_matter:
        blocks.insert_front_matter()
    return blocks, list(map(_make_heading, headings))


def _read_titles(
    data: str | bytes,
    headings: list[tuple[Any, ...]],
    unread: Sequence[tuple[int, int, int]],
    definitions: Sequence[Span],
    is_nested: bool,  # noqa: FBT001 - as the scanner returns it
) -> bool:
    """Give headings with markup their titles; return whether that succeeded.

    Args:
        data: The text.
        headings: All headings; those without a title get one.
        unread: Their places in `headings` and in the text.
        definitions: Where link definitions are outside containers.
        is_nested: Whether there are others, which are not at hand.
    """
    sources = [_piece(data, start, end) for _, start, end in unread]
    known: list[str] = []
    if any("[" in source for source in sources):
        if is_nested or any("[^" in source for source in sources):
            return False
        known = [_piece(data, start, end) for start, end in definitions]
    text, small = parseable("\n\n".join(known + sources))
    raw, is_plain = read_events(text, lambda events: scan(events, small))
    if is_plain or len(raw.headings) != len(unread):
        return False
    block, at = -1, sum(len(each.encode()) + 2 for each in known)
    for (index, first, stop), (level, title) in zip(unread, raw.headings, strict=True):
        block = raw.kinds.find(int(Kind.HEADING), block + 1)
        number, start, end, expected, _, parent = headings[index]
        if level != expected or raw.starts[block] != at:
            return False
        headings[index] = (number, start, end, level, title, parent)
        at += stop - first + 2
    return True


def _piece(data: str | bytes, start: int, end: int) -> str:
    piece = data[start:end]
    return piece if isinstance(piece, str) else piece.decode()
