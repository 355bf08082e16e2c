"""Ranking chunks by BM25: an exact result with at most two index scans."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from outcrop.model.candidate import Match, TermStatistics
from outcrop.store.filters import CHUNKS_CONDITION, LEXICAL_CONDITION
from outcrop.store.lexical.prune import Bounded, any_of, reaching
from outcrop.store.lexical.weights import weights_literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from outcrop.store.database import Connection
    from outcrop.store.filters import Resolved

# Of a longer query only the rarest terms count: they say what it is about.
_MAX_TERMS = 100
# Scores are computed in single precision; a threshold must not exceed the score of
# the chunk it was taken from.
_MARGIN = 1e-5
# The first scan finds a threshold: enough chunks for a good one, few enough to be
# cheap.
_MIN_CANDIDATES = 200
MAX_CANDIDATES = 3_000

# For a query with many alternatives the planner would prefer a slower sequential scan.
_COUNT = "SELECT coalesce(sum(chunks), 0)::bigint FROM lex_batch"
_LOOK_UP = """
SELECT term, sum(df)::int, max(maxw)::float8,
    (SELECT sum(chunks) FROM lex_batch)::bigint,
    set_config('enable_seqscan', 'off', true)
FROM (
    SELECT term, df, maxw FROM lex_df WHERE term = ANY(%(terms)s)
    UNION ALL
    SELECT term, df, maxw FROM lex_delta WHERE term = ANY(%(terms)s)
) both_tables
GROUP BY term HAVING sum(df) > 0
"""
_RANK = """
SELECT chunk_id, -(sv <#> %(weights)s::sparsevec) AS score
FROM chunk_lex
WHERE tsv @@ %(query)s::tsquery
ORDER BY sv <#> %(weights)s::sparsevec, chunk_id
LIMIT %(limit)s
"""
_RANK_FILTERED = f"""
SELECT l.chunk_id, -(l.sv <#> %(weights)s::sparsevec) AS score
FROM chunk_lex l
WHERE l.tsv @@ %(query)s::tsquery AND {LEXICAL_CONDITION}
ORDER BY l.sv <#> %(weights)s::sparsevec, l.chunk_id
LIMIT %(limit)s
"""  # noqa: S608 - constants; values are bound
_RANK_FEW = f"""
SELECT l.chunk_id, -(l.sv <#> %(weights)s::sparsevec) AS score
FROM chunks c JOIN chunk_lex l ON l.chunk_id = c.id
WHERE {CHUNKS_CONDITION} AND l.tsv @@ %(query)s::tsquery
ORDER BY l.sv <#> %(weights)s::sparsevec, l.chunk_id
LIMIT %(limit)s
"""  # noqa: S608 - as above


class Rank(Protocol):
    """Ranks the chunks that match a query."""

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


def search_words(
    connection: Connection,
    terms: Mapping[str, int],
    *,
    statistics: Mapping[str, TermStatistics],
    resolved: Resolved,
    limit: int,
    exact: int | None = None,
    max_chunks: int | None = None,
) -> list[Match]:
    """Return the best chunks by BM25, best first, ties by id.

    Args:
        connection: In a transaction that sees one state throughout.
        terms: How often the query contains each of its terms.
        statistics: The statistics of the terms, read in this transaction.
        resolved: Which chunks count.
        limit: Maximum number of matches.
        exact: How many of the first matches must be exactly the best; all by default.
            The rest contain one of the rarest terms but may not be the next best,
            which is much faster.
        max_chunks: In an index with more chunks than this, only chunks that contain
            one of the rarest terms are considered, and no result is exact.
    """
    if not terms or limit < 1:
        return []
    known = weigh_terms(terms, statistics)
    if not known:
        return []
    search = LexicalSearch(connection, known, limit, resolved)
    return find_best(
        search.rank,
        known,
        limit=limit,
        exact=exact,
        max_chunks=max_chunks,
        few=resolved.leaves_at_most(MAX_CANDIDATES),
    )


def find_best(
    rank: Rank,
    known: Sequence[WeighedTerm],
    *,
    limit: int,
    exact: int | None,
    max_chunks: int | None,
    few: bool,
) -> list[Match]:
    """Return the best chunks by BM25; see `search_words`.

    Args:
        rank: Returns the best chunks that match a query of PostgreSQL: of one database,
            or of several.
        known: The terms of the query, by falling bound.
        limit: Maximum number of matches.
        exact: How many of the first matches must be exactly the best.
        max_chunks: In an index with more chunks than this, no result is exact.
        few: Whether a filter leaves so few chunks that all of them are ranked.
    """
    if few:
        return rank(any_of([term.text for term in known]), few=True)
    rarest = _rarest(known)
    found = rank(any_of([term.text for term in rarest]))
    is_too_large = max_chunks is not None and known[0].chunks > max_chunks
    if len(rarest) == len(known) or is_too_large:
        return found
    if len(found) < limit:
        return rank(any_of([term.text for term in known]))
    # The second scan finds every chunk that is better than the last of these.
    threshold = found[min(limit, exact or limit) - 1].score * (1 - _MARGIN)
    bounded = [Bounded(term.text, term.bound, term.df) for term in known]
    better = rank(reaching(bounded, threshold, known[0].chunks))
    return _join(found, better, threshold)[:limit]


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
    connection: Connection, terms: Iterable[str]
) -> dict[str, TermStatistics]:
    """Return the statistics of terms; terms that no chunk contains are left out."""
    rows = connection.execute(_LOOK_UP, {"terms": list(terms)}).fetchall()
    return {term: TermStatistics(*known) for term, *known, _ in rows}


def count_chunks(connection: Connection) -> int:
    """Return the number of chunks with indexed words."""
    row = connection.execute(_COUNT).fetchone()
    return int(row[0]) if row else 0


def weigh_terms(
    terms: Mapping[str, int], statistics: Mapping[str, TermStatistics]
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
        self._statement = _RANK_FILTERED if resolved.restricts else _RANK
        self._parameters: dict[str, Any] = {
            "weights": weights_literal({term.text: term.weight for term in terms}),
            "limit": limit,
            **resolved.parameters,
        }

    def rank(self, query: str, *, few: bool = False) -> list[Match]:
        """See `Rank`."""
        rows = self._connection.execute(
            _RANK_FEW if few else self._statement, {**self._parameters, "query": query}
        ).fetchall()
        return [Match(id=chunk_id, score=score) for chunk_id, score in rows]
