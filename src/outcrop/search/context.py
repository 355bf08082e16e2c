"""The best text within a token budget, for a language model to read.

Hits are taken best first until the budget is used up; the last one is cut at the end of
a sentence. The pieces of a document are in document order, documents in the order of
their best hit, and each piece follows a line that says where it is from.

A document may contain such lines too. So each of these lines starts with a number that
occurs in no piece, and the last line is that number and `end`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from outcrop.text.boundaries import find_cut
from outcrop.text.marks import choose_mark, closing_line, on_one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from outcrop.model.hit import Hit

_SEPARATOR = "\n\n"
# A shorter piece is not worth its label.
_MIN_CUT_TOKENS = 40
# Stands for the mark while tokens are counted, before it is chosen.
_ANY_MARK = "123456"
_DOCUMENT = "document: "
_SECTION = "section: "


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A part of a context.

    Attributes:
        hit: The hit it is from.
        text: The hit's text, or the beginning of it.
        is_cut: Whether the end is missing.
        notes: Summaries that are shown with it.
    """

    hit: Hit
    text: str
    is_cut: bool = False
    notes: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """Path, lines and heading path of the text, on one line."""
        hit = self.hit
        where = f"[{on_one_line(hit.path)}:{hit.start_line}-{hit.end_line}]"
        headers = (on_one_line(" ".join(header.split())) for header in hit.headers)
        return f"{where} {' > '.join(headers)}".rstrip()

    def render(self, mark: str) -> str:
        """Return the text after its label, which starts with the mark."""
        notes = "".join(f"{mark} {note}\n" for note in self.notes)
        return f"{mark} {self.label}\n{notes}{self.text}"


class Context(str):
    """A text for a language model, with its pieces.

    Attributes:
        pieces: The pieces in the order of the text.
        token_count: Tokens of the whole text.
        mark: The number that each label starts with; it occurs in no piece. Empty if
            there are no pieces.
    """

    pieces: tuple[Piece, ...]
    token_count: int
    mark: str

    __slots__ = ("mark", "pieces", "token_count")

    def __new__(cls, pieces: Sequence[Piece], count: Callable[[str], int]) -> Self:
        """Join pieces in the given order."""
        quoted = [
            part for piece in pieces for part in (piece.label, *piece.notes, piece.text)
        ]
        mark = choose_mark(quoted) if pieces else ""
        lines = [piece.render(mark) for piece in pieces]
        if pieces:
            lines.append(closing_line(mark))
        text = super().__new__(cls, _SEPARATOR.join(lines))
        text.pieces = tuple(pieces)
        text.token_count = count(text) if pieces else 0
        text.mark = mark
        return text


def pack(
    hits: Iterable[Hit],
    *,
    max_tokens: int,
    count: Callable[[str], int],
    with_summaries: bool = False,
) -> Context:
    """Pack hits, best first, into a context within a number of tokens."""
    chosen: list[Piece] = []
    taken: set[str] = set()
    left = max_tokens - count(closing_line(_ANY_MARK))
    for hit in hits:
        if not taken.isdisjoint(hit.parts):
            continue
        notes = _summaries(hit, chosen) if with_summaries else ()
        text = hit.content.strip("\r\n")
        piece = Piece(hit=hit, text=text, is_cut=hit.is_cut, notes=notes)
        cost = count(f"{piece.render(_ANY_MARK)}{_SEPARATOR}")
        if cost <= left:
            chosen.append(piece)
            taken.update(hit.parts)
            left -= cost
            continue
        if (shorter := _cut(piece, left, count)) is not None:
            chosen.append(shorter)
        break
    context = Context(_in_order(chosen), count)
    while context.token_count > max_tokens:  # tokenization differs across joins
        chosen.pop()
        context = Context(_in_order(chosen), count)
    return context


def _summaries(hit: Hit, chosen: Sequence[Piece]) -> tuple[str, ...]:
    """Return the summaries of a hit, without those that a better piece has."""
    known = {note for piece in chosen for note in piece.notes}
    notes = (
        f"{name}{on_one_line(' '.join(summary.split()))}"
        for name, summary in (
            (_DOCUMENT, hit.document_summary),
            (_SECTION, hit.summary),
        )
        if summary
    )
    return tuple(note for note in notes if note not in known)


def _cut(piece: Piece, left: int, count: Callable[[str], int]) -> Piece | None:
    """Return the beginning of a piece that fits, or None if that is too short."""
    room = left - count(f"{replace(piece, text='').render(_ANY_MARK)}{_SEPARATOR}")
    if room < _MIN_CUT_TOKENS:
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
    ordered = sorted(pieces, key=lambda p: (documents[p.hit.path], p.hit.start_offset))
    return [_with_notes_of(piece, ordered) for piece in ordered]


def _with_notes_of(piece: Piece, ordered: Sequence[Piece]) -> Piece:
    """Move the summary of a document to its first piece."""
    of_document = [other for other in ordered if other.hit.path == piece.hit.path]
    about = [n for p in of_document for n in p.notes if n.startswith(_DOCUMENT)]
    own = [note for note in piece.notes if not note.startswith(_DOCUMENT)]
    is_first = piece is of_document[0]
    return replace(piece, notes=(*(about if is_first else ()), *own))


def _paths(pieces: Iterable[Piece]) -> Iterable[str]:
    return (piece.hit.path for piece in pieces)
