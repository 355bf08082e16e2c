"""The network of the local reranker in C, if it was built; see `native/reranker`."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from outcrop.providers.reranker_weights import EXP_TABLE, VECTORS
from outcrop.text.native import load_native

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.providers.reranker_weights import Floats, RerankerWeights

NATIVE = load_native("outcrop.providers")


class NativeNetwork:
    """Computes what `RerankerNetwork` does, to the last bit, in less time.

    Args:
        weights: The weights, which it shares.
        kernel: One of `NATIVE.KERNELS`; by default the fastest.
    """

    def __init__(self, weights: RerankerWeights, kernel: str | None = None) -> None:
        if NATIVE is None:
            raise ImportError("the module in C was not built")
        self._network = NATIVE.Network(
            (
                weights.rows,
                weights.row_scales,
                weights.learned,
                weights.learned_scales,
            ),
            tuple(weights.vectors[name] for name in VECTORS),
            EXP_TABLE.astype(np.int32),
            weights.mean_strength,
            tuple(map(tuple, (weights.project, *weights.linear))),
            kernel,
        )

    def score(self, query: Sequence[int], passages: Sequence[Sequence[int]]) -> Floats:
        """Return a score per passage; see `RerankerNetwork.score`."""
        scores = self._network.score(
            _packed(query),
            _packed(list(chain.from_iterable(passages))),
            _packed([*map(len, passages)]),
        )
        return np.frombuffer(scores, np.float32)


def _packed(numbers: Sequence[int]) -> bytes:
    return np.array(numbers, dtype=np.uint32).tobytes()
