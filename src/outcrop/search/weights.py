"""The weights of the signals, learned from questions and answers.

`weights.json` is written by `python -m training.ranking.learn` and says in `provenance`
what it was learned from. Its tables have a row for each kind of question and a column
for documents and for code.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from outcrop.search.question import QuestionKind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

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
