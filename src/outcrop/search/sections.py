"""Sections in the place of their parts.

A section that had to be split is found by one of its parts, and is most useful as a
whole: where it is small enough it stands for them, at the rank of the best. Where
several subsections of one section are among the best, the section stands for all.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from outcrop.model.candidate import Candidate, SectionSpan
    from outcrop.model.stored import StoredChunk
    from outcrop.search.fusion import Ranked

# The most parts that are put together: about the tokens of a long answer.
MOST_PARTS = 4
# A section stands for its subsections if it has at most so many tokens, and those of the
# best so many candidates that are at least so good as its best hold so much of it. Chosen
# on public sets.
_MOST_TOKENS = 700
_BEST = 20
_LEAST_SHARE = 0.5
_LEAST_SCORE = 0.5


@dataclass(frozen=True, slots=True)
class Found:
    """A hit in the making.

    Attributes:
        ranked: The best candidate.
        first: Place of the first chunk it stands for.
        last: Place of the last one.
        section: The section that stands for its subsections, where one does.
    """

    ranked: Ranked
    first: int
    last: int
    section: SectionSpan | None = None

    @property
    def candidate(self) -> Candidate:
        """The best candidate."""
        return self.ranked.candidate

    @property
    def id(self) -> str:
        """The id of the hit."""
        return self.candidate.id if self.section is None else self.section.id

    @property
    def place(self) -> tuple[str, int, int]:
        """The document, and the places of the first and the last chunk."""
        return self.candidate.document_id, self.first, self.last


def parents_of_best(ranked: Sequence[Ranked]) -> list[str]:
    """Return the parents of several of the best candidates."""
    children = _children_of_best(ranked)
    return [parent for parent, found in children.items() if len(found) > 1]


def _children_of_best(ranked: Sequence[Ranked]) -> dict[str, list[Candidate]]:
    """Return those of the best candidates that match nearly as well as a sibling."""
    children: defaultdict[str, list[Candidate]] = defaultdict(list)
    best: dict[str, float] = {}
    for item in ranked[:_BEST]:
        parent = item.candidate.parent_id
        if parent is not None and item.score >= _LEAST_SCORE * best.get(parent, 0.0):
            best.setdefault(parent, item.score)
            children[parent].append(item.candidate)
    return children


def choose_sections(
    ranked: Sequence[Ranked], sections: Iterable[SectionSpan]
) -> dict[str, SectionSpan]:
    """Return the sections that stand for their subsections, by id."""
    children = _children_of_best(ranked)
    return {
        section.id: section
        for section in sections
        if section.tokens <= _MOST_TOKENS
        and len({child.section for child in children[section.id]}) > 1
        and sum(child.token_count for child in children[section.id])
        >= _LEAST_SHARE * section.tokens
    }


def join_parts(
    ranked: Iterable[Ranked],
    sections: dict[str, SectionSpan] | None = None,
    *,
    most_parts: int = MOST_PARTS,
) -> list[Found]:
    """Let sections stand for their parts; everything else for itself.

    Args:
        ranked: From the best on.
        sections: Those that stand for their subsections.
        most_parts: Of a section that was split and comes as a whole.
    """
    found: list[Found] = []
    taken: set[tuple[str, int]] = set()
    for item in ranked:
        candidate = item.candidate
        if (candidate.document_id, candidate.chunk_index) in taken:
            continue
        joined = _join(item, sections or {}, most_parts)
        # What stands inside something larger that came before is left out there.
        found.append(joined)
        taken.update(
            (candidate.document_id, at) for at in range(joined.first, joined.last + 1)
        )
    return found


def _join(item: Ranked, sections: dict[str, SectionSpan], most_parts: int) -> Found:
    candidate = item.candidate
    section = sections.get(candidate.parent_id or "")
    if section is not None:
        return Found(item, section.first, section.last, section)
    if candidate.parts is None or candidate.parts > most_parts:
        return Found(item, candidate.chunk_index, candidate.chunk_index)
    first = candidate.section[1]
    return Found(item, first, first + candidate.parts - 1)


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
