"""Embeddings: of a candidate's text, and of its names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.search.names import spelled_out
from outcrop.search.signals.signal import share_of_best

if TYPE_CHECKING:
    from outcrop.model.candidate import Candidate
    from outcrop.search.signals.signal import Pool


# The cosine of this match, or of the weakest if there are fewer, counts as nothing.
_FLOOR_RANK = 40


def score_vector(pool: Pool) -> list[float]:
    """Score candidates by their cosine, minus that of a weak vector match."""
    nearest = sorted(pool.nearest, reverse=True)[:_FLOOR_RANK]
    if not nearest:
        return [0.0] * len(pool.candidates)
    floor = nearest[-1] if len(nearest) > 1 else 0.0
    return share_of_best(
        [
            0.0 if c.similarity is None else max(0.0, c.similarity - floor)
            for c in pool.candidates
        ]
    )


def score_cosine(pool: Pool) -> list[float]:
    """Score candidates by their cosine itself: it is low if nothing is near."""
    return [min(1.0, max(0.0, c.similarity or 0.0)) for c in pool.candidates]


def score_name_vector(pool: Pool) -> list[float]:
    """Score candidates by the cosines of the names of their file and definition.

    `JsonWriter` is near to "streaming output", with which it shares no word. Some names
    are always nearer than others, so only the nearer half counts. A question that is
    itself a name means that name and no similar one.
    """
    if (
        pool.embed is None
        or pool.vector is None
        or pool.question.is_symbol
        or not pool.candidates
    ):
        return [0.0] * len(pool.candidates)
    names = [_name(candidate) for candidate in pool.candidates]
    distinct = list(dict.fromkeys(names))
    cosines = dict(zip(distinct, pool.embed(distinct) @ pool.vector, strict=True))
    values = [float(cosines[name]) for name in names]
    median = sorted(values)[len(values) // 2]
    return share_of_best([max(0.0, value - median) for value in values])


def _name(candidate: Candidate) -> str:
    return spelled_out(f"{candidate.file_stem} {candidate.name}")
