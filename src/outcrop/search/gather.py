"""Gathering the candidates of a question: by words, by vectors, by name."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from outcrop.providers.embedder import is_local
from outcrop.search.asked import read_question
from outcrop.search.families import other_forms
from outcrop.search.signals.signal import Pool

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from outcrop.model.candidate import Candidate, Match
    from outcrop.providers.embedder import Embedder
    from outcrop.search.asked import Asked
    from outcrop.search.fusion import Ranking
    from outcrop.search.query import Query
    from outcrop.search.source import CandidateSource

# How many candidates each part gives to the fusion, at least.
_POOL = 40
_POOL_PER_HIT = 3
# Other forms are in many chunks; in a larger index the rare ones have to do.
_MAX_CHUNKS_WITH_FORMS = 20_000
_MAX_DEFINITIONS = 20
# Candidates are checked for the rarest terms of the question; the others tell little.
_MAX_MATCHED_TERMS = 16
# Vectors are one signal of many here, so missing a few neighbours is acceptable.
_MIN_VECTOR_EFFORT = 100
_MAX_NAMES = 5
# A word that the question says counts so often as another form of it.
_SAID = 4
# A longer question says enough in its own words.
_MAX_WORDS = 40


class Gatherer:
    """Finds the candidates of one question and reads what ranking needs of them.

    Args:
        source: The index.
        query: What is asked.
        embedding: The question's vector.
        embedder: What made it.
        ranking: How candidates are ranked.
    """

    def __init__(
        self,
        source: CandidateSource,
        query: Query,
        embedding: NDArray[np.float32],
        embedder: Embedder,
        ranking: Ranking,
    ) -> None:
        self._source = source
        self._query = query
        self._embedding = embedding
        self._ranking = ranking
        # A remote embedder would be called for every search.
        self._embed = embedder.embed if is_local(embedder) else None
        self._size = max(_POOL, _POOL_PER_HIT * query.limit)
        self._terms = with_other_forms(query) if ranking.uses_forms else query.terms
        self._statistics = source.statistics(self._terms)
        self._weights = {term: known.idf for term, known in self._statistics.items()}
        self._asked = read_question(query.text, query.terms, self._weights)

    def gather(self) -> Pool:
        """Return all candidates."""
        ids = self._find_by_words()
        if self._ranking.finds_definitions:
            ids += self._source.definitions(
                _spellings(self._asked),
                limit=_MAX_DEFINITIONS,
                restriction=self._query.restriction,
            )
        near = self._find_near()
        ids += [match.id for match in near]
        return Pool(
            asked=self._asked,
            candidates=self._read(ids),
            term_weights=self._weights,
            nearest=[match.score for match in near],
            question=self._embedding,
            embed=self._embed,
        )

    def _find_near(self) -> list[Match]:
        """Return what is found by vectors."""
        return self._source.vector_matches(
            self._embedding,
            limit=self._size,
            min_effort=_MIN_VECTOR_EFFORT,
            restriction=self._query.restriction,
        )

    def _find_by_words(self) -> list[str]:
        """Return what is found by the question's words, and by their other forms."""
        query = self._query
        find = partial(
            self._source.lexical_matches,
            limit=self._size,
            exact=query.limit,
            restriction=query.restriction,
        )
        found = find(query.terms)
        if self._statistics.keys() - query.terms.keys():
            found += find(self._terms, max_chunks=_MAX_CHUNKS_WITH_FORMS)
        return [match.id for match in found]

    def extend(self, pool: Pool, ids: Iterable[str]) -> Pool:
        """Add candidates to those there are."""
        known = {candidate.id for candidate in pool.candidates}
        more = self._read(chunk_id for chunk_id in ids if chunk_id not in known)
        return replace(pool, candidates=[*pool.candidates, *more])

    def _read(self, ids: Iterable[str]) -> list[Candidate]:
        weights = self._weights
        known = self._query.terms.keys() & weights.keys()
        terms = sorted(known, key=lambda term: (-weights[term], term))
        return self._source.candidates(
            sorted(set(ids)),
            vector=self._embedding,
            weights={term: weights[term] * self._terms[term] for term in weights},
            terms=terms[:_MAX_MATCHED_TERMS],
        )


def with_other_forms(query: Query) -> Mapping[str, int]:
    """Return the question's terms and, for less, other forms of its words.

    A name means what it says, and a long text says enough: neither has other forms.
    """
    if query.is_symbol or len(query.terms) > _MAX_WORDS:
        return query.terms
    terms = {term: _SAID * count for term, count in query.terms.items()}
    for term, count in query.terms.items():
        for form in other_forms(term):
            terms[form] = max(terms.get(form, 0), count)
    return terms


def _spellings(asked: Asked) -> Sequence[str]:
    """Return how the names that are asked for may be written."""
    found: dict[str, None] = {}
    for *_, name in asked.names[:_MAX_NAMES]:
        found |= dict.fromkeys([name, name[:1].upper() + name[1:], name.lower()])
    return list(found)
