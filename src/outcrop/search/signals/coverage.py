"""How much of the question the candidates of the same document say together.

A word that is said in the class's head, and another that is said in its method, are
both said of the method.
"""

from __future__ import annotations

from collections import defaultdict
from math import fsum
from typing import TYPE_CHECKING

from outcrop.search.signals.signal import share_of_best

if TYPE_CHECKING:
    from outcrop.search.signals.signal import Pool


def score_coverage(pool: Pool) -> list[float]:
    """Score candidates by the words that their document says."""
    said: defaultdict[str, set[str]] = defaultdict(set)
    for candidate in pool.candidates:
        said[candidate.document_id].update(candidate.matched_terms)
    totals = {
        document: fsum(pool.term_weights.get(term, 0.0) for term in terms)
        for document, terms in said.items()
    }
    return share_of_best([totals[c.document_id] for c in pool.candidates])
