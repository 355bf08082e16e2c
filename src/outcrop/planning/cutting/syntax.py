"""Cuts a definition over the limit where its syntax allows.

A piece is a run of whole members or statements. One that is over the limit itself is cut
inside in the same way; one without parts is cut at lines, and a line over the limit
between characters. Laid end to end, the pieces are exactly the text.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from outcrop.codegraph.languages import language as language_named
from outcrop.codegraph.outline import read_outline
from outcrop.codegraph.parse import deep_recursion
from outcrop.codegraph.source import Source
from outcrop.codegraph.syntax_tree import parse_tree
from outcrop.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import tree_sitter

    from outcrop.codegraph.parsed import ParsedSymbol

    Length = Callable[[str], int]

_MAX_DEPTH = 400
"""Text nested deeper is cut at lines: such code is generated."""
_MAX_REPEATED = 8
"""Signatures that a piece repeats; code that nests deeper is generated."""
MAX_TOKEN_CHARS = 16
"""Longer tokens are rare."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A part of a definition's text.

    Attributes:
        start: Where it starts in the text, in code points.
        end: Where it ends, exclusive.
        text: The part itself, `text[start:end]` of the whole.
        prefix: Signatures of the definitions it continues, each on a line.
        length: The length of the text, where it was measured.
    """

    start: int
    end: int
    text: str
    prefix: str = ""
    length: int | None = field(default=None, compare=False)

    @property
    def content(self) -> str:
        """The prefix and the text."""
        return self.prefix + self.text


def cut(
    text: str, lang: str, *, limit: int, length: Callable[[str], int] = len
) -> list[Piece]:
    """Cut the text of a definition into pieces within a limit.

    The limit includes the prefix of a piece. A text that takes too long to parse is cut
    at lines.

    Raises:
        ConfigError: The limit is below 1.
        MissingExtraError: The grammar of the language is not installed.
        UnknownLanguageError: The language is unknown.
    """
    if limit < 1:
        raise ConfigError(f"limit is {limit!r}, but it must be at least 1")
    language_named(lang)  # rejects an unknown one, whatever the text
    if not text:
        return []
    if length(text) <= limit:
        return [Piece(start=0, end=len(text), text=text)]
    return cut_large(text, lang, limit=limit, length=length)


def cut_large(text: str, lang: str, *, limit: int, length: Length) -> list[Piece]:
    """Cut a text that is known to be over the limit; see `cut`."""
    source = Source(text.encode("utf-8", "replace"))
    root, symbols = _parse(source, lang)
    signatures = _Signatures(symbols, limit, length)
    bounds = _Cutter(source, text, limit, length, signatures).bounds(root)
    return [
        Piece(start=start, end=end, text=text[start:end],
              prefix=signatures.before(start))
        for start, end in pairwise(bounds)
    ]  # fmt: skip


def _parse(
    source: Source, lang: str
) -> tuple[tree_sitter.Node | None, Sequence[ParsedSymbol]]:
    language = language_named(lang)
    root = parse_tree(language, source.data)
    if root is None:
        return None, ()
    symbols = read_outline(language, root, source, "").symbols
    return root, [s for s in symbols[1:] if s.kind not in {"FIELD", "LAMBDA"}]


class _Signatures:
    """The signatures of the definitions that a piece continues.

    Args:
        symbols: The definitions, in the order of their places.
        limit: The limit of a piece; the signatures take at most half of it.
        length: Measures a text.
    """

    def __init__(
        self, symbols: Sequence[ParsedSymbol], limit: int, length: Length
    ) -> None:
        self._symbols = sorted(symbols, key=lambda symbol: symbol.start)
        self._starts = [symbol.start for symbol in self._symbols]
        # The position of the enclosing definition of each; -1 for one at the top.
        self._outer: list[int] = []
        self._limit = limit
        self._length = length
        self._prefixes: dict[int, str] = {}
        for at, symbol in enumerate(self._symbols):
            self._outer.append(self._around(at - 1, symbol.start))

    def before(self, start: int) -> str:
        """Return the signatures for a piece from its start; outer ones give way first."""
        prefix = self._prefixes.get(start)
        if prefix is None:
            prefix = self._prefixes[start] = self._read(start)
        return prefix

    def _read(self, start: int) -> str:
        open_: list[str] = []
        at = self._around(bisect_left(self._starts, start) - 1, start)
        while at >= 0 and len(open_) < _MAX_REPEATED:
            signature = self._symbols[at].signature
            open_ += [signature] if signature else []
            at = self._outer[at]
        while open_:
            prefix = "".join(f"{signature}\n" for signature in reversed(open_))
            if self._length(prefix) * 2 <= self._limit:
                return prefix
            open_.pop()
        return ""

    def _around(self, at: int, offset: int) -> int:
        """Return the last definition up to one that ends after an offset, or -1."""
        while at >= 0 and self._symbols[at].end <= offset:
            at = self._outer[at]
        return at


class _Cutter:
    """Finds where to cut one text."""

    def __init__(
        self, source: Source, text: str, limit: int, length: Length,
        signatures: _Signatures,
    ) -> None:  # fmt: skip
        self.source = source
        self.text = text
        self.limit = limit
        self.length = length
        self.signatures = signatures

    def bounds(self, root: tree_sitter.Node | None) -> list[int]:
        """Return the offsets of the cuts, the ends of the text included."""
        if root is None:
            units = list(self._lines(0, len(self.text)))
        else:
            with deep_recursion():
                units = list(self._units(root, 0, len(self.text), 0))
        ends = [end for _, end in units]
        bounds, first = [0], 0
        while (first := self._last_of_piece(ends, first, bounds[-1]) + 1) < len(ends):
            bounds.append(ends[first - 1])
        return [*bounds, len(self.text)]

    def _last_of_piece(self, ends: Sequence[int], first: int, start: int) -> int:
        """Return the last unit that fits into a piece with the first one.

        Steps double until a unit does not fit: measuring the piece with each of its
        units would take quadratic time where the limit is large.
        """
        fitting, step = first, 1
        while (at := first + step) < len(ends) and self._fits(start, ends[at]):
            fitting, step = at, 2 * step
        at = min(at, len(ends))
        return longest(fitting, at - 1, lambda at: self._fits(start, ends[at]))

    def _fits(self, start: int, end: int) -> bool:
        prefix = self.signatures.before(start)
        return self.length(prefix + self.text[start:end]) <= self.limit

    def _units(
        self, node: tree_sitter.Node, start: int, end: int, depth: int
    ) -> Iterator[tuple[int, int]]:
        """Yield ranges that tile start to end, each within the limit if possible."""
        if depth and self._fits(start, end):  # the whole text does not
            yield start, end
            return
        parts = self._parts(node, start, end) if depth < _MAX_DEPTH else []
        if len(parts) <= 1:
            child = parts[0][0] if parts else None
            if child is not None and child.named_child_count:
                yield from self._units(child, start, end, depth + 1)
            else:
                yield from self._lines(start, end)
            return
        for child, part_start, part_end in parts:
            yield from self._units(child, part_start, part_end, depth + 1)

    def _parts(
        self, node: tree_sitter.Node, start: int, end: int
    ) -> list[tuple[tree_sitter.Node, int, int]]:
        """Return the children of a node with ranges that tile start to end."""
        found: list[tuple[tree_sitter.Node, int]] = []
        comment_at: int | None = None
        for child in node.named_children:
            place = self._line_start(self.source.character(child.start_byte), start)
            if "comment" in child.type:
                comment_at = place if comment_at is None else comment_at
                continue
            found.append((child, place if comment_at is None else comment_at))
            comment_at = None
        starts = [start, *(place for _, place in found[1:])]
        ends = [*starts[1:], end]
        return [
            (child, a, b)
            for (child, _), a, b in zip(found, starts, ends, strict=False)
            if a < b
        ]

    def _line_start(self, offset: int, least: int) -> int:
        """Return the start of the line, or the offset if text precedes it there."""
        line = self.text.rfind("\n", least, offset) + 1
        line = max(line, least)
        return line if not self.text[line:offset].strip() else offset

    def _lines(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        while start < end:
            stop = self.text.find("\n", start, end) + 1 or end
            # A line may hold megabytes: measure no more of it than could ever fit.
            stop = min(stop, start + self.limit * MAX_TOKEN_CHARS)
            if not self._fits(start, stop):
                stop = longest(start + 1, stop, partial(self._fits, start))
            yield start, stop
            start = stop


def longest(low: int, high: int, fits: Callable[[int], bool]) -> int:
    """Return the last end of a text that fits; `low` if none does."""
    while low < high:
        middle = (low + high + 1) // 2
        if fits(middle):
            low = middle
        else:
            high = middle - 1
    return low
