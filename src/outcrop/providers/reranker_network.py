"""The network of the local reranker: how well a passage answers a query.

Tokens start as rows of the local embedder with a learned row beside and marks for what
query and passage have in common. A convolution and two layers read the passage; then the
query reads it, layer after layer, and its vectors give the score. `training/reranking`
in the repository made the weights. Everything is computed with NumPy, in 32 bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from outcrop.providers.token_table import TokenTable

Floats = NDArray[np.float32]
Ids = NDArray[np.intp]
_HEADS = 4
_EPSILON = 1e-6
_EXCLUDED = -1e9
# What a token asks of the others, and what it answers: keys and values.
_OWN_PARTS = ("ask", "answer")


class RerankerNetwork:
    """The network with its weights.

    Args:
        arrays: The weights, as `training/reranking/export.py` writes them.
        table: The table of the local embedder.

    Attributes:
        max_query: Maximum number of tokens of a query.
        max_passage: Maximum number of tokens of a passage.
        cosine_weight: How much the cosine of the embedder counts beside the score.
    """

    def __init__(self, arrays: Mapping[str, NDArray[Any]], table: TokenTable) -> None:
        self._table = table
        self._learned = arrays["learned"]
        self._learned_scales = arrays["learned_scales"]
        self._mean_strength = float(arrays["mean_strength"])
        self.cosine_weight = float(arrays["cosine_weight"])
        self._w: dict[str, Floats] = {
            name: array.astype(np.float32)
            for name, array in arrays.items()
            if array.dtype == np.float16
        }
        self.max_query = len(self._w["place_query"])
        self.max_passage = len(self._w["place_passage"])
        self._layers = sum(name.endswith("_read_ask") for name in self._w)
        self._readers = [self._reader(at) for at in range(self._layers)]
        for at in range(self._layers):
            for end in ("", "_bias"):
                parts = [self._w.pop(f"{at}_own_{part}{end}") for part in _OWN_PARTS]
                self._w[f"{at}_own{end}"] = np.concatenate(parts, axis=-1)

    def score(self, query: Sequence[int], passages: Sequence[Sequence[int]]) -> Floats:
        """Return a score per passage: what the cosine of the embedder leaves out.

        Args:
            query: Token ids, at least one.
            passages: Token ids; at least one passage, and at least one id in each.
        """
        batch = self._look_up(query, passages)
        memory = self._read_passages(batch)
        vectors = self._query_vectors(batch)
        mask = np.where(batch.is_token, np.float32(0), np.float32(_EXCLUDED))
        for at, reader in enumerate(self._readers):
            asked = self._apply(f"{at}_read_ask", _scaled(vectors))
            read = reader.read(asked, memory, mask)
            vectors += self._apply(f"{at}_read_out", read)
            vectors = self._own_layer(at, vectors)
        vectors = _scaled(vectors)
        both = np.concatenate([vectors[:, 0], vectors[:, 1:].mean(axis=1)], axis=1)
        inner = np.maximum(self._apply("head", both), 0)
        scores: Floats = self._apply("last", inner)[:, 0]
        return scores

    def strengths(self, tokens: Sequence[int]) -> list[float]:
        """Return how much each token counts to the embedder."""
        rows = self._table.rows[list(tokens)].astype(np.float32)
        lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
        return [*map(float, lengths * self._table.scales[list(tokens)])]

    def _reader(self, at: int) -> _Reader:
        """Return the part of a layer by which the query reads a passage."""
        key, value = np.split(self._w.pop(f"{at}_read_answer"), 2, 1)
        # The bias of the keys adds the same to all scores of a token of the query.
        _, bias = np.split(self._w.pop(f"{at}_read_answer_bias"), 2)
        width = len(key)
        return _Reader(
            keys=_contiguous(key.reshape(width, _HEADS, -1).transpose(1, 2, 0)),
            values=_contiguous(value.reshape(width, _HEADS, -1).transpose(1, 0, 2)),
            bias=bias,
        )

    def _apply(self, name: str, x: Floats) -> Floats:
        """Apply one layer to all vectors at once."""
        flat = x.reshape(-1, x.shape[-1]) @ self._w[name]
        flat += self._w[f"{name}_bias"]
        return flat.reshape(*x.shape[:-1], -1)

    def _look_up(
        self, query: Sequence[int], passages: Sequence[Sequence[int]]
    ) -> _Batch:
        """Return what is known of each different token."""
        width = max(map(len, passages))
        ids = np.full((1 + len(passages), max(width, len(query))), -1, dtype=np.intp)
        for row, text in zip(ids, (query, *passages), strict=True):
            row[: len(text)] = text
        different, places = np.unique(ids, return_inverse=True)
        places = places.reshape(ids.shape)
        known = np.maximum(different, 0)
        rows = self._table.rows[known].astype(np.float32)
        lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows)) + np.float32(_EPSILON)
        directions = rows / lengths[:, None]
        asked = places[0, : len(query)]
        return _Batch(
            vectors=directions @ self._w["project"] + self._learned_rows(known),
            strength=lengths * self._table.scales[known] / self._mean_strength,
            near=np.maximum(directions @ directions[asked].T, 0),
            equal=different[:, None] == different[asked],
            query=asked,
            passages=places[1:, :width],
            is_token=ids[1:, :width] >= 0,
        )

    def _learned_rows(self, ids: Ids) -> Floats:
        """Return the learned rows of frequent tokens; the others share one."""
        own = np.minimum(ids, len(self._learned) - 1)
        rows: Floats = self._learned[own] * self._learned_scales[own, None]
        rows[ids >= len(self._learned)] = self._w["unlearned"]
        return rows

    def _read_passages(self, batch: _Batch) -> Floats:
        """Return what the query reads of each token of the passages."""
        w = self._w
        said = np.asarray(batch.equal.any(axis=1))
        marks = _marks(said, batch.near.max(axis=1), batch.strength)
        # One row per token, without padding.
        rows, places = np.nonzero(batch.is_token)
        vectors = (batch.vectors + marks @ w["marks_passage"])[
            batch.passages[rows, places]
        ]
        vectors += w["place_passage"][places]
        vectors += self._convolve(_scaled(vectors), rows)
        inner = self._apply("up", _scaled(vectors))
        np.maximum(inner, 0, out=inner)
        vectors += self._apply("down", inner)
        memory = np.zeros((*batch.is_token.shape, vectors.shape[1]), dtype=np.float32)
        memory[rows, places] = _scaled(vectors)
        return memory

    def _convolve(self, vectors: Floats, rows: Ids) -> Floats:
        """Return what each token gets from its neighbours in the same passage."""
        weights = self._w["near"]
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
        mixed += self._w["near_bias"]
        near: Floats = mixed[at - reach]
        return near

    def _query_vectors(self, batch: _Batch) -> Floats:
        """Return the vectors of the query beside each passage, after one for both."""
        w = self._w
        is_token = batch.is_token[:, :, None]
        near = (batch.near[batch.passages] * is_token).max(axis=1)
        equal = np.asarray((batch.equal[batch.passages] & is_token).any(axis=1))
        strength = np.broadcast_to(batch.strength[batch.query], near.shape)
        vectors: Floats = _marks(equal, near, strength) @ w["marks_query"]
        vectors += batch.vectors[batch.query] + w["place_query"][: len(batch.query)]
        first = np.broadcast_to(w["first"], (len(vectors), 1, vectors.shape[2]))
        return np.concatenate([first, vectors], axis=1)

    def _own_layer(self, at: int, vectors: Floats) -> Floats:
        """Let the query's tokens read each other."""
        asked, key, value = np.split(self._apply(f"{at}_own", _scaled(vectors)), 3, 2)
        vectors = vectors + self._apply(f"{at}_own_out", _attend(asked, key, value))
        inner = self._apply(f"{at}_up", _scaled(vectors))
        np.maximum(inner, 0, out=inner)
        return vectors + self._apply(f"{at}_down", inner)


class _Reader(NamedTuple):
    """What the query asks of a passage and takes from it, per head.

    A passage has many more tokens than the query, so it is read as it is: the query's
    vectors are brought to the passage's and back, not the passage's to the query's.

    Attributes:
        keys: From what a head asks to the vectors of a passage.
        values: From the vectors of a passage to what a head takes.
        bias: What is added to what is taken.
    """

    keys: Floats
    values: Floats
    bias: Floats

    def read(self, asked: Floats, memory: Floats, mask: Floats) -> Floats:
        """Return what each vector of the query takes from the passage beside it.

        Args:
            asked: What the query asks: passages, tokens of the query, numbers.
            memory: The passages: passages, tokens, numbers.
            mask: 0 at tokens, far below it at padding.
        """
        count, rows, width = asked.shape
        heads = asked.reshape(count * rows, _HEADS, -1).transpose(1, 0, 2) @ self.keys
        scores = _by_passage(heads, count) @ memory.transpose(0, 2, 1)
        scores += mask[:, None, :]
        read = _by_head(_softmax(scores) @ memory) @ self.values
        taken: Floats = read.transpose(1, 0, 2).reshape(count, rows, width)
        return taken + self.bias


class _Batch(NamedTuple):
    """A query and passages: the different tokens, and where each of them is.

    Attributes:
        vectors: The vector of each different token.
        strength: How much each counts to the embedder.
        near: Its cosine with each token of the query, or 0.
        equal: Whether it is each token of the query.
        query: The tokens of the query, as rows of the above.
        passages: Those of the passages, padded.
        is_token: Where they are not padded.
    """

    vectors: Floats
    strength: Floats
    near: Floats
    equal: NDArray[np.bool_]
    query: Ids
    passages: Ids
    is_token: NDArray[np.bool_]


def _marks(equal: NDArray[np.bool_], near: Floats, strength: Floats) -> Floats:
    """Return what is known of tokens beside their rows."""
    said = equal.astype(np.float32)
    return np.stack([said, said * strength, near, strength], axis=-1)


def _scaled(x: Floats) -> Floats:
    """Return vectors divided by the root of their mean square."""
    square = np.einsum("...i,...i->...", x, x) / x.shape[-1]
    scaled: Floats = x * (1 / np.sqrt(square + np.float32(_EPSILON)))[..., None]
    return scaled


def _attend(asked: Floats, key: Floats, value: Floats) -> Floats:
    """Return what each vector reads of others, with several heads."""
    count, rows, width = asked.shape
    asked, key, value = (
        x.reshape(count, x.shape[1], _HEADS, -1).transpose(0, 2, 1, 3)
        for x in (asked, key, value)
    )
    scores = _softmax(asked @ key.transpose(0, 1, 3, 2))
    read: Floats = (scores @ value).transpose(0, 2, 1, 3).reshape(count, rows, width)
    return read


def _softmax(scores: Floats) -> Floats:
    """Return scores as shares of 1, in the same place."""
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    return scores


def _by_passage(heads: Floats, count: int) -> Floats:
    """Return the vectors of all heads for each passage, from those for each head."""
    split = heads.reshape(_HEADS, count, -1, heads.shape[2])
    return split.transpose(1, 0, 2, 3).reshape(count, -1, heads.shape[2])


def _by_head(vectors: Floats) -> Floats:
    """Return the vectors of all passages for each head, from those for each passage."""
    split = vectors.reshape(len(vectors), _HEADS, -1, vectors.shape[2])
    return split.transpose(1, 0, 2, 3).reshape(_HEADS, -1, vectors.shape[2])


def _contiguous(x: Floats) -> Floats:
    return np.ascontiguousarray(x)
