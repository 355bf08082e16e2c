"""Vectors as bits that keep their angles.

A sketch says on which side of some hundred planes a vector lies. Vectors that point the
same way lie on the same side of most of them, so counting the bits that differ tells
which are near, in a hundredth of the time that their numbers would take. The planes are
the rows of Hadamard matrices whose columns have random signs: they are orthogonal, which
tells more than random planes do, and a vector is compared with all of them by additions
alone, so that its sketch is the same on every machine.
"""

from __future__ import annotations

import math
from functools import cache
from hashlib import shake_256
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Of short vectors and of long ones. With 256 numbers, 256 bits find a tenth less.
_SHORT_BITS, _LONG_BITS = 512, 1_024
_MAX_SHORT = 512
_WORD_BITS = 64
_SEED = b"outcrop sketches 1"


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
