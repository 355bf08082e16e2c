"""Chunks related to a symbol or a chunk by the code graph."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from outcrop.errors import NotFoundError
from outcrop.model.hit import Related
from outcrop.search.folding import leave_unfolded
from outcrop.search.fusion import Ranked
from outcrop.search.hits import make_hits
from outcrop.search.passages import join_parts
from outcrop.search.relations import relation_of, strengths

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.model.candidate import Neighbour
    from outcrop.search.relations import Follow
    from outcrop.search.source import CandidateSource, SourceOpener

_MAX_NEIGHBOURS = 500
_CHUNK_ID = re.compile(r"[0-9a-f]{4,16}")


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
            limit=_MAX_NEIGHBOURS,
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
