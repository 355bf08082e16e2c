"""The network of the local reranker: how well a passage answers a query.

Tokens start as rows of the local embedder with a learned row beside and marks for what
query and passage have in common. A convolution and two layers read the passage; then the
query reads it, layer after layer, and its vectors give the score. `training/reranking`
in the repository made the weights.

It is written in NumPy, and in C in `native/reranker`: operation by operation and in the
same order, so the scores are equal to the last bit; see `reranker_weights.py`.
"""

from __future__ import annotations

from array import array
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outcrop.providers.one_core import on_one_core
from outcrop.providers.reranker_weights import (
    EXP_STEPS,
    EXP_TABLE,
    HEADS,
    MAX_INTEGER,
    PARTS_OF_READING,
    TINY,
    VECTORS,
    Floats,
)
from outcrop.text.native import load_native

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from outcrop.providers.reranker_weights import Floats, Linear, RerankerWeights

Ids = NDArray[np.intp]
_EPSILON = np.float32(1e-6)
_EXCLUDED = np.float32(-1e9)


class RerankerNetwork:
    """The network with its weights, in NumPy."""

    def __init__(self, weights: RerankerWeights) -> None:
        self._w = weights
        self._v = weights.vectors
        self._project = _as_floats(weights.project)
        self._passage = [_as_floats(layer) for layer in weights.linear[:2]]
        self._query = [_as_floats(layer) for layer in weights.linear[2:-2]]
        self._head = [_as_floats(layer) for layer in weights.linear[-2:]]

    def score(self, query: Sequence[int], passages: Sequence[Sequence[int]]) -> Floats:
        """Return a score per passage: what the cosine of the embedder leaves out.

        Args:
            query: Token ids, at least one.
            passages: Token ids; at least one passage, and at least one id in each.
        """
        with on_one_core():
            return self._score(query, passages)

    def _score(self, query: Sequence[int], passages: Sequence[Sequence[int]]) -> Floats:
        batch = self._look_up(query, passages)
        memory = self._read_passages(batch)
        mask = np.where(batch.is_token, np.float32(0), _EXCLUDED)[:, None]
        vectors = self._query_vectors(batch)
        count = len(PARTS_OF_READING)
        for at in range(0, len(self._query), count):
            ask, out, own, own_out, up, down = self._query[at : at + count]
            asked = _apply(ask, _normalized(vectors))
            asked = asked.reshape(len(vectors), -1, vectors.shape[2])
            read = _attend(_rounded(asked), memory, memory, mask)
            vectors += _apply(out, _rounded(read.reshape(*vectors.shape[:2], -1)))
            read = _read_itself(_apply(own, _normalized(vectors)))
            vectors += _apply(own_out, _rounded(read))
            inner = np.maximum(_apply(up, _normalized(vectors)), 0)
            vectors += _apply(down, _rounded(inner))
        vectors *= _factor(_rounded(vectors))
        mean = vectors[:, 1:].sum(axis=1) / np.float32(len(query))
        both = np.concatenate([vectors[:, 0], mean], axis=1)
        inner = np.maximum(_apply(self._head[0], _rounded(both)), 0)
        scores: Floats = _apply(self._head[1], _rounded(inner))[:, 0]
        return scores

    def _look_up(
        self, query: Sequence[int], passages: Sequence[Sequence[int]]
    ) -> _Batch:
        """Look up the weights of each different token."""
        width = max(map(len, passages))
        ids = np.full((1 + len(passages), max(width, len(query))), -1, dtype=np.intp)
        for row, text in zip(ids, (query, *passages), strict=True):
            row[: len(text)] = text
        different, places = np.unique(ids, return_inverse=True)
        places = places.reshape(ids.shape)
        known = np.maximum(different, 0)
        rows = self._w.rows[known].astype(np.float32)
        lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows)) + _EPSILON
        inverse = 1 / lengths
        mean_strength = np.float32(self._w.mean_strength)
        asked = places[0, : len(query)]
        near = rows @ rows[asked].T
        near *= inverse[asked]
        near *= inverse[:, None]
        vectors = _apply(self._project, _Rounded(rows, inverse[:, None]))
        return _Batch(
            vectors=vectors + self._learned_rows(known),
            strength=lengths * self._w.row_scales[known] / mean_strength,
            near=np.maximum(near, 0),
            equal=different[:, None] == different[asked],
            query=asked,
            passages=places[1:, :width],
            is_token=ids[1:, :width] >= 0,
        )

    def _learned_rows(self, ids: Ids) -> Floats:
        """Return the learned rows of frequent tokens; the others share one."""
        learned, scales = self._w.learned, self._w.learned_scales
        own = np.minimum(ids, len(learned) - 1)
        rows: Floats = learned[own] * scales[own, None]
        rows[ids >= len(learned)] = self._v["unlearned"]
        return rows

    def _read_passages(self, batch: _Batch) -> _Rounded:
        """Return what the query reads of each token of the passages."""
        said = np.asarray(batch.equal.any(axis=1))
        marks = _marks(
            said, batch.near.max(axis=1), batch.strength, self._v["marks_passage"]
        )
        # One row per token, without padding.
        rows, places = np.nonzero(batch.is_token)
        vectors = (batch.vectors + marks)[batch.passages[rows, places]]
        vectors += self._v["place_passage"][places]
        vectors += self._convolve(vectors * _factor(_rounded(vectors)), rows)
        up, down = self._passage
        inner = np.maximum(_apply(up, _normalized(vectors)), 0)
        vectors += _apply(down, _rounded(inner))
        read = _normalized(vectors)
        shape = batch.is_token.shape
        memory = _Rounded(
            np.zeros((*shape, vectors.shape[1]), dtype=np.float32),
            np.zeros((*shape, 1), dtype=np.float32),
        )
        memory.numbers[rows, places] = read.numbers
        memory.steps[rows, places] = read.steps
        return memory

    def _convolve(self, vectors: Floats, rows: Ids) -> Floats:
        """Return what each token gets from its neighbours in the same passage."""
        weights = self._v["near"]
        reach = len(weights) // 2
        # Passages with as many zeros between them as the convolution reaches.
        at = np.arange(len(rows)) + reach * (rows + 1)
        spaced = np.zeros((at[-1] + 1 + reach, vectors.shape[1]), dtype=np.float32)
        spaced[at] = vectors
        size = len(spaced) - 2 * reach
        mixed = spaced[:size] * weights[0]
        term = np.empty_like(mixed)
        for offset, weight in enumerate(weights[1:], 1):
            mixed += np.multiply(spaced[offset : offset + size], weight, out=term)
        mixed += self._v["near_bias"]
        near: Floats = mixed[at - reach]
        return near

    def _query_vectors(self, batch: _Batch) -> Floats:
        """Return the vectors of the query beside each passage, after one for both."""
        is_token = batch.is_token[:, :, None]
        near = (batch.near[batch.passages] * is_token).max(axis=1)
        equal = np.asarray((batch.equal[batch.passages] & is_token).any(axis=1))
        strength = np.broadcast_to(batch.strength[batch.query], near.shape)
        places = self._v["place_query"][: len(batch.query)]
        vectors = batch.vectors[batch.query] + places
        vectors = vectors + _marks(equal, near, strength, self._v["marks_query"])
        first = np.broadcast_to(self._v["first"], (len(vectors), 1, vectors.shape[2]))
        return np.concatenate([first, vectors], axis=1)


class _Floats(NamedTuple):
    """A layer whose integers are floats: NumPy multiplies those many times as fast."""

    weights: Floats
    steps: Floats
    bias: Floats


class _Rounded(NamedTuple):
    """Rows of integers from -127 to 127, and what each row is multiplied by."""

    numbers: Floats
    steps: Floats


class _Batch(NamedTuple):
    """A query and passages: the different tokens, and where each of them is."""

    vectors: Floats  # the vector of each different token
    strength: Floats  # how much each counts to the embedder
    near: Floats  # its cosine with each token of the query, or 0
    equal: NDArray[np.bool_]  # whether it is each token of the query
    query: Ids  # the tokens of the query, as rows of the above
    passages: Ids  # those of the passages, padded
    is_token: NDArray[np.bool_]  # where they are not padded


def _as_floats(layer: Linear) -> _Floats:
    return _Floats(layer.weights.astype(np.float32), layer.steps, layer.bias)


def _apply(layer: _Floats, rows: _Rounded) -> Floats:
    numbers = rows.numbers
    flat = numbers.reshape(-1, numbers.shape[-1]) @ layer.weights
    flat *= layer.steps
    flat *= rows.steps.reshape(-1, 1)
    flat += layer.bias
    return flat.reshape(*numbers.shape[:-1], -1)


def _rounded(x: Floats) -> _Rounded:
    """Return rows as integers."""
    top = np.maximum(np.abs(x).max(axis=-1, keepdims=True), TINY)
    numbers = x * (MAX_INTEGER / top)
    return _Rounded(np.rint(numbers, out=numbers), top / MAX_INTEGER)


def _factor(rows: _Rounded) -> Floats:
    """Return one over the root of the mean square of each row."""
    numbers, steps = rows
    square = np.einsum("...i,...i->...", numbers, numbers)[..., None]
    mean = square * (steps * steps) / np.float32(numbers.shape[-1])
    factor: Floats = 1 / np.sqrt(mean + _EPSILON)
    return factor


def _normalized(x: Floats) -> _Rounded:
    """Return rows as integers, divided by the root of their mean square."""
    rows = _rounded(x)
    return _Rounded(rows.numbers, rows.steps * _factor(rows))


def _marks(
    equal: NDArray[np.bool_], near: Floats, strength: Floats, weights: Floats
) -> Floats:
    """Return what is added to the rows of tokens that the question has or is close to."""
    same = equal.astype(np.float32)
    marks: Floats = same[..., None] * weights[0]
    others = (same * strength, near, strength)
    for values, weight in zip(others, weights[1:], strict=True):
        marks += values[..., None] * weight
    return marks


def _attend(
    asked: _Rounded, keys: _Rounded, values: _Rounded, mask: Floats | np.float32
) -> Floats:
    """Return what each row reads of others: the values of those whose keys it asks for.

    Args:
        asked: Rows that ask.
        keys: Rows that are compared with them.
        values: As many rows, which are read.
        mask: 0 for rows that may be read, far below it for others.
    """
    scores = asked.numbers @ keys.numbers.swapaxes(-1, -2)
    scores *= keys.steps.swapaxes(-1, -2)
    scores *= asked.steps
    scores += mask
    below = (scores.max(axis=-1, keepdims=True) - scores) * EXP_STEPS
    at = np.minimum(np.rint(below), np.float32(len(EXP_TABLE) - 1)).astype(np.intp)
    shares = EXP_TABLE[at]
    total = shares.sum(axis=-1, keepdims=True)
    shares *= values.steps.swapaxes(-1, -2)
    rounded = _rounded(shares)
    read: Floats = rounded.numbers @ values.numbers
    read *= rounded.steps / total
    return read


def _read_itself(asked_and_read: Floats) -> Floats:
    """Let the vectors of each query read each other."""
    count, rows, width = asked_and_read.shape
    split = asked_and_read.reshape(count, rows, 3, HEADS, -1).transpose(2, 0, 3, 1, 4)
    asked, keys, values = (_rounded(part) for part in split)
    read = _attend(asked, keys, values, np.float32(0))
    return read.transpose(0, 2, 1, 3).reshape(count, rows, width // 3)


NATIVE = load_native("outcrop.providers")


class NativeNetwork:
    """The network in C, if it was built: the same to the last bit, in less time.

    Args:
        weights: The weights, which it shares.
        kernel: One of `NATIVE.KERNELS`; by default the fastest.
    """

    def __init__(self, weights: RerankerWeights, kernel: str | None = None) -> None:
        if NATIVE is None:
            raise ImportError("the module in C was not built")
        self._network = NATIVE.Network(
            (weights.rows, weights.row_scales, weights.learned, weights.learned_scales),
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
            _packed(chain.from_iterable(passages)),
            _packed(map(len, passages)),
        )
        return np.frombuffer(scores, np.float32)


def _packed(numbers: Iterable[int]) -> bytes:
    return array("I", numbers).tobytes()
