"""How well the question and the name of the file agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.search.asked import words_of

if TYPE_CHECKING:
    from outcrop.search.signals.signal import Pool


def score_file_name(pool: Pool) -> list[float]:
    """Score candidates by the name of their file."""
    return [pool.asked.agreement(words_of(c.file_name)) for c in pool.candidates]
