"""Following edges of the code graph: from the best candidates, or from one symbol.

A chunk that a good hit calls, or that documents it, is useful even without any of the
question's words; one that contains them too is more useful. So neighbours join the
candidates, keep their own score, and gain a share of the score of the hit they are
related to. The first two thirds of the hits stay as they were: a neighbour of the
answer is not the answer.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from outcrop.errors import NotFoundError
from outcrop.model.hit import Related
from outcrop.search.folding import leave_unfolded
from outcrop.search.fusion import Ranked
from outcrop.search.hits import make_hits
from outcrop.search.passages import join_parts
from outcrop.search.relations import relation_of, strengths

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from outcrop.model.candidate import Neighbour
    from outcrop.model.filter import Filter
    from outcrop.search.relations import Follow
    from outcrop.search.source import CandidateSource, SourceOpener

# How many of the best candidates are expanded, and to how many neighbours in all.
_BEST = 5
_MAX_EXPANDED = 100
WEIGHT = 0.3
# Of one symbol or chunk, in the order of their certainty.
_MAX_RELATED = 500
_CHUNK_ID = re.compile(r"[0-9a-f]{4,16}")


def find_neighbours(
    source: CandidateSource,
    ranked: Sequence[Ranked],
    follow: Follow,
    restriction: Filter | None,
) -> list[Neighbour]:
    """Return the neighbours of the best candidates."""
    return source.neighbours(
        [end_of(item) for item in ranked[:_BEST]],
        leaving=follow.leaving,
        entering=follow.entering,
        limit=_MAX_EXPANDED,
        restriction=restriction,
    )


def end_of(item: Ranked) -> str:
    """Return the id that edges of a candidate start from: its node's or its own."""
    return item.candidate.node_id or item.candidate.id


def gains(
    neighbours: Sequence[Neighbour], ranked: Sequence[Ranked]
) -> dict[str, float]:
    """Return what each chunk gains from the best candidates, by its id."""
    scores: dict[str, float] = {}
    for item in ranked[:_BEST]:
        scores.setdefault(end_of(item), item.score)
    gained: defaultdict[str, float] = defaultdict(float)
    for neighbour, strength in zip(neighbours, strengths(neighbours), strict=True):
        gain = WEIGHT * strength * scores[neighbour.end]
        gained[neighbour.chunk_id] = max(gained[neighbour.chunk_id], gain)
    return dict(gained)


def add_gains(
    before: Sequence[Ranked],
    again: Sequence[Ranked],
    gained: Mapping[str, float],
    limit: int,
) -> list[Ranked]:
    """Add gains to all candidates after the first two thirds of the hits.

    `before` is the ranking without neighbours, `again` the one with them.
    """
    top = [_with_gain(item, 0.0, item.score) for item in before[: limit - limit // 3]]
    top_ids = {item.candidate.id for item in top}
    ceiling = top[-1].score if top else 0.0
    rest = [
        _with_gain(item, gained.get(item.candidate.id, 0.0), ceiling)
        for item in again
        if item.candidate.id not in top_ids
    ]
    rest.sort(key=lambda item: (-item.score, item.candidate.id))
    return top + rest


def _with_gain(item: Ranked, gain: float, ceiling: float) -> Ranked:
    score = min(item.score + gain, ceiling)
    parts = {**item.parts, "graph": max(0.0, score - item.score)}
    return Ranked(item.candidate, score, parts)


def find_related(
    open_source: SourceOpener, symbol_or_chunk: str, follow: Follow, limit: int
) -> list[Related]:
    """Return what is related to a symbol or a chunk, the strongest relation first.

    The most certain relations come first, and among equally certain ones the closest.

    Raises:
        NotFoundError: There is no such symbol and no such chunk.
    """
    with open_source() as source:
        ends = _find_ends(source, symbol_or_chunk)
        neighbours = source.neighbours(
            ends,
            leaving=follow.leaving,
            entering=follow.entering,
            limit=_MAX_RELATED,
        )
        best = _strongest(neighbours)
        candidates = source.candidates([c for c in best if c not in ends])
        ranked = [
            Ranked(c, best[c.id][1], {"graph": best[c.id][1]}) for c in candidates
        ]
        ranked.sort(key=lambda item: _order(item, best[item.candidate.id][0]))
        passages = join_parts(ranked)[:limit]
        hits = make_hits(source, leave_unfolded(passages, limit))
    return [
        Related(
            hit=hit,
            relation=relation_of(neighbour),
            confidence=neighbour.confidence,
            resolution=neighbour.resolution,
        )
        for hit, passage in zip(hits, passages, strict=True)
        for neighbour in [best[passage.candidate.id][0]]
    ]


def _find_ends(source: CandidateSource, symbol_or_chunk: str) -> list[str]:
    """Return the ids that edges of a symbol or a chunk start from."""
    node_id = source.find_node(symbol_or_chunk)
    if node_id is not None:
        return [node_id]
    if _CHUNK_ID.fullmatch(symbol_or_chunk):
        chunk = source.find_chunk(symbol_or_chunk)
        if chunk is not None:
            return chunk.ends
    raise NotFoundError(
        f"there is no symbol and no chunk {symbol_or_chunk!r} in the index; give a"
        " qualified name, the end of one, or the id of a chunk"
    )


def _order(item: Ranked, neighbour: Neighbour) -> tuple[float, float, str, int]:
    """Return the sort key: certainty, strength, then the position in the files."""
    candidate = item.candidate
    return -neighbour.confidence, -item.score, candidate.path, candidate.place


def _strongest(
    neighbours: Sequence[Neighbour],
) -> dict[str, tuple[Neighbour, float]]:
    """Return the strongest relation to each chunk."""
    strongest: dict[str, tuple[Neighbour, float]] = {}
    for neighbour, strength in zip(neighbours, strengths(neighbours), strict=True):
        known = strongest.get(neighbour.chunk_id)
        certainty = neighbour.confidence, strength
        if known is None or certainty > (known[0].confidence, known[1]):
            strongest[neighbour.chunk_id] = (neighbour, strength)
    return strongest
