"""Ranking chunks by BM25: an exact result with one to three index scans."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import fsum
from typing import TYPE_CHECKING, Any, Protocol

from outcrop.model.candidate import LexicalQuery, Match, TermStatistics
from outcrop.store.batch import Rows, Statement, array_literal, fetch, fetch_all
from outcrop.store.filters import CHUNKS_CONDITION, LEXICAL_CONDITION
from outcrop.store.lexical.prune import Bounded, any_of, reaching, reaching_with
from outcrop.store.lexical.weights import weights_literal

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from outcrop.store.database import Connection
    from outcrop.store.filters import Resolved
    from outcrop.store.lexical.postings import PostingLists

# Of a longer query only the rarest terms count: they say what it is about.
_MAX_TERMS = 100
# Scores are computed in single precision; a threshold must not exceed the score of
# the chunk it was taken from.
_MARGIN = 1e-5
# The first scan finds a threshold: enough chunks for a good one, few enough to be
# cheap.
_MIN_CANDIDATES = 200
MAX_CANDIDATES = 3_000
# Where the first scan would read more chunks than this, it reads those whose terms add
# up to half of what a chunk with all terms could have: most of the best forty do.
_MIN_PRUNED = 1_000
_EXPECTED_SHARE = 0.5

STATISTICS = """
SELECT term, sum(df)::int AS df, max(maxw)::float8 AS maxw,
    (SELECT sum(chunks) FROM lex_batch)::bigint AS chunks
FROM (
    SELECT term, df, maxw FROM lex_df WHERE term = ANY(%(terms)s::text[])
    UNION ALL
    SELECT term, df, maxw FROM lex_delta WHERE term = ANY(%(terms)s::text[])
) both_tables
GROUP BY term HAVING sum(df) > 0
"""
# Both tables have an index by term, in the order of the code points.
_READ_TERMS = """
SELECT term, sum(df)::int FROM (
    SELECT term, df FROM lex_df
    WHERE term >= %(start)s AND term < %(end)s
        AND length(term) BETWEEN %(min)s AND %(max)s
    UNION ALL
    SELECT term, df FROM lex_delta
    WHERE term >= %(start)s AND term < %(end)s
        AND length(term) BETWEEN %(min)s AND %(max)s
) both_tables
GROUP BY term HAVING sum(df) > 0
"""
_COUNT = "SELECT coalesce(sum(chunks), 0)::bigint FROM lex_batch"
# The distance is computed once per chunk, in the subquery, and only then negated.
_RANK = """
SELECT chunk_id, -distance FROM (
    SELECT chunk_id, sv <#> %(weights)s::sparsevec AS distance
    FROM chunk_lex
    WHERE tsv @@ %(query)s::tsquery
    ORDER BY distance, chunk_id
    LIMIT {limit}
) best
"""
_RANK_FILTERED = f"""
SELECT chunk_id, -distance FROM (
    SELECT l.chunk_id, l.sv <#> %(weights)s::sparsevec AS distance
    FROM chunk_lex l
    WHERE l.tsv @@ %(query)s::tsquery AND {LEXICAL_CONDITION}
    ORDER BY distance, l.chunk_id
    LIMIT {{limit}}
) best
"""  # noqa: S608 - constants; values are bound
_RANK_FEW = f"""
SELECT chunk_id, -distance FROM (
    SELECT l.chunk_id, l.sv <#> %(weights)s::sparsevec AS distance
    FROM chunks c JOIN chunk_lex l ON l.chunk_id = c.id
    WHERE {CHUNKS_CONDITION} AND l.tsv @@ %(query)s::tsquery
    ORDER BY distance, l.chunk_id
    LIMIT {{limit}}
) best
"""  # noqa: S608 - as above


class Rank(Protocol):
    """Ranks the chunks that match a query: those of one database, or of several."""

    def __call__(self, query: str, *, few: bool = False) -> list[Match]:
        """Return the best chunks, best first, ties by id.

        Args:
            query: The terms to look for, as a `tsquery`.
            few: Whether few chunks pass the filter, so that it is applied first.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class WeighedTerm:
    """A term of a query.

    Attributes:
        text: The term.
        df: The number of chunks that contain it.
        weight: Its idf, times its count in the query.
        bound: The maximum it can add to a score.
        chunks: The number of chunks in the whole index.
    """

    text: str
    df: int
    weight: float
    bound: float
    chunks: int


class WordSearch:
    """A search for the best chunks by BM25, in a few scans of the index.

    The first scan finds chunks that contain one of the rarest terms. Another one finds
    the chunks without any of them whose score can still be among the best. Where the
    rarest terms are in many chunks, the first scan reads only those that can reach a
    score that the best ones usually have; if they do not, it is repeated with less.
    """

    def __init__(
        self,
        query: LexicalQuery,
        terms: Sequence[WeighedTerm],
        *,
        few: bool,
        filtered: bool = False,
    ) -> None:
        """Choose the terms of the first scan from some, at least one, by falling bound.

        With `few`, a filter leaves so few chunks that all of them are ranked. With any
        filter, it is not known which score the best chunks have.
        """
        self.few = few
        self._query = query
        self._terms = terms
        self._scanned = terms if few else _rarest(terms)
        self._expected = 0.0 if few or filtered else self._expect()
        self._found: list[Match] = []
        self._is_found = False  # whether these are the best with a rarest term
        self._better: list[Match] | None = None
        self._threshold = 0.0

    def first_query(self) -> str:
        """Return the query of the first scan."""
        return self._scan_from(self._expected)

    def next_query(self, found: list[Match]) -> str | None:
        """Return the query of the next scan; None if there is nothing left to find.

        `found` is what the last scan found.
        """
        if self._is_found:
            self._better = found
            return None
        if self._expected and not self._reaches(found):
            self._expected = 0.0
            is_full = len(found) == self._query.limit
            return self._scan_from(_just_below(found[-1].score) if is_full else 0.0)
        self._found, self._is_found = found, True
        return self._query_of_others()

    def result(self) -> list[Match]:
        """Return the matches, best first, ties by id."""
        if self._better is None:
            return self._found
        return _join(self._found, self._better, self._threshold)[: self._query.limit]

    @property
    def chunks(self) -> int:
        """The number of chunks of the index."""
        return self._terms[0].chunks

    def find_in(self, lists: PostingLists) -> bool:
        """Find what the scans would find in the lists of an index, without a filter.

        Return False if that is not possible, because two terms share a code.
        """
        limit = self._query.limit
        weights = {term.text: term.weight for term in self._terms}
        scored = lists.score(weights, {term.text: term.df for term in self._terms})
        if scored is None:
            return False
        found = scored.best_with([term.text for term in self._scanned], limit)
        self._found, self._is_found = found, True
        if self._has_others:
            if len(found) < limit:
                self._better = scored.best_with(weights, limit)
            elif self._can_be_better(self._set_threshold()):
                self._better = scored.best_above(self._threshold, limit)
        return True

    def _expect(self) -> float:
        """Return the score that the best chunks are expected to have; 0 if any."""
        expected = _EXPECTED_SHARE * fsum(term.bound for term in self._terms)
        is_common = sum(term.df for term in self._scanned) > _MIN_PRUNED
        # A term that reaches it alone would not let any chunk be skipped.
        is_pruned = any(term.bound < expected for term in self._scanned)
        return expected if is_common and is_pruned else 0.0

    def _reaches(self, found: Sequence[Match]) -> bool:
        """Return whether no chunk that was not read can be among the best."""
        is_full = len(found) == self._query.limit
        return is_full and _just_below(found[-1].score) >= self._expected

    def _scan_from(self, threshold: float) -> str:
        """Return the query for chunks with a rarest term that can reach a threshold."""
        if not threshold:
            return any_of([term.text for term in self._scanned])
        return reaching_with(
            [term.text for term in self._scanned], _bounded(self._terms), threshold
        )

    def _query_of_others(self) -> str | None:
        """Return the query for chunks without the rarest terms; None if none is better."""
        if not self._has_others:
            return None
        if len(self._found) < self._query.limit:
            return any_of([term.text for term in self._terms])
        others = self._set_threshold()
        if not self._can_be_better(others):
            return None
        return reaching(_bounded(others), self._threshold, self.chunks)

    @property
    def _has_others(self) -> bool:
        """Whether chunks without the rarest terms count, too."""
        most = self._query.max_chunks
        is_too_large = most is not None and self.chunks > most
        return len(self._scanned) < len(self._terms) and not is_too_large

    def _set_threshold(self) -> list[WeighedTerm]:
        """Set the score that better chunks have; return the terms not scanned yet."""
        query, found = self._query, self._found
        # Every chunk that is better than the last of these and was not found.
        last = found[min(query.limit, query.exact or query.limit) - 1]
        self._threshold = _just_below(last.score)
        scanned = {term.text for term in self._scanned}
        return [term for term in self._terms if term.text not in scanned]

    def _can_be_better(self, others: Sequence[WeighedTerm]) -> bool:
        """Return whether the other terms alone can reach the threshold."""
        return fsum(term.bound for term in others) >= self._threshold


def _just_below(score: float) -> float:
    return score * (1 - _MARGIN)


def _bounded(terms: Sequence[WeighedTerm]) -> list[Bounded]:
    return [Bounded(term.text, term.bound, term.df) for term in terms]


def find_best(rank: Rank, search: WordSearch) -> list[Match]:
    """Return the best chunks by BM25, best first, ties by id."""
    query: str | None = search.first_query()
    while query is not None:
        query = search.next_query(rank(query, few=search.few))
    return search.result()


def _join(
    found: Sequence[Match], better: Sequence[Match], threshold: float
) -> list[Match]:
    """Return the matches of both scans, best first.

    Which matches the second scan finds below the threshold depends on the bounds, and
    thus on chunks deleted since; so those are left out.
    """
    scores = {match.id: match.score for match in found}
    scores |= {match.id: match.score for match in better if match.score >= threshold}
    ordered = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    return [Match(id=chunk_id, score=score) for chunk_id, score in ordered]


def read_statistics(
    connection: Connection, terms: Collection[str]
) -> dict[str, TermStatistics]:
    """Return the statistics of terms; terms that no chunk contains are left out."""
    return term_statistics(
        fetch(connection, STATISTICS, {"terms": array_literal(terms)})
    )


def term_statistics(rows: Iterable[Sequence[Any]] = ()) -> dict[str, TermStatistics]:
    """Return the statistics in rows of `STATISTICS`, by term."""
    return {term: TermStatistics(*known) for term, *known in rows}


def read_terms(
    connection: Connection, start: str, min_length: int, max_length: int
) -> dict[str, int]:
    """Return the terms that start with a text, and in how many chunks each is."""
    parameters = {
        "start": start,
        "end": start[:-1] + chr(ord(start[-1]) + 1),
        "min": min_length,
        "max": max_length,
    }
    return dict(connection.execute(_READ_TERMS, parameters).fetchall())


def count_chunks(connection: Connection) -> int:
    """Return the number of chunks with indexed words."""
    row = connection.execute(_COUNT).fetchone()
    return int(row[0]) if row else 0


def weigh_terms(
    terms: Mapping[str, float], statistics: Mapping[str, TermStatistics]
) -> list[WeighedTerm]:
    """Return the query terms of the highest weight, by falling bound."""
    known = []
    for text, count in terms.items():
        if text not in statistics:
            continue
        df, max_weight, chunks = statistics[text]
        weight = statistics[text].idf * count
        # The weight was stored in single precision: round up, never down.
        bound = weight * min(1.0, max_weight * (1 + _MARGIN))
        known.append(
            WeighedTerm(text=text, df=df, weight=weight, bound=bound, chunks=chunks)
        )
    known.sort(key=lambda term: (-term.weight, term.text))
    return sorted(known[:_MAX_TERMS], key=lambda term: (-term.bound, term.text))


def _rarest(terms: Sequence[WeighedTerm]) -> list[WeighedTerm]:
    chosen: list[WeighedTerm] = []
    candidates = 0
    for term in sorted(terms, key=lambda term: (term.df, term.text)):
        if chosen and (
            candidates >= _MIN_CANDIDATES or candidates + term.df > MAX_CANDIDATES
        ):
            break
        chosen.append(term)
        candidates += term.df
    return chosen


class LexicalSearch:
    """A query with its weights, limit and restriction."""

    def __init__(
        self,
        connection: Connection,
        terms: Sequence[WeighedTerm],
        limit: int,
        resolved: Resolved,
    ) -> None:
        self._connection = connection
        self._limit = limit
        self._resolved = resolved
        self._terms = terms

    def scan(self, query: str, *, few: bool = False) -> Statement:
        """Return the statement that ranks chunks; see `Rank` for the arguments."""
        parameters: dict[str, Any] = {"weights": self._weights, "query": query}
        text = _RANK
        if self._resolved.restricts:
            text = _RANK_FEW if few else _RANK_FILTERED
            parameters |= self._resolved.parameters
        return Statement(text.format(limit=self._limit), parameters)

    @cached_property
    def _weights(self) -> str:
        return weights_literal({term.text: term.weight for term in self._terms})

    def rank(self, query: str, *, few: bool = False) -> list[Match]:
        """See `Rank`."""
        (rows,) = fetch_all(self._connection, [self.scan(query, few=few)])
        return best_first(rows)


def best_first(rows: Rows) -> list[Match]:
    """Return ids with scores as matches, best first, ties by id."""
    rows.sort(key=lambda row: (-row[1], row[0]))
    return [*map(Match._make, rows)]
