"""BM25, relative to the best candidate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.search.signals.signal import share_of_best

if TYPE_CHECKING:
    from outcrop.search.signals.signal import Pool


def score_lexical(pool: Pool) -> list[float]:
    """Score candidates by the words of their text."""
    return share_of_best([candidate.lexical for candidate in pool.candidates])
