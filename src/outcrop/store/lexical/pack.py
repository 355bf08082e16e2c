"""Terms of a batch of chunks as the bytes PostgreSQL reads, many at a time."""

from __future__ import annotations

import struct
from collections import Counter
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from outcrop.store.lexical.formula import DIMENSIONS, K1, B, code_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

_MOST_TERMS = 16_000  # of a sparse vector
_MOST_BYTES = 1_000_000  # of a tsvector's terms: just under its limit
_LONGEST_TERM = 2_000  # bytes; PostgreSQL takes 2,046
_MOST_KEPT = 300_000
_COUNT = struct.Struct(">i")


@dataclass(frozen=True, slots=True, kw_only=True)
class Postings:
    """A batch, ready to be written.

    Attributes:
        rows: Of each chunk its length, its sparse vector, its tsvector, and whether
            it holds more terms than can be indexed.
        df: In how many of the chunks each term is.
        maxw: Each term's greatest weight among them.
        length: Terms of all chunks, repetitions counted.
    """

    rows: list[tuple[int, bytes, bytes, bool]]
    df: Counter[str]
    maxw: dict[str, float]
    length: int


class _Codes(dict[str, int]):
    def __missing__(self, term: str) -> int:
        if len(self) >= _MOST_KEPT:
            self.clear()
        code = self[term] = code_of(term)
        return code


class _Lexemes(dict[str, bytes]):
    def __missing__(self, term: str) -> bytes:
        if len(self) >= _MOST_KEPT:
            self.clear()
        # Text, a zero, and two bytes for the number of places: none are kept.
        lexeme = self[term] = term.encode() + b"\0\0\0"
        return lexeme


_codes = _Codes()
_lexemes = _Lexemes()


def pack_postings(chunks: Sequence[Mapping[str, int]], average: float) -> Postings:
    """Turn the terms of chunks into rows of `chunk_lex` and what they add to `lex_df`.

    Args:
        chunks: How often each chunk says each of its terms.
        average: The pinned average length.
    """
    lengths = [sum(terms.values()) for terms in chunks]
    fitting = [_fit(terms) for terms in chunks]
    counts = np.fromiter(map(len, fitting), np.int64, len(fitting))
    words = list(chain.from_iterable(fitting))
    tf = np.fromiter(
        chain.from_iterable(terms.values() for terms in fitting), np.float64, len(words)
    )
    codes = np.fromiter(map(_codes.__getitem__, words), np.int64, len(words))
    scale = K1 * (1 - B + B * np.asarray(lengths, np.float64) / average)
    weights = (tf / (tf + np.repeat(scale, counts))).astype(np.float32)
    vectors = _pack_vectors(codes, weights, counts)
    df = Counter(words)
    return Postings(
        rows=[
            (length, vector, _pack_tsvector(kept), kept is not given)
            for length, vector, kept, given in zip(
                lengths, vectors, fitting, chunks, strict=True
            )
        ],
        df=df,
        maxw=_greatest_weights(df, codes, weights),
        length=sum(lengths),
    )


def _fit(terms: Mapping[str, int]) -> Mapping[str, int]:
    """Keep the most frequent terms where PostgreSQL cannot take all."""
    if len(terms) <= _MOST_TERMS and sum(map(len, terms)) * 4 < _MOST_BYTES:
        return terms
    kept: dict[str, int] = {}
    size = 0
    for term, count in sorted(terms.items(), key=lambda item: (-item[1], item[0])):
        bytes_of_term = len(term.encode())
        size += bytes_of_term
        if len(kept) == _MOST_TERMS or size > _MOST_BYTES:
            break
        if bytes_of_term <= _LONGEST_TERM:
            kept[term] = count
    return terms if len(kept) == len(terms) else kept


def _pack_tsvector(terms: Mapping[str, int]) -> bytes:
    return _COUNT.pack(len(terms)) + b"".join(map(_lexemes.__getitem__, terms))


def _pack_vectors(
    codes: NDArray[np.int64], weights: NDArray[np.float32], counts: NDArray[np.int64]
) -> list[bytes]:
    """Pack one sparse vector a chunk; entries have to be in order, each code once."""
    owners = np.repeat(np.arange(len(counts)), counts)
    keys = owners * DIMENSIONS + codes
    order = np.argsort(keys)
    keys, codes, weights = keys[order], codes[order], weights[order]
    twice = np.flatnonzero(keys[1:] == keys[:-1])
    if len(twice):
        # Two terms of one chunk share a code: the greater weight stands for both.
        weights[twice] = np.maximum(weights[twice], weights[twice + 1])
        keep = np.ones(len(codes), bool)
        keep[twice + 1] = False
        codes, weights = codes[keep], weights[keep]
        counts = np.bincount(owners[keep], minlength=len(counts))
    ends = np.cumsum(counts)
    big_codes = codes.astype(">i4").tobytes()
    big_weights = weights.astype(">f4").tobytes()
    return [
        struct.pack(">iii", DIMENSIONS, count, 0)
        + big_codes[4 * (end - count) : 4 * end]
        + big_weights[4 * (end - count) : 4 * end]
        for count, end in zip(counts.tolist(), ends.tolist(), strict=True)
    ]


def _greatest_weights(
    df: Counter[str], codes: NDArray[np.int64], weights: NDArray[np.float32]
) -> dict[str, float]:
    if not df:
        return {}
    order = np.argsort(codes)
    sorted_codes = codes[order]
    starts = np.flatnonzero(np.r_[True, sorted_codes[1:] != sorted_codes[:-1]])
    greatest = np.maximum.reduceat(weights[order], starts)
    # By code, so that a term that shares one is bounded by the greater weight.
    own = np.fromiter(map(_codes.__getitem__, df), np.int64, len(df))
    places = np.searchsorted(sorted_codes[starts], own)
    return dict(zip(df, greatest[places].tolist(), strict=True))


def pack_vector(codes: NDArray[np.int32], weights: NDArray[np.float32]) -> bytes:
    """Return a sparse vector, its codes in order, as PostgreSQL reads it."""
    head = struct.pack(">iii", DIMENSIONS, len(codes), 0)
    return head + codes.astype(">i4").tobytes() + weights.astype(">f4").tobytes()


def unpack_vector(data: bytes) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Return the codes and weights of a sparse vector as PostgreSQL sends it."""
    _, count, _ = struct.unpack_from(">iii", data)
    codes = np.frombuffer(data, ">i4", count, 12)
    weights = np.frombuffer(data, ">f4", count, 12 + 4 * count)
    return codes.astype(np.int32), weights.astype(np.float32)
