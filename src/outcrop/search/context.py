"""The best text within a budget of tokens, for a language model to read.

Hits are taken from the best on until the budget is used; the last is cut where a
sentence ends. What was taken stands in the order of its document, documents in the
order of their best hit, each piece under a line that says where it is from.

A document may hold such lines too. So each of ours starts with a number that occurs
nowhere in the pieces, and the last line is that number and `end`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from outcrop.text.boundaries import find_cut
from outcrop.text.marks import choose_mark, closing_line, on_one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from outcrop.model.hit import Hit

_BETWEEN = "\n\n"
# A shorter rest is not worth a line of its own.
_SHORTEST_CUT = 40
# Costs what a mark costs, before there is one.
_ANY_MARK = "123456"


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A part of a context.

    Attributes:
        hit: Where it is from.
        text: The hit's text, or its beginning.
        is_cut: Whether the end is missing.
    """

    hit: Hit
    text: str
    is_cut: bool = False

    @property
    def label(self) -> str:
        """Where the text is from: path, lines and heading path, on one line."""
        hit = self.hit
        where = f"[{on_one_line(hit.path)}:{hit.start_line}-{hit.end_line}]"
        headers = (on_one_line(" ".join(header.split())) for header in hit.headers)
        return f"{where} {' > '.join(headers)}".rstrip()

    def render(self, mark: str) -> str:
        """Return the text under its line, which starts with the mark."""
        return f"{mark} {self.label}\n{self.text}"


class Context(str):
    """A text for a language model that knows its pieces.

    Attributes:
        pieces: In the order of the text.
        token_count: Tokens of the whole.
        mark: The number that the lines between the pieces start with; it occurs in no
            piece. Empty where there are none.
    """

    pieces: tuple[Piece, ...]
    token_count: int
    mark: str

    __slots__ = ("mark", "pieces", "token_count")

    def __new__(cls, pieces: Sequence[Piece], count: Callable[[str], int]) -> Self:
        """Join pieces, in the order given."""
        quoted = [part for piece in pieces for part in (piece.label, piece.text)]
        mark = choose_mark(quoted) if pieces else ""
        lines = [piece.render(mark) for piece in pieces]
        if pieces:
            lines.append(closing_line(mark))
        text = super().__new__(cls, _BETWEEN.join(lines))
        text.pieces = tuple(pieces)
        text.token_count = count(text) if pieces else 0
        text.mark = mark
        return text


def pack(
    hits: Iterable[Hit], *, max_tokens: int, count: Callable[[str], int]
) -> Context:
    """Pack hits into a context.

    Args:
        hits: From the best on.
        max_tokens: The most tokens of the whole text, labels included.
        count: Counts the tokens of a text.
    """
    chosen: list[Piece] = []
    taken: set[str] = set()
    left = max_tokens - count(closing_line(_ANY_MARK))
    for hit in hits:
        if not taken.isdisjoint(hit.parts):
            continue
        piece = Piece(hit=hit, text=hit.content.strip("\r\n"))
        cost = count(f"{piece.render(_ANY_MARK)}{_BETWEEN}")
        if cost <= left:
            chosen.append(piece)
            taken.update(hit.parts)
            left -= cost
            continue
        if (shorter := _cut(piece, left, count)) is not None:
            chosen.append(shorter)
        break
    context = Context(_in_order(chosen), count)
    while context.token_count > max_tokens:  # tokens may join across pieces, or part
        chosen.pop()
        context = Context(_in_order(chosen), count)
    return context


def _cut(piece: Piece, left: int, count: Callable[[str], int]) -> Piece | None:
    """Return the beginning of a piece that fits, or None where too little does."""
    room = left - count(f"{replace(piece, text='').render(_ANY_MARK)}{_BETWEEN}")
    if room < _SHORTEST_CUT:
        return None
    low, high = 0, len(piece.text)
    while high - low > 1:
        middle = (low + high) // 2
        if count(piece.text[:middle]) <= room:
            low = middle
        else:
            high = middle
    end, _ = find_cut(piece.text, 0, max(low, 1), low // 2)
    return replace(piece, text=piece.text[:end].rstrip(), is_cut=True)


def _in_order(pieces: Sequence[Piece]) -> list[Piece]:
    documents = {path: at for at, path in reversed(list(enumerate(_paths(pieces))))}
    return sorted(pieces, key=lambda p: (documents[p.hit.path], p.hit.start_offset))


def _paths(pieces: Iterable[Piece]) -> Iterable[str]:
    return (piece.hit.path for piece in pieces)
