"""Figures of the benchmarks on top of those that the package itself computes.

`precision_omega` is the overlap over the union if every chunk that touches an answer
were found: what the chunking alone allows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from outcrop.evaluation.evaluate import (
    RankedHit,
    Scores,
    covered,
    length,
    overlap,
    paired_interval,
    score_rankings,
    union,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from _retrieval_sets import Question
    from numpy.typing import NDArray

__all__ = [
    "RankedHit",
    "Scores",
    "covered",
    "interval",
    "precision_omega",
    "score_rankings",
]


def precision_omega(
    questions: Sequence[Question], chunks: Sequence[tuple[str, int, int]]
) -> float:
    by_path: dict[str, list[tuple[int, int]]] = {}
    for path, start, end in chunks:
        by_path.setdefault(path, []).append((start, end))
    shares = []
    for question in questions:
        touching = [
            (start, end)
            for start, end in by_path[question.path]
            if any(min(end, d) >= max(start, c) for c, d in question.spans)
        ]
        whole = length(union([*touching, *question.spans]))
        shares.append(overlap(touching, question.spans) / whole)
    return float(np.mean(shares))


def interval(ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> str:
    """Return the mean difference and its paired 95 % bootstrap interval, in words."""
    mean, low, high = paired_interval(ours, theirs)
    return f"{mean:+.3f} [{low:+.3f}, {high:+.3f}]"
