"""Merging candidates into passages: sections replace their parts.

A section that had to be split is found by one of its parts but is most useful as a
whole: if it is small enough it replaces them, at the rank of the best. Of a longer one,
parts that are near each other and both among the best are merged, with what is between
them. If several subsections of one section are among the best, the section replaces all
of them.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from outcrop.model.candidate import Candidate, SectionSpan
    from outcrop.model.stored import AnyChunk
    from outcrop.search.fusion import Ranked

# A split section is merged if it has at most this many parts: about a long answer.
MAX_PARTS = 4
# Of a longer one, at most this many parts are merged, with at most one part between two
# that match.
_MAX_MERGED = 6
_MAX_STEP = 2
# A section with more parts is a text of many pages, and no longer one place in it.
MAX_PLACE_PARTS = 20

# A section replaces its subsections if all of the following hold. The values were
# chosen on public retrieval sets.
# The section has at most this many tokens.
_MAX_SECTION_TOKENS = 700
# Only subsections among this many of the best candidates count.
_TOP_CANDIDATES = 20
# Only subsections that score at least this share of the best one among them count.
_MIN_SCORE_SHARE = 0.5
# The subsections that count hold at least this share of the section's tokens.
_MIN_TOKEN_SHARE = 0.5


class Passage(NamedTuple):
    """Consecutive chunks of a document that become one hit.

    Attributes:
        ranked: The best candidate among them.
        first: Index of the first chunk.
        last: Index of the last chunk.
        section: The section that replaces its subsections, if one does.
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
    def range(self) -> tuple[str, int, int]:
        """The document, and the indexes of the first and the last chunk."""
        return self.candidate.document_id, self.first, self.last


def parents_of_best(ranked: Sequence[Ranked]) -> list[str]:
    """Return the ids of parents that have several sections among the top candidates."""
    children = _children_of_best(ranked)
    return [parent for parent, siblings in children.items() if _has_several(siblings)]


def _has_several(siblings: Iterable[Candidate]) -> bool:
    """Return whether candidates are of several sections, and not parts of one."""
    return len({child.section for child in siblings}) > 1


def _children_of_best(ranked: Sequence[Ranked]) -> dict[str, list[Candidate]]:
    """Return the top candidates by parent, without those far below a sibling."""
    children: defaultdict[str, list[Candidate]] = defaultdict(list)
    best: dict[str, float] = {}
    for item in ranked[:_TOP_CANDIDATES]:
        parent = item.candidate.parent_id
        if parent is not None and item.score >= _MIN_SCORE_SHARE * best.get(
            parent, 0.0
        ):
            best.setdefault(parent, item.score)
            children[parent].append(item.candidate)
    return children


def choose_sections(
    ranked: Sequence[Ranked], sections: Iterable[SectionSpan]
) -> dict[str, SectionSpan]:
    """Return the sections that replace their subsections, by id."""
    children = _children_of_best(ranked)
    return {
        section.id: section
        for section in sections
        if section.tokens <= _MAX_SECTION_TOKENS
        and _has_several(children[section.id])
        and sum(child.token_count for child in children[section.id])
        >= _MIN_TOKEN_SHARE * section.tokens
    }


def join_parts(
    ranked: Sequence[Ranked], sections: dict[str, SectionSpan] | None = None
) -> list[Passage]:
    """Merge candidates into passages; those of no section become one each.

    `sections` are those that replace their subsections.
    """
    matched, sections = _matched_parts(ranked), sections or {}
    passages: list[Passage] = []
    taken: defaultdict[str, set[int]] = defaultdict(set)
    for item in ranked:
        candidate = item.candidate
        done = taken[candidate.document_id]
        if candidate.place in done:
            continue
        joined = _join(item, sections)
        if joined is None:
            near = matched[candidate.section]
            joined = Passage(item, *_grow(candidate.place, near, done))
        passages.append(joined)
        if joined.first == joined.last:
            done.add(joined.first)
        else:
            done.update(range(joined.first, joined.last + 1))
    return passages


def _matched_parts(ranked: Sequence[Ranked]) -> defaultdict[tuple[str, int], list[int]]:
    """Return the places of the top candidates by split section."""
    matched: defaultdict[tuple[str, int], list[int]] = defaultdict(list)
    for item in ranked[:_TOP_CANDIDATES]:
        if (item.candidate.parts or 0) <= MAX_PLACE_PARTS:
            matched[item.candidate.section].append(item.candidate.place)
    return matched


def _join(item: Ranked, sections: dict[str, SectionSpan]) -> Passage | None:
    """Return a candidate with its whole section; None if that is too long."""
    candidate = item.candidate
    section = sections.get(candidate.parent_id or "")
    if section is not None:
        return Passage(item, section.first, section.last, section)
    if candidate.parts is None:
        return Passage(item, candidate.place, candidate.place)
    if candidate.parts > MAX_PARTS:
        return None
    first = candidate.section[1]
    return Passage(item, first, first + candidate.parts - 1)


def _grow(
    place: int, matched: Sequence[int], taken: Collection[int]
) -> tuple[int, int]:
    """Return the range around a part that reaches to matching parts near it."""
    first = last = place
    for at in sorted(matched, key=lambda at: abs(at - place)):
        low, high = min(first, at), max(last, at)
        is_near = first - low <= _MAX_STEP and high - last <= _MAX_STEP
        is_short = high - low < _MAX_MERGED
        if is_near and is_short and all(p not in taken for p in range(low, high + 1)):
            first, last = low, high
    return first, last


def leave_apart(ranked: Iterable[Ranked]) -> list[Passage]:
    """Make every candidate a passage of its own."""
    return [Passage(r, r.candidate.place, r.candidate.place) for r in ranked]


def join_text(leaves: Sequence[AnyChunk]) -> str:
    """Return the text of consecutive leaves as it is in the file."""
    pieces: list[str] = []
    for leaf in leaves[:-1]:
        pieces += (own_text(leaf), str(leaf.metadata.get("gap_after", "")))
    return "".join([*pieces, own_text(leaves[-1])])


def own_text(chunk: AnyChunk) -> str:
    """Return a chunk's text without its prefix and suffix."""
    text = chunk.text
    return text[len(chunk.prefix) : len(text) - len(chunk.suffix)]
