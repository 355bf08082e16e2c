"""One search: candidates by words and vectors, their ranking, their texts.

All of it sees one state of the index, and every hit is of that state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from psycopg.errors import InvalidRegularExpression

from outcrop.errors import InputError, SchemaVersionError, StorageError
from outcrop.model.embedder_identity import EmbedderIdentity
from outcrop.search.expand import add_gains, find_related, gains
from outcrop.search.fusion import DEFAULT_RANKING, Ranked, Ranking, fuse
from outcrop.search.gather import Gatherer
from outcrop.search.hits import make_hits
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
    read_sections,
)
from outcrop.store.lexical.query import search_words
from outcrop.store.vector import read_embedder, search_vectors

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from outcrop.model.candidate import Match
    from outcrop.model.hit import Hit
    from outcrop.providers.embedder import Embedder
    from outcrop.search.query import Query
    from outcrop.search.signals.signal import Pool
    from outcrop.store.database import Connection, Database


def search(
    database: Database,
    query: Query,
    embedder: Embedder,
    *,
    ranking: Ranking = DEFAULT_RANKING,
) -> list[Hit]:
    """Return the best hits, best first.

    Args:
        database: The index.
        query: What is asked.
        embedder: Has to be the one of the index, except in mode `text`.
        ranking: How candidates are ranked in mode `hybrid`.

    Raises:
        InputError: A pattern for paths cannot be read.
        SchemaVersionError: The index was built with another embedder.
    """
    try:
        return _search(database, query, embedder, ranking)
    except StorageError as error:
        if not isinstance(error.__cause__, InvalidRegularExpression):
            raise
        globs = query.restriction.path_globs if query.restriction else ()
        raise InputError(
            f"path_glob is {', '.join(map(repr, globs))}, which is no pattern"
        ) from error


def _search(
    database: Database, query: Query, embedder: Embedder, ranking: Ranking
) -> list[Hit]:
    needs_vector = query.mode is not Mode.TEXT
    # Before a connection is taken: a remote embedder may be slow.
    embedding = embedder.embed([query.text])[0] if needs_vector else None
    with database.read() as connection:
        if needs_vector and not _is_bound(read_embedder(connection), embedder):
            return []
        searching = _Searching(connection, query)
        if embedding is None:
            found = leave_apart(searching.by_words())
        elif query.mode is Mode.VECTOR:
            found = leave_apart(
                searching.by_vectors(embedding, database.info.vector_version)
            )
        else:
            gatherer = Gatherer(
                database, connection, query, embedding, embedder, ranking
            )
            pool = gatherer.gather()
            ranked = fuse(pool, ranking)
            if query.follow:
                ranked = _expand(connection, query, gatherer, pool, ranked, ranking)
            found = searching.join(ranked)
        return make_hits(connection, found[: query.limit], query.terms)


def _is_bound(bound: EmbedderIdentity | None, embedder: Embedder) -> bool:
    """Say whether anything was embedded, and refuse what another model embedded."""
    if bound is None:
        return False
    identity = EmbedderIdentity(name=embedder.name, dimension=embedder.dimension)
    if bound != identity:
        raise SchemaVersionError(
            f"the index was built with embedder {bound}, but {identity} is configured;"
            f" use --embedder {bound.name}, or run: outcrop reembed"
        )
    return True


def _expand(
    connection: Connection,
    query: Query,
    gatherer: Gatherer,
    pool: Pool,
    ranked: Sequence[Ranked],
    ranking: Ranking,
) -> list[Ranked]:
    """Rank again, with what the best candidates are related to."""
    related = find_related(connection, ranked, query.follow, query.restriction)
    gained = gains(related, ranked)
    again = fuse(gatherer.extend(pool, gained), ranking)
    return add_gains(ranked, again, gained, query.limit)


class _Searching:
    def __init__(self, connection: Connection, query: Query) -> None:
        self._connection = connection
        self._query = query

    def by_words(self) -> list[Ranked]:
        query = self._query
        found = search_words(
            self._connection,
            query.terms,
            limit=query.limit,
            restriction=query.restriction,
        )
        return self._rank(found, "lexical")

    def by_vectors(
        self, embedding: NDArray[np.float32], version: tuple[int, ...]
    ) -> list[Ranked]:
        query = self._query
        found = search_vectors(
            self._connection,
            embedding,
            limit=query.limit,
            restriction=query.restriction,
            vector_version=version,
        )
        return self._rank(found, "vector")

    def _rank(self, matches: Sequence[Match], part: str) -> list[Ranked]:
        """Rank by one score alone, times each chunk's boost."""
        ids = [match.id for match in matches]
        by_id = {c.id: c for c in read_candidates(self._connection, ids)}
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
