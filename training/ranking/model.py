"""The model: what search computes from the values of the signals, and its learning.

The probability that a candidate answers is a softmax of the scores of the question's
candidates. The likelihood of the answers is maximised under a penalty for weights that
differ from those chosen by hand (or learned before), so that these stay where the questions say little, and
one for weights that differ between kinds of questions, so that kinds with few questions
follow the others. Weights are never negative: a signal that speaks for a candidate
cannot speak against it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from outcrop.search.question import QuestionKind
from outcrop.search.signals.structure import FILE_KINDS
from training.ranking.dataset import KINDS, NAMES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from outcrop.search.fusion import Weights
    from training.ranking.dataset import Example

ROWS = 2 * len(KINDS)
CHUNKS_PER_DOCUMENT = 3
SCALES = (2.0, 3.0, 4.0, 5.0, 6.0, 8.0)
# Sentences that people wrote about something elsewhere are closest to questions. Names,
# words copied from the answer and reports put together by rules are further from them.
_MADE_BY_RULES = "heading keywords name_words path report symbol test traceback where"
IMPORTANCE = dict.fromkeys(_MADE_BY_RULES.split(), 0.25)
# Most questions ask for code, but documents must not rank lower for that.
DOCUMENT_IMPORTANCE = 1.5


@dataclass(frozen=True)
class Settings:
    """How much the model may follow the examples."""

    penalty: float = 1e-4
    difference_penalty: float = 5e-4
    # The shares of documents follow from the weights: they are computed, kept while
    # the weights are learned, and computed again.
    iterations: tuple[int, ...] = (40, 25, 15)


@dataclass(frozen=True)
class Model:
    """Weights of the signals by row, of the document by kind, and logs of factors."""

    weights: NDArray[np.float64]
    document: NDArray[np.float64]
    lowering: NDArray[np.float64]

    def score(self, example: Example) -> NDArray[np.float64]:
        """Return the scores of the candidates."""
        sums = self.sums(example)
        weight = float(self.document[example.row // 2])
        return sums + weight * document_shares(example, sums)

    def sums(self, example: Example) -> NDArray[np.float64]:
        """Return the scores without that of the document."""
        weights = self.weights[example.row + example.is_code]
        factors = np.exp(-example.lowered @ self.lowering)
        sums: NDArray[np.float64] = np.sum(example.values * weights, axis=1) * factors
        return sums

    def flat(self) -> NDArray[np.float64]:
        """Return all parameters in one vector."""
        return np.concatenate([self.weights.ravel(), self.document, self.lowering])

    def scaled(self, factor: float) -> Model:
        """Return a model that ranks alike, with higher or lower scores."""
        return Model(self.weights * factor, self.document * factor, self.lowering)

    @classmethod
    def of_weights(cls, weights: Weights) -> Model:
        """Return the model of a table of weights."""
        return cls(
            np.concatenate([weights.rows(kind, NAMES).T for kind in KINDS]),
            np.array([weights.document[kind] for kind in KINDS]),
            -np.log([weights.factors[kind] for kind in FILE_KINDS]),
        )

    @classmethod
    def unpack(cls, flat: NDArray[np.float64]) -> Model:
        """Return the model of a flat vector of parameters."""
        first = ROWS * len(NAMES)
        second = first + len(KINDS)
        return cls(flat[:first].reshape(ROWS, -1), flat[first:second], flat[second:])


def document_shares(example: Example, sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum over the best chunks of each document, relative to the best."""
    return _shares(sums, example.document, np.zeros(len(sums), dtype=np.intp))


def _shares(
    sums: NDArray[np.float64],
    document: NDArray[np.intp],
    question: NDArray[np.intp],
) -> NDArray[np.float64]:
    """Return the shares for several questions; documents are numbered over all."""
    order = np.lexsort((-sums, document))
    place = np.arange(len(sums))
    first = np.searchsorted(document[order], document[order])
    best = order[place - first < CHUNKS_PER_DOCUMENT]
    totals = np.bincount(document[best], sums[best])[document]
    highest = np.zeros(question[-1] + 1)
    np.maximum.at(highest, question, totals)
    shares: NDArray[np.float64] = totals / np.maximum(highest[question], 1e-12)
    return shares


def hand_weighted() -> Model:
    """Return round weights, for documents and for code; 0 for other signals.

    Kinds of questions whose weights are not learned use them, and learning stays close
    to them.
    """
    by_hand = {
        "lexical": (1.0, 1.0),
        "vector": (0.1, 0.1),
        "title": (0.5, 0.0),
        "name": (0.0, 0.3),
        "enclosing": (0.0, 0.1),
        "file_name": (0.3, 0.3),
        "name_meaning": (0.1, 0.3),
        "coverage": (0.3, 0.3),
        "prose": (0.3, 0.0),
        "definition": (0.0, 0.1),
        "line": (10.0, 10.0),
        "foreign": (4.0, 0.0),
    }
    alike = np.array([by_hand.get(name, (0.0, 0.0)) for name in NAMES]).T
    weights = np.tile(alike, (len(KINDS), 1))
    # Some kinds differ. Reports have paths and frames of tracebacks.
    by_kind = {
        QuestionKind.PROSE: {
            "cosine": (0.8, 0.8),
            "vector": (0.1, 0.2),
            "guide": (0.2, 0.0),
            "behaviour": (0.0, 0.2),
            "source": (0.0, 0.1),
            "foreign_name": (0.2, 0.0),
        },
        QuestionKind.PHRASE: {
            "cosine": (0.4, 0.4),
            "matched": (0.2, 0.0),
            "coverage": (0.3, 0.4),
            "guide": (0.2, 0.0),
            "behaviour": (0.0, 0.2),
            "source": (0.0, 0.2),
            "foreign_name": (0.4, 0.0),
        },
        QuestionKind.NAME: {"definition": (0.0, 1.0)},
        QuestionKind.REPORT: {
            "coverage": (0.0, 0.0),
            "definition": (0.0, 0.3),
            "path": (0.0, 0.5),
            "frame": (0.0, 0.5),
            "behaviour": (0.0, 0.2),
            "source": (0.0, 0.2),
        },
    }
    for kind, of_kind in by_kind.items():
        row = 2 * KINDS.index(kind)
        for name, pair in of_kind.items():
            weights[row : row + 2, NAMES.index(name)] = pair
    lowering = [0.0 if kind == "changes" else -np.log(0.7) for kind in FILE_KINDS]
    return Model(weights, np.full(len(KINDS), 0.2), np.array(lowering))


def question_weights(examples: Sequence[Example]) -> NDArray[np.float64]:
    """Return how much each question counts.

    The questions of one shape that ask for documents, or for code, alone or beside the
    other, count less, each, where there are many.
    """
    importance = np.array(
        [IMPORTANCE.get(e.kind.removesuffix(" (file)"), 1.0) for e in examples]
    )
    alike: defaultdict[tuple[int, str, bool], list[int]] = defaultdict(list)
    for at, example in enumerate(examples):
        alike[example.row, example.side, example.is_mixed].append(at)
    weights = np.zeros(len(examples))
    for (_, side, _), members in alike.items():
        share = DOCUMENT_IMPORTANCE if side == "documents" else 1.0
        weights[members] = share * importance[members]
        weights[members] /= importance[members].sum() ** 0.5
    return weights / weights.sum()


class _Stacked:
    """All examples in single arrays."""

    def __init__(self, examples: Sequence[Example]) -> None:
        self.examples = examples
        sizes = [len(example.is_answer) for example in examples]
        self.starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        self.question = np.repeat(np.arange(len(examples)), sizes)
        self.row = np.concatenate([e.row + e.is_code for e in examples])
        self.lowered = np.concatenate([e.lowered for e in examples])
        self.is_answer = np.concatenate([e.is_answer for e in examples]).astype(float)
        before = np.cumsum([0, *(e.document.max() + 1 for e in examples[:-1])])
        self.document = np.concatenate(
            [e.document + at for e, at in zip(examples, before, strict=True)]
        )
        values = np.concatenate([e.values for e in examples])
        self.by_row = {
            row: (at, values[at])
            for row in range(ROWS)
            if len(at := np.flatnonzero(self.row == row))
        }
        self.weight = question_weights(examples)

    def sums(self, model: Model) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the scores without those of the documents, and the factors in them."""
        factors = np.exp(-self.lowered @ model.lowering)
        sums = np.zeros(len(self.row))
        for row, (at, values) in self.by_row.items():
            sums[at] = values @ model.weights[row]
        return sums * factors, factors


def learn(
    examples: Sequence[Example], settings: Settings, start: Model | None = None
) -> Model:
    """Learn the weights.

    Args:
        examples: Questions, each with an answer among its candidates.
        settings: The penalties.
        start: Weights to stay close to; those by hand if None.
    """
    from scipy.optimize import minimize  # type: ignore[import-untyped]

    data = _Stacked(examples)
    prior = flat = _prior(data, start or hand_weighted())
    bounds = [(0, None)] * len(flat)
    for iterations in settings.iterations:
        lowered = data.sums(Model.unpack(flat))[0]
        shares = _shares(lowered, data.document, data.question)
        found = minimize(
            _loss,
            flat,
            args=(data, shares, prior, settings),
            jac=True,
            method="L-BFGS-B",
            bounds=bounds,
            options={"maxiter": iterations},
        )
        flat = found.x
    return Model.unpack(flat)


def _prior(data: _Stacked, start: Model) -> NDArray[np.float64]:
    """Return the weights to stay close to, scaled to make the answers most likely."""
    sums, _ = data.sums(start)
    shares = _shares(sums, data.document, data.question)
    nothing = Settings(penalty=0.0, difference_penalty=0.0)
    flats = [start.scaled(scale).flat() for scale in SCALES]
    losses = [_loss(flat, data, shares, flat, nothing)[0] for flat in flats]
    return flats[int(np.argmin(losses))]


def _loss(
    flat: NDArray[np.float64],
    data: _Stacked,
    shares: NDArray[np.float64],
    prior: NDArray[np.float64],
    settings: Settings,
) -> tuple[float, NDArray[np.float64]]:
    """Return the penalised loss and its gradient."""
    model = Model.unpack(flat)
    lowered, factors = data.sums(model)
    scores = lowered + model.document[data.row // 2] * shares
    high = np.maximum.reduceat(scores, data.starts)[data.question]
    exps = np.exp(scores - high)
    totals = np.add.reduceat(exps, data.starts)
    answers = np.maximum(np.add.reduceat(exps * data.is_answer, data.starts), 1e-300)
    loss = float(data.weight @ (np.log(totals) - np.log(answers)))
    slope = exps / totals[data.question]
    slope -= exps * data.is_answer / answers[data.question]
    slope *= data.weight[data.question]
    weights = np.zeros_like(model.weights)
    for row, (at, values) in data.by_row.items():
        weights[row] = (slope[at] * factors[at]) @ values
    document = np.bincount(data.row // 2, slope * shares, len(KINDS))
    lowering = -(slope * lowered) @ data.lowered
    apart = model.weights - np.tile(_means(model.weights), (len(KINDS), 1))
    change = flat - prior
    loss += settings.penalty * float(change @ change)
    loss += settings.difference_penalty * float((apart**2).sum())
    weights += 2 * settings.difference_penalty * apart
    gradient = np.concatenate([weights.ravel(), document, lowering])
    return loss, gradient + 2 * settings.penalty * change


def _means(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean over kinds of questions, for documents and for code."""
    return np.stack([weights[0::2].mean(axis=0), weights[1::2].mean(axis=0)])
