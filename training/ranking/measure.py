"""How good scores are: the rank of the first answer, with intervals over indexes."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from training.ranking.dataset import KINDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from training.ranking.dataset import Example

DEEP = 10
RESAMPLES = 1_000


def reciprocal_rank(example: Example, scores: NDArray[np.float64]) -> float:
    """Return 1 over the rank of the first hit that answers; parts of one are merged."""
    answers = set(example.section[example.is_answer].tolist())
    order = example.section[np.argsort(-scores, kind="stable")].tolist()
    for rank, section in enumerate(list(dict.fromkeys(order))[:DEEP], 1):
        if section in answers:
            return 1 / rank
    return 0.0


def by_kind(
    examples: Sequence[Example], values: NDArray[np.float64]
) -> dict[str, float]:
    """Return the mean of each kind of question."""
    found: defaultdict[str, list[float]] = defaultdict(list)
    for example, value in zip(examples, values, strict=True):
        found[example.kind].append(value)
    return {kind: float(np.mean(found[kind])) for kind in sorted(found)}


def by_side(examples: Sequence[Example]) -> dict[str, NDArray[np.intp]]:
    """Return the places of the questions by shape, side of the answer and mixture."""
    found: defaultdict[str, list[int]] = defaultdict(list)
    for at, example in enumerate(examples):
        where = "beside the other" if example.is_mixed else "alone"
        found[f"{KINDS[example.row // 2]}, {example.side} {where}"].append(at)
    return {title: np.array(found[title]) for title in sorted(found)}


def interval(
    examples: Sequence[Example],
    ours: NDArray[np.float64],
    theirs: NDArray[np.float64],
) -> tuple[float, float, float]:
    """Return the mean difference and its 95 % interval; whole indexes are resampled."""
    difference = ours - theirs
    by_group: defaultdict[str, list[float]] = defaultdict(list)
    for example, value in zip(examples, difference, strict=True):
        by_group[example.group].append(value)
    sums = np.array([sum(values) for values in by_group.values()])
    counts = np.array([len(values) for values in by_group.values()])
    drawn = np.random.default_rng(0).integers(0, len(sums), (RESAMPLES, len(sums)))
    means = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return float(difference.mean()), float(low), float(high)
