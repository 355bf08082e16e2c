"""Sections in the place of their parts.

A section that had to be split is found by one of its parts, and is most useful as a
whole: where it is small enough it stands for them, at the rank of the best.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from outcrop.search.fusion import Ranked
    from outcrop.store.candidates import Candidate
    from outcrop.store.records import StoredChunk

# The most parts that are put together: about the tokens of a long answer.
MOST_PARTS = 4


@dataclass(frozen=True, slots=True)
class Found:
    """A hit in the making.

    Attributes:
        ranked: The best candidate.
        first: Place of the first chunk it stands for.
        last: Place of the last one.
    """

    ranked: Ranked
    first: int
    last: int

    @property
    def candidate(self) -> Candidate:
        """The best candidate."""
        return self.ranked.candidate

    @property
    def place(self) -> tuple[str, int, int]:
        """The document, and the places of the first and the last chunk."""
        return self.candidate.document_id, self.first, self.last


def join_parts(
    ranked: Iterable[Ranked], *, most_parts: int = MOST_PARTS
) -> list[Found]:
    """Let small sections stand for their parts; everything else for itself."""
    found: list[Found] = []
    seen: set[tuple[str, int]] = set()
    for item in ranked:
        candidate = item.candidate
        if candidate.parts is None or candidate.parts > most_parts:
            found.append(Found(item, candidate.chunk_index, candidate.chunk_index))
        elif candidate.section not in seen:
            seen.add(candidate.section)
            first = candidate.section[1]
            found.append(Found(item, first, first + candidate.parts - 1))
    return found


def leave_apart(ranked: Iterable[Ranked]) -> list[Found]:
    """Let every candidate stand for itself."""
    return [Found(r, r.candidate.chunk_index, r.candidate.chunk_index) for r in ranked]


def join_text(leaves: Sequence[StoredChunk]) -> str:
    """Put leaves that follow each other together, as the file has them."""
    pieces: list[str] = []
    for leaf in leaves[:-1]:
        pieces += (own_text(leaf), str(leaf.metadata.get("gap_after", "")))
    return "".join([*pieces, own_text(leaves[-1])])


def own_text(chunk: StoredChunk) -> str:
    """Return a chunk's text without what was put around it."""
    return chunk.content[len(chunk.prefix) : len(chunk.content) - len(chunk.suffix)]
