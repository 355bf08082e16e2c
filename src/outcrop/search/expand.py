"""Following edges of the code graph from the best candidates to their neighbours.

A chunk that a good hit calls, or that documents it, is useful even without any of the
question's words; one that contains them too is more useful. So neighbours join the
candidates, keep their own score, and gain a share of the score of the hit they are
related to. The first two thirds of the hits stay as they were: a neighbour of the
answer is not the answer.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from outcrop.search.fusion import Ranked
from outcrop.search.relations import strengths

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from outcrop.model.candidate import Neighbour
    from outcrop.model.filter import Filter
    from outcrop.search.relations import Follow
    from outcrop.search.source import CandidateSource

# How many of the best candidates are expanded, and to how many neighbours in all.
_BEST = 5
_MAX_NEIGHBOURS = 100
WEIGHT = 0.3


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
        limit=_MAX_NEIGHBOURS,
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
