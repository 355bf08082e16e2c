"""One search: candidates by words and vectors, their ranking, their texts.

All of it happens in one transaction, so that every hit is of the same state of the
index.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from psycopg.errors import InvalidRegularExpression

from outcrop.errors import InputError, SchemaVersionError, StorageError
from outcrop.search.fusion import DEFAULT_WEIGHTS, Ranked, Weights, fuse
from outcrop.search.hits import make_hit
from outcrop.search.query import Mode
from outcrop.search.sections import (
    Found,
    choose_sections,
    join_parts,
    leave_apart,
    parents_of_best,
)
from outcrop.store.candidates import (
    read_candidates,
    read_leaves,
    read_sections,
    read_term_weights,
)
from outcrop.store.lexical.query import search_words
from outcrop.store.vector import EmbedderIdentity, read_embedder, search_vectors

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from outcrop.model.hit import Hit
    from outcrop.providers.embedder import Embedder
    from outcrop.search.query import Query
    from outcrop.store.database import Connection, Database
    from outcrop.store.records import Match, StoredChunk

# How many candidates each part gives to the fusion, at least.
_POOL = 50
_POOL_PER_HIT = 3


def search(
    database: Database,
    query: Query,
    embedder: Embedder,
    *,
    weights: Weights = DEFAULT_WEIGHTS,
) -> list[Hit]:
    """Return the best hits, best first.

    Args:
        database: The index.
        query: What is asked.
        embedder: Has to be the one of the index, except in mode `text`.
        weights: How the parts count in mode `hybrid`.

    Raises:
        InputError: A pattern for paths cannot be read.
        SchemaVersionError: The index was built with another embedder.
    """
    try:
        return _search(database, query, embedder, weights)
    except StorageError as error:
        if not isinstance(error.__cause__, InvalidRegularExpression):
            raise
        globs = query.restriction.path_globs if query.restriction else ()
        raise InputError(
            f"path_glob is {', '.join(map(repr, globs))}, which is no pattern"
        ) from error


def _search(
    database: Database, query: Query, embedder: Embedder, weights: Weights
) -> list[Hit]:
    needs_vector = query.mode is not Mode.TEXT
    # Before a connection is taken: a remote embedder may be slow.
    embedding = embedder.embed([query.text])[0] if needs_vector else None
    with database.read() as connection:
        if needs_vector and not _is_bound(read_embedder(connection), embedder):
            return []
        searching = _Searching(connection, query, embedding)
        version = database.info.vector_version
        if query.mode is Mode.TEXT:
            found = leave_apart(searching.by_words())
        elif query.mode is Mode.VECTOR:
            found = leave_apart(searching.by_vectors(version))
        else:
            found = searching.join(searching.by_everything(version, weights))
        return searching.make_hits(found[: query.limit])


def _is_bound(bound: EmbedderIdentity | None, embedder: Embedder) -> bool:
    """Say whether anything was embedded, and refuse what another model embedded."""
    if bound is None:
        return False
    identity = EmbedderIdentity(name=embedder.name, dimension=embedder.dimension)
    if bound != identity:
        raise SchemaVersionError(
            f"the index was built with embedder {bound}, but {identity} is configured;"
            " run: outcrop reembed"
        )
    return True


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
            exact=self._query.limit,
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

    def join(self, ranked: Sequence[Ranked]) -> list[Found]:
        """Let sections stand for what is in them, where no filter divides them."""
        restriction = self._query.restriction
        if restriction is not None and restriction.by_chunk:
            return join_parts(ranked)
        sections = read_sections(self._connection, parents_of_best(ranked))
        return join_parts(ranked, choose_sections(ranked, sections))

    def make_hits(self, found: Sequence[Found]) -> list[Hit]:
        rows = read_leaves(self._connection, [item.place for item in found])
        leaves = {(leaf.document_id, leaf.chunk_index): leaf for leaf, _ in rows}
        summaries = {leaf.document_id: summary for leaf, summary in rows}
        return [
            make_hit(
                _between(leaves, item),
                chunk_id=item.id,
                headers=item.section.section_path if item.section else None,
                score=item.ranked.score,
                scores=item.ranked.parts,
                terms=self._query.terms,
                document_summary=summaries[item.candidate.document_id],
            )
            for item in found
        ]


def _between(
    leaves: Mapping[tuple[str, int], StoredChunk], item: Found
) -> list[StoredChunk]:
    """Return the leaves from the first to the last; sections in between are none."""
    places = (
        (item.candidate.document_id, at) for at in range(item.first, item.last + 1)
    )
    return [leaves[place] for place in places if place in leaves]
