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
    """Score candidates by the share of the question's rarest terms they contain."""
    weights = pool.term_weights
    known = sorted((weights.get(t, 0.0) for t in pool.question.terms), reverse=True)
    total = fsum(known[:MAX_MATCHED_TERMS])
    if not total:
        return [0.0] * len(pool.candidates)
    weigh = _weigher(pool)
    return [weigh(candidate.matched_terms) / total for candidate in pool.candidates]


def _weigher(pool: Pool) -> Callable[[Terms], float]:
    """Return what adds up the weights of terms; candidates often have the same ones."""
    weights = pool.term_weights
    known: dict[Terms, float] = {}

    def weigh(terms: Terms) -> float:
        if terms not in known:
            known[terms] = fsum([weights.get(term, 0.0) for term in terms])
        return known[terms]

    return weigh
