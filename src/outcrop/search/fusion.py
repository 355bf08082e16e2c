"""Ranking candidates by all signals together.

A score is the sum of the signals, each from 0 to 1 times its weight, lowered for tests,
examples and the like; plus the weighted score of the document; times the chunk's boost.
The weights are learned, and depend on the kinds of the question and of the candidate.

`weights.json` is written by `python -m training.ranking.learn` and says in `provenance`
what it was learned from. Its tables have a row for each kind of question and a column
for documents and for code.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from outcrop.search.question import QuestionKind
from outcrop.search.signals import SIGNALS
from outcrop.search.signals.structure import FILE_KINDS, score_document, unwanted_kinds

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from outcrop.model.candidate import Candidate
    from outcrop.search.signals.signal import Pool, Signal

FILE = "weights.json"
# The columns of the tables.
COLUMNS = ("documents", "code")


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """How much each signal counts.

    Attributes:
        signals: For each kind of question, the weights of each signal for documents and
            for code.
        document: For each kind of question, the weight of the document's best chunks.
        factors: What the score of each kind of file is multiplied by.
    """

    signals: Mapping[QuestionKind, Mapping[str, tuple[float, float]]]
    document: Mapping[QuestionKind, float]
    factors: Mapping[str, float]

    def rows(self, kind: QuestionKind, names: Sequence[str]) -> NDArray[np.float64]:
        """Return a row for each signal: its weight for documents and for code."""
        table = self.signals[kind]
        return np.array([table.get(name, (0.0, 0.0)) for name in names]).reshape(-1, 2)


@cache
def learned_weights() -> Weights:
    """Return the weights that come with Outcrop."""
    return read_weights(json.loads(files("outcrop.search").joinpath(FILE).read_text()))


def read_weights(table: Mapping[str, Any]) -> Weights:
    """Return the weights in a table as `weights.json` has it."""
    return Weights(
        signals={
            QuestionKind(kind): {
                name: (row[COLUMNS[0]], row[COLUMNS[1]]) for name, row in rows.items()
            }
            for kind, rows in table["signals"].items()
        },
        document={QuestionKind(kind): w for kind, w in table["document"].items()},
        factors=dict(table["factors"]),
    )


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
