"""Making hits from stored chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.model.hit import Hit, OtherPart
from outcrop.search.passages import join_text
from outcrop.text.analysis import find_ranges

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from outcrop.model.candidate import Leaf
    from outcrop.model.stored import AnyChunk
    from outcrop.search.folding import Place
    from outcrop.search.passages import Passage
    from outcrop.search.source import CandidateSource

PREAMBLE = "/__preamble__"


def make_hit(  # noqa: PLR0913 - most are fields of the hit
    leaves: Sequence[AnyChunk],
    *,
    chunk_id: str,
    headers: tuple[str, ...] | None = None,
    score: float = 0.0,
    scores: Mapping[str, float] | None = None,
    terms: Collection[str] = (),
    summaries: tuple[str | None, str | None] = (None, None),
    others: tuple[OtherPart, ...] = (),
) -> Hit:
    """Make a hit from one chunk, or from the leaves of a section.

    Args:
        leaves: The consecutive leaves of the hit, in order.
        chunk_id: The hit's id: of the chunk, of the best part or of the section.
        headers: The headings, if they differ from those of the first leaf.
        score: How well it matches.
        scores: The parts of the score.
        terms: The terms to highlight.
        summaries: Those of its section and of its document.
        others: Other parts of the same place.
    """
    first, last = leaves[0], leaves[-1]
    is_whole = len(leaves) > 1
    content = first.prefix + join_text(leaves) + last.suffix if is_whole else first.text
    best = next((leaf for leaf in leaves if leaf.id == chunk_id), first)
    headers = tuple(first.section_path) if headers is None else headers
    start = first.start_offset or 0
    return Hit(
        id=chunk_id,
        path=first.path,
        content=content,
        start_line=first.own_line,
        end_line=last.end_line or first.own_line,
        start_offset=start,
        end_offset=start if last.end_offset is None else last.end_offset,
        header_path="/" + "/".join(headers) if headers else PREAMBLE,
        headers=headers,
        breadcrumb=" > ".join([first.path, *headers]),
        score=score,
        scores=scores or {},
        highlights=tuple(find_ranges(content, terms)) if terms else (),
        kind=first.kind,
        source=first.source,
        level=first.level,
        token_count=sum(leaf.token_count or 0 for leaf in leaves),
        prefix=first.prefix,
        suffix=last.suffix,
        parts=tuple(leaf.id for leaf in leaves),
        summary=summaries[0],
        document_summary=summaries[1],
        documentation=_documentation(best),
        explanation=best.explain_md,
        symbol=best.metadata.get("fqn"),
        signature=best.metadata.get("signature"),
        node_id=best.node_id,
        others=others,
    )


Leaves = dict[tuple[str, int, int], list["Leaf"]]
"""The leaves of passages, in order, by the range of the passage."""


def read_leaves(source: CandidateSource, passages: Sequence[Passage]) -> Leaves:
    """Read the leaves of passages; inner sections are left out."""
    rows = source.leaves([passage.range for passage in passages])
    by_id = {leaf.chunk.id: leaf for leaf in rows}
    return {passage.range: _leaves_of(passage, by_id) for passage in passages}


def make_hits(
    source: CandidateSource,
    places: Sequence[Place],
    terms: Collection[str] = (),
    known: Leaves | None = None,
) -> list[Hit]:
    """Read the texts of places and make hits of them, in the same order.

    `known` has leaves that were read before.
    """
    leaves = dict(known or {})
    passages = [passage for place in places for passage in (place.best, *place.others)]
    missing = [passage for passage in passages if passage.range not in leaves]
    if missing:
        leaves |= read_leaves(source, missing)
    return [_make_hit(place, leaves, terms) for place in places]


def _make_other(leaves: Sequence[Leaf], passage: Passage) -> OtherPart:
    first, last = leaves[0].chunk, leaves[-1].chunk
    return OtherPart(
        id=passage.id,
        path=first.path,
        start_line=first.own_line,
        end_line=last.end_line or first.own_line,
        score=passage.ranked.score,
    )


def _make_hit(place: Place, leaves: Leaves, terms: Collection[str]) -> Hit:
    passage = place.best
    own = leaves[passage.range]
    best = next((leaf for leaf in own if leaf.chunk.id == passage.id), own[0])
    return make_hit(
        [leaf.chunk for leaf in own],
        chunk_id=passage.id,
        headers=passage.section.section_path if passage.section else None,
        score=passage.ranked.score,
        scores=passage.ranked.parts,
        terms=terms,
        summaries=(best.summary, best.document_summary),
        others=tuple(_make_other(leaves[other.range], other) for other in place.others),
    )


def _leaves_of(passage: Passage, leaves: Mapping[str, Leaf]) -> list[Leaf]:
    document_id, first, last = passage.range
    if first == last and passage.section is None:
        return [leaves[passage.id]]
    found = [
        leaf
        for leaf in leaves.values()
        # An id is a hash, a place is not.
        if first <= leaf.chunk.place <= last and leaf.chunk.document_id == document_id
    ]
    return sorted(found, key=lambda leaf: leaf.chunk.place)


def _documentation(chunk: AnyChunk) -> str | None:
    rendered = chunk.content if chunk.is_rendered else None
    texts = [text for text in (rendered, chunk.uses_md, chunk.used_by_md) if text]
    return "\n\n".join(texts) or None
