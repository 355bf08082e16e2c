"""The words of the question: BM25, and how many of them the document contains."""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING

from outcrop.search.signals.signal import share_of_best

if TYPE_CHECKING:
    from collections.abc import Callable

    from outcrop.search.signals.signal import Pool

    Terms = tuple[str, ...] | frozenset[str]


# Candidates are checked for the rarest terms of the question; the others tell little.
MAX_MATCHED_TERMS = 16
_NO_TERMS: frozenset[str] = frozenset()


def score_lexical(pool: Pool) -> list[float]:
    """Score candidates by BM25, relative to the best."""
    return share_of_best([candidate.lexical for candidate in pool.candidates])


def score_coverage(pool: Pool) -> list[float]:
    """Score candidates by the question's terms that their document contains.

    If one word of the question is in the head of a class and another in its method,
    both count for the method.
    """
    terms_of: dict[str, frozenset[str]] = {}
    for document_id, terms in [
        (c.document_id, c.matched_terms) for c in pool.candidates
    ]:
        terms_of[document_id] = terms_of.get(document_id, _NO_TERMS).union(terms)
    weigh = _weigher(pool)
    totals = {document: weigh(terms) for document, terms in terms_of.items()}
    return share_of_best([totals[c.document_id] for c in pool.candidates])


def score_matched(pool: Pool) -> list[float]:
    """Score candidates by the share of the question's rarest words they contain.

    A word and its translations are one word.
    """
    weights, translations = pool.term_weights, pool.translations
    words = []
    for term in pool.question.terms:
        ways = {way for way in (term, *translations.get(term, ())) if way in weights}
        if ways:
            words.append((-max(weights[way] for way in ways), term, ways))
    rarest = sorted(words)[:MAX_MATCHED_TERMS]
    total = fsum(-weight for weight, _, _ in rarest)
    if not total:
        return [0.0] * len(pool.candidates)
    said = [candidate.matched_terms for candidate in pool.candidates]
    shares = {
        terms: fsum(-weight for weight, _, ways in rarest if not ways.isdisjoint(terms))
        / total
        for terms in set(said)
    }
    return [shares[terms] for terms in said]


def _weigher(pool: Pool) -> Callable[[Terms], float]:
    """Return what adds up the weights of terms; candidates often have the same ones."""
    weights = pool.term_weights
    known: dict[Terms, float] = {}

    def weigh(terms: Terms) -> float:
        if terms not in known:
            known[terms] = fsum([weights.get(term, 0.0) for term in terms])
        return known[terms]

    return weigh
