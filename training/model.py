"""The model: what each token adds to a text, learned with NumPy on any machine."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

TOP = 10
MAX_VALIDATED = 2_000  # pairs of a kind: each is ranked among the others
MIN_VALIDATED = 50
_EPSILON = 1e-6


class Pairs:
    """All pairs as flat ids with offsets."""

    def __init__(self, file: Path) -> None:
        data = np.load(file)
        self.ids = data["ids"].astype(np.int32)
        self.weights = np.sqrt(data["counts"].astype(np.float32))
        lengths = data["lengths"].astype(np.int64)
        self.start = (np.cumsum(lengths) - lengths).reshape(-1, 2)
        self.length = lengths.reshape(-1, 2)
        labels = data["labels"]
        self.kind, self.group = labels[:, 0], labels[:, 1]
        self.is_held_out = labels[:, 2] > 0
        self.keys = data["keys"]

    @cached_property
    def validated(self) -> NDArray[np.int64]:
        """Pairs held out, less the messages that other programs share."""
        held = np.flatnonzero(self.is_held_out)
        seen = np.isin(self.keys[held], self.keys[~self.is_held_out]).any(1)
        return held[~seen]

    def __len__(self) -> int:
        return len(self.kind)

    def bags(
        self, rows: NDArray[np.int64], side: int, length: NDArray[np.int64]
    ) -> Bags:
        """Return one side of some pairs, each up to a length in tokens."""
        length = np.minimum(self.length[rows, side], length)
        ends = np.cumsum(length)
        starts = ends - length
        at = np.arange(ends[-1]) + np.repeat(self.start[rows, side] - starts, length)
        return Bags(self.ids[at], self.weights[at], np.concatenate([[0], ends]))


class Bags(NamedTuple):
    """Texts as tokens with weights, end to end, and where each starts."""

    ids: NDArray[np.int32]
    weights: Floats
    starts: NDArray[np.int64]

    def matrix(self, size: int) -> csr_matrix:
        """Return a row per text and a column per token."""
        shape = (len(self.starts) - 1, size)
        return csr_matrix((self.weights, self.ids, self.starts), shape=shape)


class Encoded(NamedTuple):
    """Texts as vectors of unit length, with what the gradient needs."""

    matrix: csr_matrix
    vectors: Floats
    norms: Floats

    def gradient(self, above: Floats) -> Floats:
        """Return the gradient of the sums, given that of the vectors."""
        along = np.einsum("ij,ij->i", above, self.vectors)[:, None]
        return (above - along * self.vectors) / self.norms


def encode(rows: Floats, bags: Bags) -> Encoded:
    """Return the vectors of texts."""
    matrix = bags.matrix(len(rows))
    summed = matrix @ rows
    norms = np.sqrt(np.einsum("ij,ij->i", summed, summed))[:, None] + _EPSILON
    return Encoded(matrix, summed / norms, norms)


def reciprocal_rank(query: Floats, passage: Floats, keys: NDArray[np.int64]) -> float:
    """Return MRR@10 of each passage among all of them, equal ones counted as right."""
    scores = query @ passage.T
    same = keys[:, None] == keys[None, :]
    best = np.where(same, scores, -2.0).max(1, keepdims=True)
    rank = ((scores > best) & ~same).sum(1) + 1
    return float(np.where(rank <= TOP, 1.0 / rank, 0.0).mean())


def validate(rows: Floats, pairs: Pairs, kinds: list[str]) -> dict[str, float]:
    """Return MRR@10 by kind of pair over the packages held out."""
    found = {}
    for number, kind in enumerate(kinds):
        chosen = pairs.validated[pairs.kind[pairs.validated] == number]
        if len(chosen) < MIN_VALIDATED:
            continue
        chosen = np.random.default_rng(1).permutation(chosen)[:MAX_VALIDATED]
        whole = np.full(len(chosen), 999)
        query, passage = (
            encode(rows, pairs.bags(chosen, side, whole)) for side in (0, 1)
        )
        keys = pairs.keys[chosen, 1]
        found[kind] = reciprocal_rank(query.vectors, passage.vectors, keys)
    return found


def summarize(figures: dict[str, float]) -> dict[str, float]:
    """Return the means by which settings are chosen."""
    parts = {
        "code": ("docstring", "doc_comment", "comment", "docstring_body"),
        "name": ("name",),
        "docs": ("heading", "sentence"),
        "translation": tuple(k for k in figures if k.startswith("translation_")),
        "passage": tuple(k for k in figures if k.startswith("passage_")),
    }
    means = {
        part: float(
            np.mean([figures[kind] for kind in kinds if kind in figures] or [0.0])
        )
        for part, kinds in parts.items()
    }
    return means | {"all": float(np.mean(list(means.values())))}
