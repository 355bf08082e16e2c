"""Following edges of the code graph from the best candidates to what is related.

A chunk that is called by a good hit, or that documents it, is worth a look even where
it says none of the question's words; one that says them too is worth more. So what is
related joins the candidates, keeps what it is worth by itself, and gains a share of
what it is related to. The first two thirds of the hits stay as they were: what is
related to the answer is not the answer.
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
    """Return what edges of a candidate start from: its node, or the chunk itself."""
    return item.candidate.node_id or item.candidate.id


def gains(
    neighbours: Sequence[Neighbour], ranked: Sequence[Ranked]
) -> dict[str, float]:
    """Return what each chunk gains from the best it is related to, by its id."""
    scores: dict[str, float] = {}
    for item in ranked[:_BEST]:
        scores.setdefault(end_of(item), item.score)
    found: defaultdict[str, float] = defaultdict(float)
    for neighbour, strength in zip(neighbours, strengths(neighbours), strict=True):
        gain = WEIGHT * strength * scores[neighbour.end]
        found[neighbour.chunk_id] = max(found[neighbour.chunk_id], gain)
    return dict(found)


def add_gains(
    before: Sequence[Ranked],
    again: Sequence[Ranked],
    gained: Mapping[str, float],
    limit: int,
) -> list[Ranked]:
    """Rank what follows the best hits again, with what was gained.

    Args:
        before: From the best on, without what is related.
        again: The same with what is related.
        gained: By the candidates' ids.
        limit: How many hits there will be.
    """
    top = [_with_gain(item, 0.0, item.score) for item in before[: limit - limit // 3]]
    kept = {item.candidate.id for item in top}
    most = top[-1].score if top else 0.0
    rest = [
        _with_gain(item, gained.get(item.candidate.id, 0.0), most)
        for item in again
        if item.candidate.id not in kept
    ]
    rest.sort(key=lambda item: (-item.score, item.candidate.id))
    return top + rest


def _with_gain(item: Ranked, gain: float, most: float) -> Ranked:
    score = min(item.score + gain, most)
    parts = {**item.parts, "graph": max(0.0, score - item.score)}
    return Ranked(item.candidate, score, parts)
