"""The words of an index in memory: for each term the chunks that contain it.

A process that asks often reads them once, and then ranks by BM25 without the database. The
scores are those of the database: they are added up in single precision, in the order of the
terms' codes. Processors differ in whether the product of two numbers is rounded before it is
added; the database is asked which of them it was compiled for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from outcrop.model.candidate import Match
from outcrop.store.copies import CopyReader
from outcrop.store.lexical.weights import code_of
from outcrop.text.native import NATIVE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from threading import Event

    from numpy.typing import NDArray

    from outcrop.store.address import Connection

# 8 bytes each: 128 MB. In a larger index, words are always looked up in the database.
_MAX_POSTINGS = 16_000_000
_PAGE = 2_000

# What identifies the words that a transaction sees: every change adds a batch.
STATE = """
SELECT 'chunk_lex'::regclass::oid::bigint AS words_table,
    (SELECT string_agg(id::text, ' ' ORDER BY id) FROM lex_batch) AS batches,
    (SELECT avgdl_pin FROM lex_stat) AS average
"""
_READ_TERMS = """
SELECT term, sum(df)::int FROM (
    SELECT term, df FROM lex_df UNION ALL SELECT term, df FROM lex_delta
) both_tables GROUP BY term HAVING sum(df) > 0
"""
# The square of 1 + 2^-12, less what is left of it as a number of single precision: nothing,
# unless products are added before they are rounded.
_IS_FUSED = """
SELECT '{1:-1.00048828125,2:1.000244140625}/2'::sparsevec
    <#> '{1:1,2:1.000244140625}/2'::sparsevec <> 0
"""
_READ_WORDS = """
DECLARE words NO SCROLL CURSOR FOR SELECT chunk_id, sv FROM chunk_lex
"""


class WordsState(NamedTuple):
    """Identifies the words that a transaction sees; equal states have equal words.

    Attributes:
        table: The table of the words, which another index does not share.
        batches: The writes that the words are the sum of.
        average: The average length that the weights were computed with.
    """

    table: int
    batches: str
    average: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PostingLists:
    """The chunks of an index by term.

    Attributes:
        ids: The id of each chunk, as a number; a chunk's place in this array is its
            number in the others.
        order: The places of the chunks, sorted by their ids.
        codes: The codes of the terms, sorted.
        starts: Where the postings of each code begin; one more than there are codes.
        places: The chunks that contain a term, all terms one after the other.
        weights: The weight of the term in each of these chunks.
        is_fused: Whether the database adds products to sums without rounding them.
    """

    is_fused: bool
    ids: NDArray[np.uint64]
    order: NDArray[np.int32]
    codes: NDArray[np.int64]
    starts: NDArray[np.int64]
    places: NDArray[np.int32]
    weights: NDArray[np.float32]

    def score(
        self, weights: Mapping[str, float], df: Mapping[str, int]
    ) -> ScoredChunks | None:
        """Score all chunks.

        Args:
            weights: The weight of each term of a query.
            df: The number of chunks that contain each of these terms.

        Returns:
            The scores; None where two terms share a code, so that it is not known which
            chunks contain which of them.
        """
        codes = {term: code_of(term) for term in weights}
        terms = sorted(weights, key=codes.__getitem__)
        wanted = np.array([codes[term] for term in terms], np.int64)
        slots = np.searchsorted(self.codes, wanted)
        if len(slots) and slots[-1] >= len(self.codes):
            return None
        starts, ends = self.starts[slots], self.starts[slots + 1]
        sizes = np.array([df[term] for term in terms], np.int64)
        is_known = np.array_equal(self.codes[slots], wanted)
        if not is_known or len(set(wanted.tolist())) < len(terms):
            return None
        if not np.array_equal(ends - starts, sizes):
            return None
        factors = np.array([weights[term] for term in terms], np.float32)
        sums = np.zeros(len(self.ids), np.float32)
        self._add(starts, ends, factors, sums)
        ranges = zip(starts.tolist(), ends.tolist(), strict=True)
        return ScoredChunks(self, dict(zip(terms, ranges, strict=True)), sums)

    def _add(
        self,
        starts: NDArray[np.int64],
        ends: NDArray[np.int64],
        factors: NDArray[np.float32],
        sums: NDArray[np.float32],
    ) -> None:
        """Add what terms are worth to the sums of their chunks, in this order."""
        if NATIVE is not None:
            NATIVE.add_postings(
                self.places, self.weights, starts, ends, factors, self.is_fused, sums
            )
            return
        ranges = zip(starts.tolist(), ends.tolist(), factors, strict=True)
        for start, end, factor in ranges:
            # A term has each chunk once.
            places = self.places[start:end]
            products: NDArray[np.floating] = self.weights[start:end] * factor
            if self.is_fused:
                products = self.weights[start:end] * np.float64(factor)
            sums[places] = sums[places] + products


class ScoredChunks:
    """The scores of all chunks for one query."""

    def __init__(
        self,
        lists: PostingLists,
        ranges: Mapping[str, tuple[int, int]],
        sums: NDArray[np.float32],
    ) -> None:
        """Prefer `PostingLists.score`, which makes one."""
        self._lists = lists
        self._ranges = ranges
        self._sums = sums

    def best_with(self, terms: Iterable[str], limit: int) -> list[Match]:
        """Return the best chunks that contain any of the terms, best first."""
        lists = [self._lists.places[slice(*self._ranges[term])] for term in terms]
        return self._best(_distinct(np.concatenate(lists)), limit)

    def best_above(self, threshold: float, limit: int) -> list[Match]:
        """Return the best chunks whose score reaches a threshold, best first."""
        return self._best(np.flatnonzero(self._sums >= threshold), limit)

    def of_chunks(
        self, ids: Sequence[str], terms: Sequence[str]
    ) -> list[tuple[float, tuple[str, ...]]]:
        """Return the score of each chunk, and which of some terms it contains."""
        lists = self._lists
        if not len(lists.ids):
            return [(0.0, ())] * len(ids)
        wanted = _numbers(ids)
        at = np.searchsorted(lists.ids, wanted, sorter=lists.order)
        at[at == len(lists.ids)] = 0
        places = lists.order[at]
        # A chunk may have no words.
        is_known = lists.ids[places] == wanted
        scores = np.where(is_known, self._sums[places], np.float32(0)).tolist()
        found: list[list[str]] = [[] for _ in ids]
        for term in filter(self._ranges.__contains__, terms):
            chunks = lists.places[slice(*self._ranges[term])]
            at = chunks.searchsorted(places)
            at[at == len(chunks)] = 0
            (numbers,) = ((chunks[at] == places) & is_known).nonzero()
            for number in numbers.tolist():
                found[number].append(term)
        return [*zip(scores, map(tuple, found), strict=True)]

    def _best(self, places: NDArray[np.integer], limit: int) -> list[Match]:
        scores = self._sums[places]
        if len(scores) > limit:
            least = np.partition(scores, -limit)[-limit]
            chosen = scores >= least  # more than the limit if several are equal
            places, scores = places[chosen], scores[chosen]
        ids = self._lists.ids[places]
        order = np.lexsort((ids, -scores))[:limit]
        digits = ids[order].astype(">u8").tobytes().hex()
        found = [digits[at : at + 16] for at in range(0, len(digits), 16)]
        return [*map(Match, found, scores[order].tolist())]


class PostingsBuilder:
    """Arranges the rows of chunks by term, some chunks at a time.

    A code that several terms share has fewer chunks than they have together, so that its
    postings end early; `PostingLists.score` tells by the number.
    """

    def __init__(self, df: Mapping[str, int]) -> None:
        """Make room.

        Args:
            df: The number of chunks that contain each term of the index.
        """
        codes = np.fromiter(map(code_of, df), np.int64, len(df))
        self._codes, slots, terms = np.unique(
            codes, return_inverse=True, return_counts=True
        )
        self._is_shared = terms > 1
        counts = np.fromiter(df.values(), np.int64, len(df))
        sizes = np.bincount(slots, counts, len(self._codes)).astype(np.int64)
        self._starts = np.concatenate(([0], np.cumsum(sizes)))
        self._free = self._starts[:-1].copy()
        self._places = np.empty(self._starts[-1], np.int32)
        self._weights = np.empty(self._starts[-1], np.float32)
        self._ids: list[NDArray[np.uint64]] = []
        self._count = 0

    def add(self, ids: Collection[str], vectors: Collection[bytes]) -> bool:
        """Add chunks with their sparse vectors; return False if they do not fit."""
        first = self._count
        self._ids.append(_numbers(ids))
        self._count += len(ids)
        lengths = np.fromiter(map(len, vectors), np.int64, len(vectors)) // 4
        words = np.frombuffer(b"".join(vectors), ">i4")
        # Three numbers, the codes, and as many weights.
        counts = (lengths - 3) // 2
        heads = np.cumsum(lengths) - lengths + 3
        before = np.cumsum(counts) - counts
        at = np.arange(counts.sum()) + np.repeat(heads - before, counts)
        codes = words[at].astype(np.int64)
        weights = words[at + np.repeat(counts, counts)].astype(np.int32)
        places = np.repeat(np.arange(first, self._count), counts)
        return self._put(codes, places, weights.view(np.float32))

    def _put(
        self,
        codes: NDArray[np.int64],
        places: NDArray[np.int64],
        weights: NDArray[np.float32],
    ) -> bool:
        if not len(codes):
            return True
        slots = np.searchsorted(self._codes, codes)
        if slots.max() >= len(self._codes) or (self._codes[slots] != codes).any():
            return False
        order = np.argsort(slots, kind="stable")
        ordered = slots[order]
        numbers = np.bincount(slots, minlength=len(self._codes))
        first = np.cumsum(numbers) - numbers
        target = self._free[ordered] + np.arange(len(ordered)) - first[ordered]
        self._free += numbers
        if (self._free > self._starts[1:]).any():
            return False
        self._places[target] = places[order]
        self._weights[target] = weights[order]
        return True

    def build(self, *, is_fused: bool) -> PostingLists | None:
        """Return the lists; None if a term has fewer chunks than it should."""
        is_short = self._free < self._starts[1:]
        if (is_short & ~self._is_shared).any():
            return None
        ids = np.concatenate([np.empty(0, np.uint64), *self._ids])
        return PostingLists(
            is_fused=is_fused,
            ids=ids,
            order=np.argsort(ids).astype(np.int32),
            codes=self._codes,
            starts=self._starts,
            places=self._places,
            weights=self._weights,
        )


def _distinct(places: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return places in order, each of them once.

    NumPy's `unique` makes a hash table, which takes ten times as long.
    """
    ordered = np.sort(places)
    is_new = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=is_new[1:])
    return ordered[is_new]


def _numbers(ids: Collection[str]) -> NDArray[np.uint64]:
    """Return the ids of chunks as numbers."""
    return np.frombuffer(bytes.fromhex("".join(ids)), ">u8").astype(np.uint64)


def _read(
    connection: Connection, stop: Event
) -> tuple[WordsState, PostingLists] | None:
    table, batches, average = connection.execute(STATE).fetchone() or (0, None, None)
    df: dict[str, int] = dict(connection.execute(_READ_TERMS).fetchall())
    if sum(df.values()) > _MAX_POSTINGS:
        return None
    (is_fused,) = connection.execute(_IS_FUSED).fetchone() or (False,)
    builder = PostingsBuilder(df)
    connection.execute(_READ_WORDS)
    with connection.cursor(binary=True) as cursor:
        while rows := cursor.execute(f"FETCH {_PAGE} FROM words").fetchall():
            if stop.is_set() or not builder.add(*zip(*rows, strict=True)):
                return None
    lists = builder.build(is_fused=is_fused)
    state = WordsState(table, batches or "", average)
    return None if lists is None else (state, lists)


POSTINGS = CopyReader(read=_read, chunks_per_search=300)
