"""Whether a question of people is answered by text for people.

Code says the same words as its documentation. A sentence that asks how or why is after
the documentation, where both are among the candidates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outcrop.search.signals.signal import Pool


def score_prose(pool: Pool) -> list[float]:
    """Score candidates by whether they are text, where a sentence asks."""
    counts = pool.asked.is_question and any(pool.is_code)
    return [1.0 if counts and not is_code else 0.0 for is_code in pool.is_code]
