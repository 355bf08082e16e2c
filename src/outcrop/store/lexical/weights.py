"""BM25 as Lucene computes it, split into a factor per chunk and one per query.

The score is the sum over the query's terms of `idf(term) * weight(term, chunk)`. Only
the weight depends on the chunk, so it is computed once, when the chunk is written, with
a pinned average length. The average is pinned to one of a few values, so that it
depends on the content of the index and not on the order of writes.

The terms of many chunks are packed at once into PostgreSQL's binary formats.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from itertools import chain, repeat
from math import log
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

# Chosen on public sets of documentation and code; see docs/concepts/store.md.
K1 = 2.0
B = 0.75
# The ratio of neighbouring values that the average length can be pinned to: a pinned
# value is at most ten per cent off.
_PIN_STEP = 1.2

DIMENSIONS = 1_000_000_000  # the maximum of a sparse vector
_MAX_TERMS = 16_000  # of a sparse vector
_MAX_BYTES = 1_000_000  # of a tsvector's terms: just below its limit
_MAX_TERM_BYTES = 2_000  # PostgreSQL accepts 2,046
_MAX_KEPT_CODES = 100_000  # about 10 MB
_COUNT = struct.Struct(">i")
_END = "\0\0\0"
# A row of `lex_delta`: how many values it has, and before each value its size.
_DELTA_COLUMNS = 3
_TERM_HEAD = struct.Struct(">hi")
_DELTA = np.dtype(
    [("df_size", ">i4"), ("df", ">i4"), ("maxw_size", ">i4"), ("maxw", ">f4")]
)


def code_of(term: str) -> int:
    """Return the dimension of a term in a sparse vector.

    Two terms may share one. That matters only if a chunk contains both, which happens
    once in some millions of chunks, and changes its score slightly.
    """
    return crc32(term.encode()) % DIMENSIONS


class _Codes(dict[str, int]):
    """The codes of terms, of which most occur again and again."""

    def __missing__(self, term: str) -> int:
        if len(self) >= _MAX_KEPT_CODES:
            self.clear()
        code = self[term] = code_of(term)
        return code


_codes = _Codes()


def weights_literal(weights: Mapping[str, float]) -> str:
    """Format the weights of a query's terms as a sparse vector literal."""
    by_code: dict[int, float] = {}
    for term, weight in weights.items():
        code = code_of(term) + 1  # literals count from 1
        by_code[code] = by_code.get(code, 0.0) + weight
    entries = ",".join(f"{code}:{weight!r}" for code, weight in sorted(by_code.items()))
    return f"{{{entries}}}/{DIMENSIONS}"


def pin_of(average: float) -> float:
    """Return the pinned value that is nearest to an average length."""
    return float(_PIN_STEP ** round(log(max(1.0, average), _PIN_STEP)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Postings:
    """The packed terms of a batch of chunks.

    Attributes:
        rows: For each chunk its length, its sparse vector, its tsvector, and whether
            it has more terms than can be indexed.
        df: The number of chunks that contain each term.
        maxw: The highest weight of each term.
        length: Number of terms of all chunks, repetitions included.
    """

    rows: list[tuple[int, bytes, bytes, bool]]
    df: Mapping[str, int]
    maxw: dict[str, float]
    length: int


def pack_postings(chunks: Sequence[Mapping[str, int]], average: float) -> Postings:
    """Pack the terms of chunks into rows of `chunk_lex` and changes of `lex_df`.

    The average length is the pinned one.
    """
    terms = _Terms([_fit(terms) for terms in chunks])
    lengths = [sum(terms.values()) for terms in chunks]
    weights = terms.weigh(lengths, average)
    vectors = terms.pack_vectors(weights)
    maxw = _highest_weights(terms.codes, terms.occurring, weights)
    return Postings(
        rows=[
            (length, vector, _pack_tsvector(kept), kept is not given)
            for length, vector, kept, given in zip(
                lengths, vectors, terms.texts, chunks, strict=True
            )
        ],
        df=terms.df,
        maxw=dict(zip(terms.df, maxw.tolist(), strict=True)),
        length=sum(lengths),
    )


def pack_deltas(
    terms: Sequence[str], df: Mapping[str, int], maxw: Mapping[str, float]
) -> bytes:
    """Pack rows of `lex_delta`, in the format of binary COPY.

    There are thousands of them in each transaction, which the driver would pack one by
    one.

    Args:
        terms: The terms of the rows.
        df: By how much the number of chunks with each term changes.
        maxw: The highest weight of each term, if it is known.
    """
    numbers = np.empty(len(terms), _DELTA)
    numbers["df_size"] = numbers["maxw_size"] = 4
    numbers["df"] = [df[term] for term in terms]
    numbers["maxw"] = [maxw.get(term, 0.0) for term in terms]
    packed, size = numbers.tobytes(), _DELTA.itemsize
    texts = [term.encode() for term in terms]
    heads = map(_TERM_HEAD.pack, repeat(_DELTA_COLUMNS), map(len, texts))
    tails = [packed[at : at + size] for at in range(0, len(packed), size)]
    return b"".join(chain.from_iterable(zip(heads, texts, tails, strict=True)))


def pack_weights(texts: Sequence[Mapping[str, int]], average: float) -> list[bytes]:
    """Return the sparse vectors of texts alone.

    Args:
        texts: How often each text contains each of its terms.
        average: The average length that the weights are computed with.
    """
    terms = _Terms([_fit(terms) for terms in texts])
    lengths = [sum(terms.values()) for terms in texts]
    return terms.pack_vectors(terms.weigh(lengths, average))


class _Terms:
    """The terms of texts as numbers; each distinct term is hashed once.

    Attributes:
        texts: How often each text contains each of its terms.
        df: The number of texts that contain each term.
        codes: The dimension of each term of `df`.
        occurring: For each term of each text, its place in `df`.
    """

    def __init__(self, texts: Sequence[Mapping[str, int]]) -> None:
        self.texts = texts
        self._counts = np.fromiter(map(len, texts), np.int64, len(texts))
        words = list(chain.from_iterable(texts))
        distinct = dict.fromkeys(words)
        self.codes = np.fromiter(
            map(_codes.__getitem__, distinct), np.int64, len(distinct)
        )
        numbers = dict(zip(distinct, range(len(distinct)), strict=True))
        places = map(numbers.__getitem__, words)
        self.occurring = np.fromiter(places, np.int64, len(words))
        df = np.bincount(self.occurring, minlength=len(distinct)).tolist()
        self.df = dict(zip(distinct, df, strict=True))

    def weigh(self, lengths: Sequence[int], average: float) -> NDArray[np.float32]:
        """Return the weight of each term of each text, which has a length."""
        counts = chain.from_iterable(terms.values() for terms in self.texts)
        tf = np.fromiter(counts, np.float64, len(self.occurring))
        scale = K1 * (1 - B + B * np.asarray(lengths, np.float64) / average)
        return (tf / (tf + np.repeat(scale, self._counts))).astype(np.float32)

    def pack_vectors(self, weights: NDArray[np.float32]) -> list[bytes]:
        """Pack one sparse vector per text."""
        return _pack_vectors(self.codes[self.occurring], weights, self._counts)


def _fit(terms: Mapping[str, int]) -> Mapping[str, int]:
    """Return the terms, or the most frequent ones if PostgreSQL cannot store all."""
    if len(terms) <= _MAX_TERMS and sum(map(len, terms)) * 4 < _MAX_BYTES:
        return terms
    kept: dict[str, int] = {}
    size = 0
    for term, count in sorted(terms.items(), key=lambda item: (-item[1], item[0])):
        bytes_of_term = len(term.encode())
        size += bytes_of_term
        if len(kept) == _MAX_TERMS or size > _MAX_BYTES:
            break
        if bytes_of_term <= _MAX_TERM_BYTES:
            kept[term] = count
    return terms if len(kept) == len(terms) else kept


def _pack_tsvector(terms: Mapping[str, int]) -> bytes:
    # Each term, a zero, and two bytes for the number of its positions: always none.
    text = _END.join(terms) + _END if terms else ""
    return _COUNT.pack(len(terms)) + text.encode()


def _pack_vectors(
    codes: NDArray[np.int64], weights: NDArray[np.float32], counts: NDArray[np.int64]
) -> list[bytes]:
    """Pack one sparse vector per chunk; codes must be sorted and distinct."""
    owners = np.repeat(np.arange(len(counts)), counts)
    keys = owners * DIMENSIONS + codes
    order = np.argsort(keys)
    keys, codes, weights = keys[order], codes[order], weights[order]
    twice = np.flatnonzero(keys[1:] == keys[:-1])
    if len(twice):
        # Two terms of one chunk share a code: the higher weight counts for both.
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


def _highest_weights(
    codes: NDArray[np.int64], occurring: NDArray[np.int64], weights: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the highest weight of each term."""
    highest = np.zeros(len(codes), np.float32)
    np.maximum.at(highest, occurring, weights)
    distinct, places = np.unique(codes, return_inverse=True)
    if len(distinct) == len(codes):
        return highest
    # In a chunk with two terms that share a code, each has the higher weight.
    by_code = np.zeros(len(distinct), np.float32)
    np.maximum.at(by_code, places, highest)
    return by_code[places]


def pack_vector(codes: NDArray[np.int32], weights: NDArray[np.float32]) -> bytes:
    """Pack one sparse vector, codes sorted, in PostgreSQL's binary format."""
    head = struct.pack(">iii", DIMENSIONS, len(codes), 0)
    return head + codes.astype(">i4").tobytes() + weights.astype(">f4").tobytes()


def unpack_vector(data: bytes) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Return the codes and weights of a packed sparse vector."""
    _, count, _ = struct.unpack_from(">iii", data)
    codes = np.frombuffer(data, ">i4", count, 12)
    weights = np.frombuffer(data, ">f4", count, 12 + 4 * count)
    return codes.astype(np.int32), weights.astype(np.float32)
