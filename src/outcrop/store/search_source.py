"""The store as search sees it: one read transaction."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from outcrop.store import candidates, neighbours
from outcrop.store.embeddings import read_embedder
from outcrop.store.lexical.query import read_statistics, search_words
from outcrop.store.nodes import match_nodes
from outcrop.store.vector import search_vectors

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from outcrop.model.candidate import (
        Candidate,
        ChunkRef,
        Match,
        Neighbour,
        SectionSpan,
        TermStatistics,
    )
    from outcrop.model.embedder_identity import EmbedderIdentity
    from outcrop.model.filter import Filter
    from outcrop.model.stored import StoredChunk
    from outcrop.store.database import Connection, Database


@contextmanager
def open_source(database: Database) -> Iterator[PostgresSource]:
    """Open a view of a database in a transaction that sees one state throughout."""
    with database.read() as connection:
        yield PostgresSource(connection, database.info.vector_version)


class PostgresSource:
    """A `CandidateSource` on one read transaction; see there for the methods."""

    def __init__(self, connection: Connection, vector_version: tuple[int, ...]) -> None:
        """Read through a connection.

        Args:
            connection: In a transaction that sees one state throughout.
            vector_version: Version of the pgvector extension.
        """
        self._connection = connection
        self._vector_version = vector_version
        # Statistics by term, None for terms that no chunk contains: the transaction
        # sees one state, so each term is looked up once.
        self._statistics: dict[str, TermStatistics | None] = {}

    def embedder(self) -> EmbedderIdentity | None:
        """Return the embedder of the index."""
        return read_embedder(self._connection)

    def statistics(self, terms: Iterable[str]) -> dict[str, TermStatistics]:
        """Return the statistics of terms."""
        wanted = list(terms)
        missing = [term for term in wanted if term not in self._statistics]
        if missing:
            self._statistics |= dict.fromkeys(missing)
            self._statistics |= read_statistics(self._connection, missing)
        return {
            term: known
            for term in wanted
            if (known := self._statistics[term]) is not None
        }

    def lexical_matches(
        self,
        terms: Mapping[str, int],
        *,
        limit: int,
        exact: int | None = None,
        max_chunks: int | None = None,
        restriction: Filter | None = None,
    ) -> list[Match]:
        """Return the best chunks by BM25."""
        return search_words(
            self._connection,
            terms,
            limit=limit,
            exact=exact,
            max_chunks=max_chunks,
            restriction=restriction,
            statistics=self.statistics(terms),
        )

    def vector_matches(
        self,
        vector: NDArray[np.float32],
        *,
        limit: int,
        min_effort: int | None = None,
        restriction: Filter | None = None,
    ) -> list[Match]:
        """Return the chunks nearest to a vector."""
        return search_vectors(
            self._connection,
            vector,
            limit=limit,
            min_effort=min_effort,
            restriction=restriction,
            vector_version=self._vector_version,
        )

    def definitions(
        self,
        names: Sequence[str],
        *,
        limit: int,
        restriction: Filter | None = None,
    ) -> list[str]:
        """Return the ids of chunks that define one of these names."""
        return candidates.find_definitions(
            self._connection, names, limit=limit, restriction=restriction
        )

    def candidates(
        self,
        ids: Collection[str],
        *,
        vector: NDArray[np.float32] | None = None,
        weights: Mapping[str, float] | None = None,
        terms: Sequence[str] = (),
    ) -> list[Candidate]:
        """Return chunks as candidates."""
        return candidates.read_candidates(
            self._connection, ids, vector=vector, weights=weights, terms=terms
        )

    def sections(self, ids: Collection[str]) -> list[SectionSpan]:
        """Return those of the given chunks that are sections with subsections."""
        return candidates.read_sections(self._connection, ids)

    def leaves(
        self, ranges: Sequence[tuple[str, int, int]]
    ) -> list[tuple[StoredChunk, str | None]]:
        """Return leaves with the summaries of their documents."""
        return candidates.read_leaves(self._connection, ranges)

    def neighbours(
        self,
        ends: Collection[str],
        *,
        leaving: Collection[str],
        entering: Collection[str],
        limit: int,
        restriction: Filter | None = None,
    ) -> list[Neighbour]:
        """Return the chunks one edge away."""
        return neighbours.read_neighbours(
            self._connection,
            ends,
            leaving=leaving,
            entering=entering,
            limit=limit,
            restriction=restriction,
        )

    def find_node(self, symbol: str) -> str | None:
        """Return the id of the node that a name most likely refers to."""
        nodes = match_nodes(self._connection, symbol, 1)
        return nodes[0].id if nodes else None

    def find_chunk(self, prefix: str) -> ChunkRef | None:
        """Return the only chunk whose id starts with these digits."""
        return candidates.find_chunk(self._connection, prefix)
