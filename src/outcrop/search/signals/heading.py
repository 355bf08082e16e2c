"""How much of the innermost heading the question contains.

A question that names a heading is about that section, whatever else it contains.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.search.names import words_of

if TYPE_CHECKING:
    from outcrop.search.signals.signal import Pool


def score_heading(pool: Pool) -> list[float]:
    """Score candidates by their heading."""
    return [
        pool.words.share(words_of(c.section_path[-1])) if c.section_path else 0.0
        for c in pool.candidates
    ]
