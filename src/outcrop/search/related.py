"""What is related to a symbol or a chunk: the chunks next to it in the code graph."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from outcrop.errors import NotFoundError
from outcrop.model.related import Related
from outcrop.search.fusion import Ranked
from outcrop.search.hits import make_hits
from outcrop.search.relations import relation_of, strengths
from outcrop.search.sections import join_parts
from outcrop.store.candidates import read_candidates
from outcrop.store.neighbours import read_neighbours

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.model.candidate import Neighbour
    from outcrop.search.relations import Follow
    from outcrop.store.database import Database
    from outcrop.store.store import PostgresStore

_MOST_NEIGHBOURS = 500
_CHUNK_ID = re.compile(r"[0-9a-f]{4,16}")


def find_ends(store: PostgresStore, symbol_or_chunk: str) -> list[str]:
    """Return the ids from which edges of a symbol or of a chunk lead.

    Raises:
        NotFoundError: There is neither.
    """
    nodes = store.find_nodes(symbol_or_chunk, limit=1)
    if nodes:
        return [nodes[0].id]
    if _CHUNK_ID.fullmatch(symbol_or_chunk):
        chunks = store.find_chunks(symbol_or_chunk, limit=2)
        if len(chunks) == 1:
            return [end for end in (chunks[0].node_id, chunks[0].id) if end]
    raise NotFoundError(
        f"there is no symbol and no chunk {symbol_or_chunk!r} in the index; give a"
        " qualified name, the end of one, or the id of a chunk"
    )


def find_related(
    database: Database, ends: Sequence[str], follow: Follow, limit: int
) -> list[Related]:
    """Return what is next to some nodes or chunks, the strongest relation first.

    Args:
        database: The index.
        ends: Ids of nodes, and of chunks of documents.
        follow: Which edges to follow.
        limit: How many at most.
    """
    with database.read() as connection:
        neighbours = read_neighbours(
            connection,
            ends,
            leaving=follow.leaving,
            entering=follow.entering,
            limit=_MOST_NEIGHBOURS,
        )
        best = _strongest(neighbours)
        candidates = read_candidates(connection, [c for c in best if c not in ends])
        ranked = [
            Ranked(c, best[c.id][1], {"graph": best[c.id][1]}) for c in candidates
        ]
        ranked.sort(key=_order)
        found = join_parts(ranked)[:limit]
        hits = make_hits(connection, found)
    return [
        Related(
            hit=hit,
            relation=relation_of(neighbour),
            confidence=neighbour.confidence,
            resolution=neighbour.resolution,
        )
        for hit, item in zip(hits, found, strict=True)
        for neighbour in [best[item.candidate.id][0]]
    ]


def _order(item: Ranked) -> tuple[float, str, int]:
    """Return what to sort by: strength, then the place in the files."""
    return -item.score, item.candidate.path, item.candidate.chunk_index


def _strongest(
    neighbours: Sequence[Neighbour],
) -> dict[str, tuple[Neighbour, float]]:
    """Return the strongest relation to each chunk."""
    found: dict[str, tuple[Neighbour, float]] = {}
    for neighbour, strength in zip(neighbours, strengths(neighbours), strict=True):
        known = found.get(neighbour.chunk_id)
        if known is None or strength > known[1]:
            found[neighbour.chunk_id] = (neighbour, strength)
    return found
