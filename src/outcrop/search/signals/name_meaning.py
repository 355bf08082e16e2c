"""How near the names of file and definition are to the question, by their vectors.

`JsonWriter` is near to "streaming output", which no word says. Half of the candidates
are always nearer than the others; those alone count. A question that is a name itself
means that name, and no other that is like it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.search.asked import spelled_out
from outcrop.search.signals.signal import share_of_best

if TYPE_CHECKING:
    from outcrop.model.candidate import Candidate
    from outcrop.search.signals.signal import Pool


def score_name_meaning(pool: Pool) -> list[float]:
    """Score candidates by the meaning of their names."""
    if (
        pool.embed is None
        or pool.question is None
        or pool.asked.is_symbol
        or not pool.candidates
    ):
        return [0.0] * len(pool.candidates)
    names = [_name(candidate) for candidate in pool.candidates]
    distinct = list(dict.fromkeys(names))
    cosines = dict(zip(distinct, pool.embed(distinct) @ pool.question, strict=True))
    values = [float(cosines[name]) for name in names]
    middle = sorted(values)[len(values) // 2]
    return share_of_best([max(0.0, value - middle) for value in values])


def _name(candidate: Candidate) -> str:
    return spelled_out(f"{candidate.file_stem} {candidate.name}")
