"""Byte pair encoding: words as numbers of tokens, by the merges of a vocabulary.

The first 256 tokens are bytes, and each merge of two tokens makes the next one. In a
word, the pair whose merge was learned first is merged first. A search has a few words
to encode, so what counts is how fast the vocabulary is loaded.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Protocol

from outcrop.text.native import NATIVE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BYTES = 256
_BITS = 16  # of a token's number
_NO_MERGE = 1 << _BITS
# Bytes that are printable characters of Latin-1 come first, then the others.
_PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_ORDER = [*_PRINTABLE, *sorted({*range(BYTES)} - {*_PRINTABLE})]
_TOKEN_OF_BYTE = [token for _, token in sorted(zip(_ORDER, range(BYTES), strict=True))]


class Vocabulary(Protocol):
    """Tokens that words are made of."""

    def encode(self, word: str, /) -> list[int]:
        """Return the tokens of a word."""
        ...


def load_vocabulary(merges: NDArray[np.uint16]) -> Vocabulary:
    """Return the vocabulary with some merges, in C where that was built."""
    if NATIVE is None:
        return BytePairs(merges)
    native: Vocabulary = NATIVE.BytePairs(
        merges.astype("uint16"), bytes(_TOKEN_OF_BYTE)
    )
    return native


class BytePairs:
    """The merges of a vocabulary."""

    def __init__(self, merges: NDArray[np.uint16]) -> None:
        """Use merges: two tokens per row, in the order they were learned."""
        left, right = merges.astype("int64").T
        pairs = (left << _BITS | right).tolist()
        self._merged = dict(zip(pairs, range(BYTES, BYTES + len(pairs)), strict=True))

    def encode(self, word: str) -> list[int]:
        """Return the tokens of a word."""
        tokens = [_TOKEN_OF_BYTE[byte] for byte in word.encode()]
        merged = self._merged.get
        # What each token and the next one become.
        pairs = pairwise(tokens)
        next_merges = [
            merged(left << _BITS | right, _NO_MERGE) for left, right in pairs
        ]
        while next_merges:
            token = min(next_merges)
            if token == _NO_MERGE:
                break
            at = next_merges.index(token)
            tokens[at : at + 2] = [token]
            del next_merges[at]
            if at:
                left = tokens[at - 1] << _BITS | token
                next_merges[at - 1] = merged(left, _NO_MERGE)
            if at < len(next_merges):
                right = token << _BITS | tokens[at + 1]
                next_merges[at] = merged(right, _NO_MERGE)
        return tokens
