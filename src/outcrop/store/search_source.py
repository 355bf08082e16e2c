"""The store as search sees it: one read transaction."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from outcrop.model.candidate import Candidate, Matches, TermStatistics
from outcrop.model.embedder_identity import EmbedderIdentity
from outcrop.store.batch import Rows, Statement, array_literal, fetch_all
from outcrop.store.chunk_source import (
    KEEP_PLANS,
    ChunkSource,
    definitions,
    in_order,
    read_candidates,
)
from outcrop.store.lexical.postings import STATE, WordsState
from outcrop.store.lexical.query import (
    MAX_CANDIDATES,
    STATISTICS,
    LexicalSearch,
    WordSearch,
    best_first,
    count_chunks,
    read_statistics,
    read_terms,
    term_statistics,
    weigh_terms,
)
from outcrop.store.section_source import SectionSource
from outcrop.store.sketches.rounded import VectorsState
from outcrop.store.sketches.table import BLOCKS, SketchState
from outcrop.store.vectors import VectorSearch

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from outcrop.model.candidate import LexicalQuery, NameQuery, VectorQuery
    from outcrop.model.filter import Filter
    from outcrop.store.database import Connection, Database
    from outcrop.store.filters import Resolved
    from outcrop.store.lexical.postings import PostingLists
    from outcrop.store.lexical.query import WeighedTerm
    from outcrop.store.sketches.rounded import RoundedVectors
    from outcrop.store.sketches.view import SketchView

# For a query with many alternatives the planner would prefer a slower sequential scan.
_BY_INDEX = "set_config('enable_seqscan', 'off', true)"
_SETTINGS = Statement(f"SELECT {KEEP_PLANS}")
_SETTINGS_WITH_TERMS = Statement(f"SELECT {KEEP_PLANS}, {_BY_INDEX}")
# What is known of the index: read first in a view.
_STATE = Statement(f"""
SELECT (SELECT value::text FROM index_settings WHERE key = 'embedder') AS embedder,
    blocks.*, words.*
FROM ({BLOCKS}) blocks, ({STATE}) words
""")  # noqa: S608 - constants
# A search, and the statements of its scans.
_Started = tuple[WordSearch, LexicalSearch]


@contextmanager
def open_source(
    database: Database, *, terms: Collection[str] = ()
) -> Iterator[PostgresSource]:
    """Open a view of a database in a transaction that sees one state throughout.

    Args:
        database: The open database.
        terms: Terms whose statistics will be wanted, to be read at once.
    """
    first = [_SETTINGS, _STATE]
    if terms:
        statistics = Statement(STATISTICS, {"terms": array_literal(terms)})
        first = [_SETTINGS_WITH_TERMS, _STATE, statistics]
    with database.view(*first) as (connection, (_, state, *found)):
        known = dict.fromkeys(terms) | term_statistics(*found)
        yield PostgresSource(connection, database, state[0], known)


class PostgresSource(ChunkSource, SectionSource):
    """A `CandidateSource` on one read transaction; see there for the methods."""

    def __init__(
        self,
        connection: Connection,
        database: Database,
        state: Sequence[Any],
        known: dict[str, TermStatistics | None],
    ) -> None:
        """Read through a connection.

        Args:
            connection: In a transaction that sees one state throughout.
            database: Keeps what was read before: sketches of embeddings, and words.
            state: What the transaction sees of the index.
            known: The statistics of terms; None for a term that no chunk contains.
        """
        super().__init__(connection)
        self._statistics = known
        embedder, is_complete, keys, table, batches, average = state
        self._embedder = EmbedderIdentity(**json.loads(embedder)) if embedder else None
        self._database = database
        self._words_state = WordsState(table, batches or "", average)
        self._sketch_state = SketchState.of(is_complete, keys)

    def embedder(self) -> EmbedderIdentity | None:
        """Return the embedder of the index."""
        return self._embedder

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

    def indexed_terms(
        self, start: str, *, min_length: int, max_length: int
    ) -> Mapping[str, int]:
        """See `CandidateSource.indexed_terms`."""
        return read_terms(self._connection, start, min_length, max_length)

    def matches(
        self,
        *,
        lexical: Sequence[LexicalQuery] = (),
        vector: VectorQuery | None = None,
        names: NameQuery | None = None,
        restriction: Filter | None = None,
    ) -> Matches:
        """Run several searches, without waiting for one before the next."""
        connection, resolved = self._connection, self._resolve(restriction)
        words = [self._weigh(query, resolved) for query in lexical]
        started = [each for each in words if each is not None]
        lists = self._find_lists(started, resolved)
        statements = _first_scans(started) if lists is None else []
        scans = len(statements)
        if names is not None and names.names:
            statements.append(definitions(names, resolved))
        near = None
        if vector is not None and vector.limit > 0:
            near = VectorSearch(vector, resolved, *self._read_vectors())
        left: list[_Started] = []

        def meanwhile() -> Iterator[Statement]:
            """Compare sketches while the server looks for words, or the reverse."""
            if near is not None:
                yield from near.scans()
            if lists is not None:
                left.extend(each for each in started if not each[0].find_in(lists))

        # Words in memory need no database.
        asks = bool(statements) or near is not None
        rows = fetch_all(connection, statements, meanwhile) if asks else []
        if not asks:
            list(meanwhile())
        nearest = near.result(connection, rows.pop()) if near else []
        if lists is not None:
            rows_left = fetch_all(connection, _first_scans(left))
            _finish_scans(connection, left, rows_left)
        else:
            _finish_scans(connection, started, rows[:scans])
        return Matches(
            lexical=[[] if each is None else each[0].result() for each in words],
            nearest=nearest,
            definitions=[
                chunk_id for found in rows[scans:] for *_, chunk_id in in_order(found)
            ],
        )

    def _find_lists(
        self, started: Sequence[_Started], resolved: Resolved
    ) -> PostingLists | None:
        """Return the words in memory, where a search can use them."""
        if not started or resolved.restricts:
            return None
        chunks = started[0][0].chunks
        return self._database.postings.find(self._words_state, chunks)

    def _read_vectors(self) -> tuple[SketchView | None, RoundedVectors | None]:
        """Return the sketches, None if some may be missing, and the vectors in memory."""
        is_complete, keys = self._sketch_state
        if not is_complete or self._embedder is None:
            return None, None
        database, dimension = self._database, self._embedder.dimension
        sketches = database.sketches.view(self._connection, keys, dimension)
        state = VectorsState(keys, dimension)
        return sketches, database.vectors.find(state, len(sketches))

    def _weigh(self, query: LexicalQuery, resolved: Resolved) -> _Started | None:
        """Return a search and its scans; None if no chunk can match."""
        terms = weigh_terms(query.terms, self.statistics(query.terms))
        if not terms or query.limit < 1:
            return None
        few = resolved.leaves_at_most(MAX_CANDIDATES)
        scans = LexicalSearch(self._connection, terms, query.limit, resolved)
        search = WordSearch(query, terms, few=few, filtered=resolved.restricts)
        return search, scans

    def candidates(
        self,
        ids: Collection[str],
        *,
        vector: NDArray[np.float32] | None = None,
        weights: Mapping[str, float] | None = None,
        terms: Sequence[str] = (),
    ) -> list[Candidate]:
        """Return chunks as candidates."""
        lists = self._database.postings.peek(self._words_state)
        scored = None
        if lists is not None and vector is not None:
            df = {
                term: each.df for term, each in self.statistics(weights or ()).items()
            }
            scored = lists.score({term: (weights or {})[term] for term in df}, df)
        return read_candidates(
            self._connection,
            ids,
            vector=vector,
            weights=weights,
            terms=terms,
            scored=scored,
        )

    # For an index in several databases, of which this is one

    def count_chunks(self) -> int:
        """Return the number of chunks with indexed words."""
        return count_chunks(self._connection)

    def lexical_search(
        self, terms: Sequence[WeighedTerm], limit: int, restriction: Filter | None
    ) -> tuple[LexicalSearch, Resolved]:
        """Return a search by words with given weights, and the filter it applies."""
        resolved = self._resolve(restriction)
        return LexicalSearch(self._connection, terms, limit, resolved), resolved

    def ranked_definitions(
        self, names: NameQuery, restriction: Filter | None
    ) -> list[tuple[int, str]]:
        """Return chunks that define one of these names: a rank, and the id."""
        if not names.names:
            return []
        query = definitions(names, self._resolve(restriction))
        (rows,) = fetch_all(self._connection, [query])
        return in_order(rows)


def _first_scans(started: Sequence[_Started]) -> list[Statement]:
    """Return the first scan of each search."""
    return [
        scans.scan(search.first_query(), few=search.few) for search, scans in started
    ]


def _finish_scans(
    connection: Connection, started: Sequence[_Started], rows: Sequence[Rows]
) -> None:
    """Run the further scans of the searches that need some.

    Args:
        connection: In the transaction of the searches.
        started: The searches.
        rows: What their first scans found.
    """
    while started:
        more = [
            (search, scans, query)
            for (search, scans), found in zip(started, rows, strict=True)
            if (query := search.next_query(best_first(found))) is not None
        ]
        started = [(search, scans) for search, scans, _ in more]
        statements = [
            scans.scan(query, few=search.few) for search, scans, query in more
        ]
        rows = fetch_all(connection, statements)
