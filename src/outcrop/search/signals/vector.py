"""Cosine similarity minus that of the weakest vector match."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.search.signals.signal import share_of_best

if TYPE_CHECKING:
    from outcrop.search.signals.signal import Pool


def score_vector(pool: Pool) -> list[float]:
    """Score candidates by the vector of their text."""
    nearest = pool.nearest
    if not nearest:
        return [0.0] * len(pool.candidates)
    floor = min(nearest) if len(nearest) > 1 else 0.0
    return share_of_best(
        [
            0.0 if c.similarity is None else max(0.0, c.similarity - floor)
            for c in pool.candidates
        ]
    )
