"""One search: candidates by words and vectors, their ranking, their texts.

All of it happens in one transaction, so that every hit is of the same state of the
index.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.search.fusion import DEFAULT_WEIGHTS, Ranked, Weights, fuse
from outcrop.search.hits import make_hit
from outcrop.search.query import Mode
from outcrop.search.sections import Found, join_parts, leave_apart
from outcrop.store.candidates import (
    read_candidates,
    read_document_summaries,
    read_leaves,
    read_term_weights,
)
from outcrop.store.lexical.query import search_words
from outcrop.store.vector import search_vectors

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from outcrop.model.hit import Hit
    from outcrop.search.query import Query
    from outcrop.store.database import Connection, Database
    from outcrop.store.records import Match, StoredChunk

# How many candidates each part gives to the fusion, at least.
_POOL = 100
_POOL_PER_HIT = 3


def search(
    database: Database,
    query: Query,
    embedding: NDArray[np.float32] | None,
    *,
    weights: Weights = DEFAULT_WEIGHTS,
) -> list[Hit]:
    """Return the best hits, best first.

    Args:
        database: The index.
        query: What is asked.
        embedding: Of the query; None in mode `text`, or where nothing is embedded.
        weights: How the parts count in mode `hybrid`.
    """
    with database.read() as connection:
        searching = _Searching(connection, query, embedding)
        version = database.info.vector_version
        if query.mode is Mode.TEXT:
            found = leave_apart(searching.by_words())
        elif query.mode is Mode.VECTOR:
            found = leave_apart(searching.by_vectors(version))
        else:
            found = join_parts(searching.by_everything(version, weights))
        return searching.make_hits(found[: query.limit])


class _Searching:
    def __init__(
        self,
        connection: Connection,
        query: Query,
        embedding: NDArray[np.float32] | None,
    ) -> None:
        self._connection = connection
        self._query = query
        self._embedding = embedding

    def by_words(self) -> list[Ranked]:
        return self._rank(self._match_words(self._query.limit), "lexical")

    def by_vectors(self, version: tuple[int, ...]) -> list[Ranked]:
        return self._rank(self._match_vectors(self._query.limit, version), "vector")

    def by_everything(self, version: tuple[int, ...], weights: Weights) -> list[Ranked]:
        pool = max(_POOL, _POOL_PER_HIT * self._query.limit)
        lexical = self._match_words(pool)
        vector = self._match_vectors(pool, version)
        ids = list(dict.fromkeys(match.id for match in (*lexical, *vector)))
        return fuse(
            read_candidates(self._connection, ids, self._embedding),
            lexical={match.id: match.score for match in lexical},
            vector={match.id: match.score for match in vector},
            terms=self._query.terms,
            term_weights=read_term_weights(self._connection, self._query.terms),
            weights=weights,
        )

    def _match_words(self, limit: int) -> list[Match]:
        return search_words(
            self._connection,
            self._query.terms,
            limit=limit,
            restriction=self._query.restriction,
        )

    def _match_vectors(self, limit: int, version: tuple[int, ...]) -> list[Match]:
        if self._embedding is None:
            return []
        return search_vectors(
            self._connection,
            self._embedding,
            limit=limit,
            restriction=self._query.restriction,
            vector_version=version,
        )

    def _rank(self, matches: Sequence[Match], part: str) -> list[Ranked]:
        """Rank by one score alone, times each chunk's boost."""
        ids = [match.id for match in matches]
        by_id = {c.id: c for c in read_candidates(self._connection, ids, None)}
        ranked = [
            Ranked(
                by_id[match.id],
                match.score * by_id[match.id].rank_boost,
                {part: match.score},
            )
            for match in matches
        ]
        ranked.sort(key=lambda r: -r.score)  # stable: ties stay as they were found
        return ranked

    def make_hits(self, found: Sequence[Found]) -> list[Hit]:
        leaves: dict[tuple[str, int], StoredChunk] = {}
        for chunk in read_leaves(self._connection, [item.place for item in found]):
            leaves[chunk.document_id, chunk.chunk_index] = chunk
        paths = {chunk.path for chunk in leaves.values()}
        summaries = read_document_summaries(self._connection, paths)
        return [
            make_hit(
                [
                    leaves[item.candidate.document_id, at]
                    for at in range(item.first, item.last + 1)
                ],
                chunk_id=item.candidate.id,
                score=item.ranked.score,
                scores=item.ranked.parts,
                terms=self._query.terms,
                document_summary=summaries.get(item.candidate.document_id),
            )
            for item in found
        ]
