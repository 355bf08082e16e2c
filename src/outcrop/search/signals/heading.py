"""How much of the innermost heading the question says.

A question that names a heading is about that section, however long it is otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.search.asked import words_of

if TYPE_CHECKING:
    from outcrop.search.signals.signal import Pool


def score_heading(pool: Pool) -> list[float]:
    """Score candidates by their heading."""
    return [
        pool.asked.share(words_of(c.section_path[-1])) if c.section_path else 0.0
        for c in pool.candidates
    ]
