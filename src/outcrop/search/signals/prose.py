"""Whether a candidate is documentation, for questions that ask for an explanation.

Code contains the same words as its documentation. A question that asks how or why is
better answered by the documentation, if both are among the candidates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outcrop.search.signals.signal import Pool


def score_prose(pool: Pool) -> list[float]:
    """Score documents above code if the question asks for an explanation."""
    counts = pool.question.asks_for_prose and any(pool.is_code)
    return [1.0 if counts and not is_code else 0.0 for is_code in pool.is_code]
