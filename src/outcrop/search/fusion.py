"""Ranking candidates by all signals together.

A score is the sum of the signals, each from 0 to 1 times its weight, lowered for
supporting code; plus the weighted score of the document; times the chunk's boost.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from outcrop.search.signals.structure import factors, score_document
from outcrop.search.signals.table import SIGNALS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from outcrop.model.candidate import Candidate
    from outcrop.search.signals.signal import Pool, Signal


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """How candidates are ranked.

    Attributes:
        signals: The signals and their weights.
        document: The weight of the document's best chunks.
        uses_forms: Whether other forms of the question's words count.
        lowers_supporting_code: Whether tests, examples, generated and vendored code rank lower.
        finds_definitions: Whether definitions of the question's names are candidates.
    """

    signals: Sequence[Signal] = SIGNALS
    document: float = 0.2
    uses_forms: bool = True
    lowers_supporting_code: bool = True
    finds_definitions: bool = True


DEFAULT_RANKING = Ranking()


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its score.

    Attributes:
        candidate: The candidate.
        score: The sum of the parts times the candidate's boost.
        parts: The weighted value of each signal, lowered for supporting code.
    """

    candidate: Candidate
    score: float
    parts: Mapping[str, float]


def fuse(pool: Pool, ranking: Ranking = DEFAULT_RANKING) -> list[Ranked]:
    """Rank candidates, best first, ties by id."""
    candidates = pool.candidates
    parts = {signal.name: signal.weigh(pool) for signal in ranking.signals}
    lowered = (
        factors(pool) if ranking.lowers_supporting_code else [1.0] * len(candidates)
    )
    sums = [
        sum(values) * factor
        for *values, factor in zip(*parts.values(), lowered, strict=True)
    ]
    parts["document"] = [
        ranking.document * value for value in score_document(candidates, sums)
    ]
    ranked = [
        Ranked(
            candidate,
            (sums[at] + parts["document"][at]) * candidate.rank_boost,
            _parts_at(at, parts, lowered[at]),
        )
        for at, candidate in enumerate(candidates)
    ]
    ranked.sort(key=lambda r: (-r.score, r.candidate.id))
    return ranked


def _parts_at(
    at: int, parts: Mapping[str, Sequence[float]], factor: float
) -> dict[str, float]:
    own = {name: values[at] for name, values in parts.items()}
    if factor != 1.0:  # rare; the document's part is not lowered
        own = {name: value * factor for name, value in own.items()}
        own["document"] = parts["document"][at]
    return own
