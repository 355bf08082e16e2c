"""Asks an index every question, and scores the rankings; compares two settings."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log2
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from outcrop.evaluation.questions import KnownQuestion
    from outcrop.indexing.sharded import AnyIndex

DEEP = 10
RESAMPLES = 1000

Scores = dict[str, "NDArray[np.float64]"]


class Question(Protocol):
    """A question with the place of its answer."""

    @property
    def path(self) -> str:
        """The document with the answer."""

    @property
    def spans(self) -> Sequence[tuple[int, int]]:
        """Where the answer is: half-open ranges of code points."""


class RankedHit(NamedTuple):
    """One hit of a ranking."""

    path: str
    start: int
    end: int
    tokens: int


def union(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Merge ranges that touch."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def length(spans: Iterable[tuple[int, int]]) -> int:
    """Return the length of ranges that do not touch."""
    return sum(end - start for start, end in spans)


def overlap(left: Iterable[tuple[int, int]], right: Iterable[tuple[int, int]]) -> int:
    """Return how much two sets of ranges share."""
    others = union(right)
    return sum(max(0, min(b, d) - max(a, c)) for a, b in union(left) for c, d in others)


def score_rankings(
    questions: Sequence[Question], rankings: Sequence[Sequence[RankedHit]]
) -> Scores:
    """Return each metric, one value per question."""
    rows = [
        _score(question, found)
        for question, found in zip(questions, rankings, strict=True)
    ]
    return {name: np.array([row[name] for row in rows], float) for name in rows[0]}


def _score(question: Question, found: Sequence[RankedHit]) -> dict[str, float]:
    rank = first_relevant(question, found[:DEEP])
    top = [(f.start, f.end) for f in found[:5] if f.path == question.path]
    return {
        "MRR@10": 1 / rank if rank else 0.0,
        "recall@5": float(0 < rank <= 5),  # noqa: PLR2004 - as its name says
        "nDCG@10": 1 / log2(1 + rank) if rank else 0.0,
        "Pass@10": float(rank > 0),
        "span recall@5": overlap(top, question.spans) / length(question.spans),
        "cov@1000": covered(question, found, 1000),
        "cov@2000": covered(question, found, 2000),
    }


def first_relevant(question: Question, found: Sequence[RankedHit]) -> int:
    """Return the rank of the first hit that counts, from 1; 0 for none."""
    for rank, hit in enumerate(found, 1):
        if hit.path == question.path and any(
            max(0, min(hit.end, end) - max(hit.start, start))
            >= 0.5 * min(hit.end - hit.start, end - start)
            for start, end in question.spans
        ):
            return rank
    return 0


def covered(question: Question, found: Sequence[RankedHit], budget: int) -> float:
    """Return the share of the answer in the first tokens of a ranking."""
    left, spans = budget, []
    for hit in found:
        end = hit.end
        if hit.tokens > left:
            end = int(hit.start + (hit.end - hit.start) * left / hit.tokens)
        if hit.path == question.path:
            spans.append((hit.start, end))
        if hit.tokens > left:
            break
        left -= hit.tokens
    return overlap(spans, question.spans) / length(question.spans)


def paired_interval(
    ours: NDArray[np.float64], theirs: NDArray[np.float64]
) -> tuple[float, float, float]:
    """Return the mean difference and its paired 95 % bootstrap interval."""
    difference = ours - theirs
    random = np.random.default_rng(0)
    size = len(difference)
    means = [
        difference[random.integers(0, size, size)].mean() for _ in range(RESAMPLES)
    ]
    low, high = np.percentile(means, [2.5, 97.5])
    return float(difference.mean()), float(low), float(high)


_MAX_HITS = 30  # more than fit into 2,000 tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """The scores of one setting."""

    # Arguments of `Index.search`.
    setting: Mapping[str, Any] = field(default_factory=dict)
    scores: Scores  # each metric, one value per question
    # The rank of the first hit that counts, per question; 0 for none.
    ranks: Sequence[int]
    best: Sequence[str]  # the place of the first hit, per question; empty for no hits

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
