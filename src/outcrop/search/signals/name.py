"""How well the question agrees with the name of a definition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.search.names import words_of

if TYPE_CHECKING:
    from outcrop.search.signals.signal import Pool


def score_name(pool: Pool) -> list[float]:
    """Score candidates by their own name, or by that of their file if they have none."""
    return [
        pool.words.agreement(words_of(c.name or c.file_name)) for c in pool.candidates
    ]


def score_enclosing(pool: Pool) -> list[float]:
    """Score candidates by the name of the enclosing definition."""
    return [
        pool.words.agreement(words_of(c.section_path[-2]))
        if len(c.section_path) > 1
        else 0.0
        for c in pool.candidates
    ]
