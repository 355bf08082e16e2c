"""The weights of the local reranker, as both of its implementations use them.

Layers are rounded to integers of 8 bits, each column with a step of its own. Their input
is rounded in the same way, row by row, so that all products and sums are of integers
below 2**24, which 32-bit floats hold exactly. The few operations between them are on
single numbers. So the scores are equal to the last bit, whether NumPy or C computes them,
and on every machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from outcrop.providers.local_embedder import TokenTable

Floats = NDArray[np.float32]
HEADS = 4
VECTORS = (
    "unlearned", "first", "near", "near_bias",
    "marks_query", "place_query", "marks_passage", "place_passage",
)  # fmt: skip
# What the query does with a passage, each time: it reads the passage, then itself, then it
# goes through two layers. A passage has many more tokens than the query, so it is read as
# it is: `ask` brings the query's vectors to the passage's, and `out` brings them back.
PARTS_OF_READING = ("ask", "out", "own", "own_out", "up", "down")
MAX_INTEGER = np.float32(127)
# Instead of an exponential: the values of exp(-n / 64), as integers up to 2**15.
EXP_STEPS = np.float32(64)
EXP_TABLE: Floats = np.rint(
    (2**15 - 1) * np.exp(-np.arange(1024) / float(EXP_STEPS))
).astype(np.float32)
# Smaller numbers are rounded as if the largest in their row were this one.
TINY = np.float32(1e-20)


class Linear(NamedTuple):
    """A layer: what it multiplies by, rounded, the step of each column and the bias."""

    weights: NDArray[np.int8]
    steps: Floats
    bias: Floats


class RerankerWeights:
    """What the network has learned.

    Args:
        arrays: The arrays of the file, as `training/reranking/export.py` writes them.
        table: The table of the local embedder.

    Attributes:
        rows: The embedder's row of each token.
        row_scales: What each is multiplied by.
        learned: The learned rows of frequent tokens.
        learned_scales: What each is multiplied by.
        mean_strength: How much a token counts to the embedder on average.
        cosine_weight: How much the cosine of the embedder counts beside the score.
        vectors: Arrays that are added or multiplied as they are.
        project: From the embedder's rows to the vectors of the network.
        linear: The other layers, in the order in which they are applied: two for a
            passage, then for each time that it is read six for the query, then two.
        max_query: Maximum number of tokens of a query.
        max_passage: Maximum number of tokens of a passage.
    """

    def __init__(self, arrays: Mapping[str, NDArray[Any]], table: TokenTable) -> None:
        self.rows, self.row_scales = table.rows, table.scales
        self.learned = arrays["learned"]
        self.learned_scales = arrays["learned_scales"]
        self.mean_strength = float(arrays["mean_strength"])
        self.cosine_weight = float(arrays["cosine_weight"])
        self.vectors: dict[str, Floats] = {
            name: arrays[name].astype(np.float32) for name in VECTORS
        }
        readings = sum(name.endswith(f"_{PARTS_OF_READING[0]}") for name in arrays)
        parts = (f"{at}_{part}" for at in range(readings) for part in PARTS_OF_READING)
        self.project = _layer(arrays, "project")
        self.linear = [
            _layer(arrays, name) for name in ("up", "down", *parts, "head", "last")
        ]
        self.max_query = len(self.vectors["place_query"])
        self.max_passage = len(self.vectors["place_passage"])

    def strengths(self, tokens: Sequence[int]) -> list[float]:
        """Return how much each token counts to the embedder."""
        ids = list(tokens)
        rows = self.rows[ids].astype(np.float32)
        lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
        return [*map(float, lengths * self.row_scales[ids])]


def _layer(arrays: Mapping[str, NDArray[Any]], name: str) -> Linear:
    return Linear(arrays[name], arrays[f"{name}_steps"], arrays[f"{name}_bias"])
