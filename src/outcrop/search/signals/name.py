"""How well the question and the name of what is defined agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.search.asked import words_of

if TYPE_CHECKING:
    from outcrop.search.signals.signal import Pool


def score_name(pool: Pool) -> list[float]:
    """Score candidates by their own name; what has none goes by its file's."""
    return [
        pool.asked.agreement(words_of(c.name or c.file_name)) for c in pool.candidates
    ]


def score_enclosing(pool: Pool) -> list[float]:
    """Score candidates by the name of what they are defined in."""
    return [
        pool.asked.agreement(words_of(c.section_path[-2]))
        if len(c.section_path) > 1
        else 0.0
        for c in pool.candidates
    ]
