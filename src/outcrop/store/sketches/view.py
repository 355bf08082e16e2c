"""Sketches: vectors as bits that keep their angles, and the search for the nearest ones.

A sketch says on which side of some hundred planes a vector lies. Vectors that point the
same way lie on the same side of most of them, so counting the bits that differ tells
which are near, in a hundredth of the time that their numbers would take. The planes are
the rows of Hadamard matrices whose columns have random signs: they are orthogonal, which
tells more than random planes do, and a vector is compared with all of them by additions
alone, so that its sketch is the same on every machine.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, replace
from functools import cache, reduce
from hashlib import shake_256
from typing import TYPE_CHECKING

import numpy as np

from outcrop.text.native import NATIVE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

# Of short vectors and of long ones. With 256 numbers, 256 bits find a tenth less.
_SHORT_BITS, _LONG_BITS = 512, 1_024
_MAX_SHORT = 512
_WORD_BITS = 64
_SEED = b"outcrop sketches 1"

# It reads the bytes of a word from the lowest to the highest.
_NATIVE = NATIVE if sys.byteorder == "little" else None
# How many times as many sketches are compared bit by bit as are returned.
_COMPARED_PER_MATCH = 4
# What is in between takes 1 MB.
_COUNTED_AT_ONCE = 16_384
_BYTES = 256  # the values of a byte
_BYTE_BITS = np.unpackbits(
    np.arange(_BYTES, dtype=np.uint8)[:, None], axis=1, bitorder="little"
).astype(np.float32)


def count_words(dimension: int) -> int:
    """Return the number of 64-bit words of a sketch of vectors with some dimension."""
    bits = _SHORT_BITS if dimension <= _MAX_SHORT else _LONG_BITS
    return bits // _WORD_BITS


def project(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the distances of vectors from the planes, with their signs.

    Args:
        vectors: A row for each.

    Returns:
        A row for each plane, a column for each vector.
    """
    number, dimension = vectors.shape
    signs = _signs(dimension)
    rounds, size = signs.shape
    padded = np.zeros((size, number), np.float32)
    padded[:dimension] = vectors.T
    # Every round has other signs.
    values = signs[:, :, None] * padded
    width = 1
    while width < size:
        halves = values.reshape(rounds, size // (2 * width), 2, width, number)
        added = np.empty_like(halves)
        np.add(halves[:, :, 0], halves[:, :, 1], out=added[:, :, 0])
        np.subtract(halves[:, :, 0], halves[:, :, 1], out=added[:, :, 1])
        values = added
        width *= 2
    planes = count_words(dimension) * _WORD_BITS
    return values.reshape(rounds * size, number)[:planes]


def pack(projected: NDArray[np.float32]) -> NDArray[np.uint64]:
    """Return the sketches of projected vectors: a row for each word."""
    packed = np.packbits(projected > 0, axis=0, bitorder="little")
    planes, number = projected.shape
    words = planes // _WORD_BITS
    by_word = packed.reshape(words, _WORD_BITS // 8, number).transpose(0, 2, 1)
    return np.ascontiguousarray(by_word).view("<u8").reshape(words, number)


@cache
def _signs(dimension: int) -> NDArray[np.float32]:
    """Return random signs: a row for each round, as long as the next power of two."""
    size = 1 << max(0, dimension - 1).bit_length()
    bits = count_words(dimension) * _WORD_BITS
    rounds = math.ceil(bits / size)
    raw = shake_256(_SEED).digest(math.ceil(rounds * size / 8))
    signs = np.unpackbits(np.frombuffer(raw, np.uint8), count=rounds * size)
    return (2 * signs.astype(np.float32) - 1).reshape(rounds, size)


@dataclass(frozen=True, slots=True)
class Block:
    """The sketches that one transaction wrote, or several that were merged.

    Attributes:
        key: Identifies the block in all databases.
        written: Orders blocks: one that was written later has a greater number.
        ids: The ids of the chunks, as numbers.
        words: The sketches: a row for each word, a column for each chunk.
        gone: Ids of chunks whose sketches in earlier blocks no longer count.
    """

    key: str
    written: int
    ids: NDArray[np.uint64]
    words: NDArray[np.uint64]
    gone: NDArray[np.uint64]


class SketchView:
    """The sketches that one transaction sees.

    Attributes:
        dimension: The number of dimensions of the embeddings.
        blocks: The blocks, by key.
    """

    def __init__(self, dimension: int, blocks: Iterable[Block] = ()) -> None:
        """Arrange blocks for searching.

        Args:
            dimension: That of the embeddings.
            blocks: All blocks of the index.
        """
        self.dimension = dimension
        ordered = sorted(blocks, key=lambda block: block.written)
        self._ids = _join([block.ids for block in ordered])
        self._words = np.concatenate(
            [block.words for block in ordered]
            or [np.empty((count_words(dimension), 0), np.uint64)],
            axis=1,
        )
        self._dead = _find_dead(ordered)
        self.blocks = {block.key: block for block in self._sliced(ordered)}

    def __len__(self) -> int:
        """Return the number of sketches."""
        return len(self._ids)

    def holds(self, keys: frozenset[str], dimension: int) -> bool:
        """Return whether these are its blocks."""
        return self.dimension == dimension and self.blocks.keys() == keys

    def merged(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Return the ids and the words of all sketches that count."""
        alive = np.ones(len(self._ids), bool)
        alive[self._dead] = False
        return self._ids[alive], self._words[:, alive]

    def nearest(self, vector: NDArray[np.float32], limit: int) -> list[str]:
        """Return the ids of the chunks whose vectors are likely to be the nearest.

        The same sketches give the same ids, in whatever order they were written.
        """
        if not len(self._ids):
            return []
        projected = project(vector[None, :])
        differing, numbers = self._count_differing(pack(projected)[:, 0])
        found = self._least(differing, numbers, _COMPARED_PER_MATCH * limit)
        estimates = self._estimate(projected[:, 0], found)
        best = np.lexsort((self._ids[found], -estimates))[:limit]
        digits = self._ids[found[best]].astype(">u8").tobytes().hex()
        return [digits[at : at + 16] for at in range(0, len(digits), 16)]

    def _count_differing(
        self, words: NDArray[np.uint64]
    ) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
        """Count the bits in which each sketch differs; dead ones differ in all.

        Also return how many sketches differ in each number of bits.
        """
        none = 64 * len(words) + 1  # more than there are
        differing = np.empty(len(self._ids), np.uint16)
        numbers = np.zeros(none + 1, np.int64)
        if _NATIVE is None:
            self._count_in_parts(words, differing)
            numbers += np.bincount(differing, minlength=none + 1)
        else:
            words = np.ascontiguousarray(words)
            _NATIVE.count_differing(self._words, words, differing, numbers)
        if len(self._dead):
            numbers -= np.bincount(differing[self._dead], minlength=none + 1)
            differing[self._dead] = none
        return differing, numbers

    def _count_in_parts(
        self, words: NDArray[np.uint64], differing: NDArray[np.uint16]
    ) -> None:
        for start in range(0, len(differing), _COUNTED_AT_ONCE):
            part = slice(start, start + _COUNTED_AT_ONCE)
            counts = np.bitwise_count(self._words[:, part] ^ words[:, None])
            counts.sum(axis=0, dtype=np.uint16, out=differing[part])

    def _least(
        self, differing: NDArray[np.uint16], numbers: NDArray[np.int64], limit: int
    ) -> NDArray[np.intp]:
        """Return the places of the least values, those of dead sketches excluded."""
        up_to = np.cumsum(numbers)
        limit = min(limit, int(up_to[-1]))
        if not limit:
            return np.empty(0, np.intp)
        last = int(np.searchsorted(up_to, limit))
        found = np.flatnonzero(differing <= last)
        if len(found) <= 2 * limit:
            return found
        # Many equal texts: the ids decide which of them count.
        ties = np.flatnonzero(differing == last)
        chosen = ties[np.argsort(self._ids[ties])[:limit]]
        return np.concatenate((np.flatnonzero(differing < last), chosen))

    def _estimate(
        self, projected: NDArray[np.float32], places: NDArray[np.intp]
    ) -> NDArray[np.float32]:
        """Return a number for each place that grows with the cosine.

        The bits of a chunk are compared with the distances of the query's vector from
        the planes: a plane that is far from it says more.
        """
        values = _BYTE_BITS @ projected.reshape(-1, 8).T  # by the value and the place
        if _NATIVE is not None:
            estimates = np.empty(len(places), np.float32)
            places = places.astype(np.int64, copy=False)
            _NATIVE.estimate(self._words, places, values, estimates)
            return estimates
        found = np.ascontiguousarray(self._words[:, places].T).view(np.uint8)
        parts = np.take_along_axis(values, found, axis=0)
        # Sums of numbers depend on their order, which is that of the module in C.
        lanes: NDArray[np.float32] = reduce(
            np.add, np.split(parts, parts.shape[1] // 8, axis=1)
        )
        while lanes.shape[1] > 1:
            lanes = lanes[:, ::2] + lanes[:, 1::2]
        return lanes[:, 0]

    def _sliced(self, ordered: Sequence[Block]) -> Iterable[Block]:
        """Yield the blocks as parts of the joined arrays, so that nothing is held twice."""
        start = 0
        for block in ordered:
            end = start + len(block.ids)
            ids, words = self._ids[start:end], self._words[:, start:end]
            yield replace(block, ids=ids, words=words)
            start = end


def _find_dead(ordered: Sequence[Block]) -> NDArray[np.intp]:
    """Return the places of the sketches that a later block declares gone."""
    ranks = np.arange(len(ordered))
    gone = _join([block.gone for block in ordered])
    if not len(gone):
        return np.empty(0, np.intp)
    gone_by = np.repeat(ranks, [len(block.gone) for block in ordered])
    ids = _join([block.ids for block in ordered])
    written_by = np.repeat(ranks, [len(block.ids) for block in ordered])
    # The last block that declares each id gone: of equal ids, the last in this order.
    order = np.lexsort((gone_by, gone))
    gone, gone_by = gone[order], gone_by[order]
    found = np.searchsorted(gone, ids, side="right") - 1
    is_gone = (found >= 0) & (gone[found] == ids)
    return np.flatnonzero(is_gone & (written_by < gone_by[found]))


def _join(parts: Sequence[NDArray[np.uint64]]) -> NDArray[np.uint64]:
    return np.concatenate(parts) if parts else np.empty(0, np.uint64)
