"""Ranking candidates by all signals together.

A score is the sum of the signals, each from 0 to 1 times its weight, lowered for tests,
examples and the like; plus the weighted score of the document; times the chunk's boost.
The weights are learned, and depend on the kinds of the question and of the candidate.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from outcrop.search.signals.structure import (
    FILE_KINDS,
    score_document,
    unwanted_kinds,
)
from outcrop.search.signals.table import SIGNALS
from outcrop.search.weights import Weights, learned_weights

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from outcrop.model.candidate import Candidate
    from outcrop.search.signals.signal import Pool, Signal


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """How candidates are ranked.

    Attributes:
        signals: The signals.
        weights: Their weights.
        counts_documents: Whether the best chunks of a document lift its other chunks.
        lowers_files: Whether tests, examples, generated and vendored code and lists of
            changes rank lower.
        uses_forms: Whether other forms of the question's words count.
        finds_definitions: Whether definitions of the question's names are candidates.
    """

    signals: Sequence[Signal] = SIGNALS
    weights: Weights = field(default_factory=learned_weights)
    counts_documents: bool = True
    lowers_files: bool = True
    uses_forms: bool = True
    finds_definitions: bool = True


DEFAULT_RANKING = Ranking()


class Ranked(NamedTuple):
    """A candidate with its score.

    Attributes:
        candidate: The candidate.
        score: The sum of the parts times the candidate's boost.
        parts: The weighted value of each signal, lowered for tests and the like.
    """

    candidate: Candidate
    score: float
    parts: Mapping[str, float]


def fuse(pool: Pool, ranking: Ranking = DEFAULT_RANKING) -> list[Ranked]:
    """Rank candidates, best first, ties by id."""
    if not pool.candidates:
        return []
    kind = pool.question.kind
    names = [signal.name for signal in ranking.signals]
    columns = np.array(pool.is_code, dtype=np.intp)
    weights = ranking.weights.rows(kind, names)[:, columns]
    parts = _values(pool, ranking.signals, weights) * weights
    unwanted = unwanted_kinds(pool) if ranking.lowers_files else []
    if any(True in kinds for kinds in unwanted):
        parts *= _factors(unwanted, ranking.weights)
    sums = parts.sum(axis=0)
    if ranking.counts_documents:
        document = score_document(pool.candidates, sums.tolist())
        row = ranking.weights.document[kind] * np.array(document)
        parts, sums = np.vstack([parts, row]), sums + row
        names = [*names, "document"]
    each = zip(pool.candidates, sums.tolist(), parts.T.tolist(), strict=True)
    ranked = [
        Ranked(
            candidate,
            total * candidate.rank_boost,
            dict(zip(names, values, strict=True)),
        )
        for candidate, total, values in each
    ]
    ranked.sort(key=lambda r: (-r.score, r.candidate.id))
    return ranked


def _values(
    pool: Pool, signals: Sequence[Signal], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the value of each signal for each candidate, if it has any weight."""
    values = np.zeros(weights.shape)
    for at, signal in enumerate(signals):
        if weights[at].any():
            values[at] = signal.score(pool)
    return values


def _factors(
    unwanted: Sequence[tuple[bool, ...]], weights: Weights
) -> NDArray[np.float64]:
    """Return what the sum of each candidate's signals is multiplied by."""
    by_kind = [weights.factors[kind] for kind in FILE_KINDS]
    product: NDArray[np.float64] = np.prod(np.where(unwanted, by_kind, 1.0), axis=1)
    return product
