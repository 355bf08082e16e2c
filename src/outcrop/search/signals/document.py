"""How well the best chunks of the same document match.

The right file is found far more often than the right place in it, so chunks gain from
other matching chunks of their document.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from outcrop.search.signals.signal import share_of_best

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.model.candidate import Candidate

_CHUNKS_PER_DOCUMENT = 3


def score_document(
    candidates: Sequence[Candidate], scores: Sequence[float]
) -> list[float]:
    """Score candidates by the scores so far of the best in their document."""
    best: defaultdict[str, list[float]] = defaultdict(list)
    for candidate, value in zip(candidates, scores, strict=True):
        best[candidate.document_id].append(value)
    totals = {
        document: sum(sorted(values, reverse=True)[:_CHUNKS_PER_DOCUMENT])
        for document, values in best.items()
    }
    return share_of_best([totals[c.document_id] for c in candidates])
