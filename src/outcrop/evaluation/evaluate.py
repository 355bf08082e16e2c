"""Asks an index every question, and scores the rankings; compares two settings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from outcrop.evaluation.metrics import (
    RankedHit,
    Scores,
    first_relevant,
    paired_interval,
    score_rankings,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from outcrop.evaluation.questions import KnownQuestion
    from outcrop.indexing.sharded import AnyIndex

_MAX_HITS = 30  # more than fit into 2,000 tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """The scores of one setting.

    Attributes:
        setting: Arguments of `Index.search`.
        scores: Each metric, one value per question.
        ranks: The rank of the first hit that counts, per question; 0 for none.
        best: The place of the first hit, per question; empty for no hits.
    """

    setting: Mapping[str, Any] = field(default_factory=dict)
    scores: Scores
    ranks: Sequence[int]
    best: Sequence[str]

    def means(self) -> dict[str, float]:
        """Return the mean of each metric."""
        return {name: float(values.mean()) for name, values in self.scores.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """How much better one setting is than another, with a 95 % interval."""

    mean: float
    low: float
    high: float

    @property
    def is_clear(self) -> bool:
        """Whether the interval excludes zero."""
        return self.low > 0 or self.high < 0


def evaluate(
    index: AnyIndex, questions: Sequence[KnownQuestion], setting: Mapping[str, Any]
) -> Evaluation:
    """Ask every question and score the answers.

    `setting` has arguments of `Index.search`: `mode`, `kind`, `expand` and so on.

    Raises:
        InputError: An argument is invalid.
    """
    rankings, best = [], []
    for question in questions:
        hits = index.search(question.query, _MAX_HITS, **setting)
        rankings.append(
            [
                RankedHit(hit.path, hit.start_offset, hit.end_offset, hit.token_count)
                for hit in hits
            ]
        )
        best.append(f"{hits[0].path}:{hits[0].start_line}" if hits else "")
    return Evaluation(
        setting=setting,
        scores=score_rankings(questions, rankings),
        ranks=[
            first_relevant(question, found)
            for question, found in zip(questions, rankings, strict=True)
        ],
        best=best,
    )


def compare(ours: Evaluation, theirs: Evaluation) -> dict[str, Difference]:
    """Return how much better one setting is than another, by metric."""
    differences = {}
    for name, values in ours.scores.items():
        mean, low, high = paired_interval(values, theirs.scores[name])
        differences[name] = Difference(mean=mean, low=low, high=high)
    return differences
