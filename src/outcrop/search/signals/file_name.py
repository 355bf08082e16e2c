"""How well the question agrees with the name of the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.search.names import words_of

if TYPE_CHECKING:
    from outcrop.search.signals.signal import Pool


def score_file_name(pool: Pool) -> list[float]:
    """Score candidates by the name of their file."""
    return [pool.words.agreement(words_of(c.file_name)) for c in pool.candidates]
