"""Gathering the candidates of a question: lexical, by vector, and by name."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

from outcrop.model.candidate import LexicalQuery, NameQuery, VectorQuery
from outcrop.providers.embedder import is_local, min_cosine
from outcrop.search.foreign import translate_words, weigh_translated
from outcrop.search.names import name_vectors
from outcrop.search.signals.lexical import MAX_MATCHED_TERMS
from outcrop.search.signals.names import definition_strengths
from outcrop.search.signals.signal import Pool
from outcrop.search.words import weigh_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from outcrop.model.candidate import Candidate, Matches
    from outcrop.providers.embedder import Embedder
    from outcrop.search.foreign import Translations
    from outcrop.search.fusion import Ranking
    from outcrop.search.question import Question
    from outcrop.search.source import CandidateSource

# Each way of searching gives at least this many candidates to the ranking.
_MIN_CANDIDATES = 40
_CANDIDATES_PER_HIT = 3
# Other forms of a word are in many chunks. In a larger index they are looked for only
# in chunks that contain one of the rarest terms.
_MAX_CHUNKS_WITH_FORMS = 20_000
_MAX_DEFINITIONS = 20
_MAX_NAMES = 5
_MAX_FILES = 5  # whose path ends as the one that a question asks for
_SEVERAL = 2
# Candidates are checked for so many terms: each word may be said in several ways.
_MAX_TRANSLATED_TERMS = 4 * MAX_MATCHED_TERMS


class Gatherer:
    """Finds the candidates of one question and reads what ranking needs of them."""

    def __init__(
        self,
        source: CandidateSource,
        question: Question,
        vector: NDArray[np.float32],
        embedder: Embedder,
        ranking: Ranking,
    ) -> None:
        """Look up the statistics of the question's terms."""
        self._source = source
        self._question = question
        self._vector = vector
        self._ranking = ranking
        # A remote embedder would be called for every search.
        self._embed = name_vectors(embedder) if is_local(embedder) else None
        self._min_cosine = partial(min_cosine, embedder, question.text)
        self._limit = max(_MIN_CANDIDATES, _CANDIDATES_PER_HIT * question.limit)
        self._terms: Mapping[str, float] = (
            question.terms_with_forms if ranking.uses_forms else question.terms
        )
        statistics = source.statistics(self._terms)
        self._weights = {term: known.idf for term, known in statistics.items()}
        self._matched = _rarest(question.terms, self._weights, MAX_MATCHED_TERMS)

    def gather(self) -> Pool:
        """Return all candidates."""
        found = self._find()
        nearest = found.nearest
        if nearest and self._knows_no_word and nearest[0].score < self._min_cosine():
            nearest = []  # neither a word nor a meaning in common with any chunk
        ids = [match.id for matches in found.lexical for match in matches]
        ids += found.definitions
        ids += self._at_line
        ids += [match.id for match in nearest]
        pool = self._pool(ids, [match.score for match in nearest])
        if self._question.is_symbol and pool.is_mixed:
            return pool  # code has names as they are
        translations = translate_words(self._question, pool.foreign_languages)
        if not translations:
            return pool
        ids += self._find_translated(translations)
        return self._pool(ids, pool.nearest, translations)

    def _pool(
        self,
        ids: Iterable[str],
        nearest: Sequence[float],
        translations: Translations | None = None,
    ) -> Pool:
        candidates = self._read(ids)
        return Pool(
            question=self._question,
            words=weigh_words(self._question.terms, self._weights, translations or {}),
            candidates=candidates,
            term_weights=self._weights,
            nearest=nearest,
            vector=self._vector,
            embed=self._embed,
            uses=self._count_uses(candidates),
            at_line=self._at_line,
            translations=translations or {},
        )

    def _find_translated(self, translations: Translations) -> list[str]:
        """Find chunks by translations of the words, which count from now on."""
        question = self._question
        ways = {text for each in translations.values() for text in each}
        known = self._source.statistics([*self._terms, *ways])
        weights = weigh_translated(translations, known)
        counts = dict(self._terms)
        for word, each in translations.items():
            own = self._terms[word]
            counts |= {way: max(counts.get(way, 0), own) for way in each}
        self._terms = {term: count for term, count in counts.items() if term in known}
        self._weights = {**self._weights, **weights}
        said = question.terms.keys() | weights.keys()
        self._matched = _rarest(said, self._weights, _MAX_TRANSLATED_TERMS)
        terms = {
            term: count * self._weights[term] / known[term].idf
            for term, count in self._terms.items()
        }
        query = LexicalQuery(terms, self._limit, question.limit, _MAX_CHUNKS_WITH_FORMS)
        found = self._source.matches(lexical=[query], restriction=question.restriction)
        return [match.id for match in found.lexical[0]]

    def _count_uses(self, candidates: Sequence[Candidate]) -> Mapping[str, int]:
        """Count the uses of definitions, if several fit the question's names."""
        strengths = definition_strengths(candidates, self._question.names)
        fitting = {
            c.id: c.node_id
            for c, strength in zip(candidates, strengths, strict=True)
            if strength and c.node_id
        }
        if len(fitting) < _SEVERAL:
            return {}
        uses = self._source.uses(set(fitting.values()))
        return {chunk_id: uses.get(node_id, 0) for chunk_id, node_id in fitting.items()}

    @cached_property
    def _at_line(self) -> list[str]:
        """The chunks at the line that the question asks for."""
        question = self._question
        if question.line is None:
            return []
        return self._source.chunks_at(
            question.line, limit=_MAX_FILES, restriction=question.restriction
        )

    @property
    def _knows_no_word(self) -> bool:
        """Whether the question has words, but the index has none of them."""
        return bool(self._question.terms) and not self._weights

    def _find(self) -> Matches:
        """Search by the question's words, by their other forms, by vector and by name."""
        question, limit = self._question, self._limit
        lexical = [LexicalQuery(question.terms, limit, question.limit)]
        if self._weights.keys() - question.terms.keys():
            query = LexicalQuery(
                self._terms, limit, question.limit, _MAX_CHUNKS_WITH_FORMS
            )
            lexical.append(query)
        names = None
        if self._ranking.finds_definitions:
            names = NameQuery(_spellings(question), _MAX_DEFINITIONS)
        return self._source.matches(
            lexical=lexical,
            vector=VectorQuery(self._vector, limit),
            names=names,
            restriction=question.restriction,
        )

    def extend(self, pool: Pool, ids: Iterable[str]) -> Pool:
        """Return the pool with more candidates; those it has are skipped."""
        known = {candidate.id for candidate in pool.candidates}
        more = self._read(chunk_id for chunk_id in ids if chunk_id not in known)
        return replace(pool, candidates=[*pool.candidates, *more])

    def _read(self, ids: Iterable[str]) -> list[Candidate]:
        weights = self._weights
        return self._source.candidates(
            sorted(set(ids)),
            vector=self._vector,
            weights={term: weights[term] * self._terms[term] for term in weights},
            terms=self._matched,
        )


def _rarest(terms: Iterable[str], weights: Mapping[str, float], most: int) -> list[str]:
    """Return the terms of the highest weight, of those that the index contains."""
    known = (term for term in terms if term in weights)
    return sorted(known, key=lambda term: (-weights[term], term))[:most]


def _spellings(question: Question) -> list[str]:
    """Return the ways in which the names in a question may be written."""
    spellings: dict[str, None] = {}
    for *_, name in question.names[:_MAX_NAMES]:
        spellings |= dict.fromkeys([name, name[:1].upper() + name[1:], name.lower()])
    return list(spellings)
