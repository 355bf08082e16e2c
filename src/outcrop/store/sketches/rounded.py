"""Embeddings in memory, their numbers rounded to 8 bits.

Sketches say which 200 vectors may be the nearest; rounded ones say of most of these that
they are not among the nearest 40, so that the database looks up a quarter of them. How far
each vector is from its rounded form is known, so nothing is missed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from outcrop.store.copies import CopyReader
from outcrop.store.sketches.table import BLOCKS, SketchState

if TYPE_CHECKING:
    from collections.abc import Sequence
    from threading import Event

    from numpy.typing import NDArray

    from outcrop.store.address import Connection

_STEPS = 127
# Cosines are computed in single precision, here and in the database.
_ROUNDING = 1e-5
# 64 MB of numbers: 250,000 vectors of 256.
_MAX_NUMBERS = 64_000_000
_PAGE = 1_024

_SIZE = """
SELECT sum(chunks)::bigint, (SELECT (value ->> 'dimension')::int FROM index_settings
    WHERE key = 'embedder') FROM vector_sketches
"""
_READ = """
DECLARE embeddings NO SCROLL CURSOR FOR
SELECT id, emb FROM chunks WHERE emb IS NOT NULL AND indexable
"""


class VectorsState(NamedTuple):
    """Identifies the embeddings that a transaction sees.

    Attributes:
        keys: The blocks of their sketches, of which each change adds one.
        dimension: The number of dimensions.
    """

    keys: frozenset[str]
    dimension: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundedVectors:
    """The embeddings of an index, scaled to unit length and rounded.

    Attributes:
        ids: The ids of the chunks, as numbers.
        order: The places of the chunks, sorted by their ids.
        numbers: A row for each chunk.
        steps: What 1 stands for in each row.
        errors: How far each vector is from its row.
    """

    ids: NDArray[np.uint64]
    order: NDArray[np.intp]
    numbers: NDArray[np.int8]
    steps: NDArray[np.float32]
    errors: NDArray[np.float32]

    def narrow(
        self, near: Sequence[str], vector: NDArray[np.float32], limit: int
    ) -> Sequence[str]:
        """Return those of some chunks that may be among the nearest of them.

        Args:
            near: The ids of the chunks.
            vector: The vector they are compared with.
            limit: How many are wanted.
        """
        length = float(np.linalg.norm(vector))
        digits = bytes.fromhex("".join(near))
        wanted = np.frombuffer(digits, ">u8").astype(np.uint64)
        if limit >= len(near) or not length or not len(self.ids):
            return near
        at = np.searchsorted(self.ids, wanted, sorter=self.order)
        at[at == len(self.ids)] = 0
        places = self.order[at]
        if (self.ids[places] != wanted).any():
            return near
        products = self.numbers[places].astype(np.float32) @ vector
        cosines = products * self.steps[places] / length
        errors = self.errors[places] + _ROUNDING
        least = np.partition(cosines - errors, -limit)[-limit]
        kept = np.flatnonzero(cosines + errors >= least)
        return [near[at] for at in kept.tolist()]


class Rounding:
    """Makes rounded vectors, some at a time."""

    def __init__(self, count: int, dimension: int) -> None:
        """Make room for a number of vectors."""
        self._ids = np.empty(count, np.uint64)
        self._numbers = np.empty((count, dimension), np.int8)
        self._steps = np.empty(count, np.float32)
        self._errors = np.empty(count, np.float32)
        self._filled = 0

    def add(self, ids: NDArray[np.uint64], vectors: NDArray[np.float32]) -> bool:
        """Round vectors, a row each; return False if there is no room for them.

        Nothing is known of vectors of zeros.
        """
        part = slice(self._filled, self._filled + len(ids))
        if part.stop > len(self._ids):
            return False
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        units = vectors / np.where(lengths > 0, lengths, 1)
        steps = np.abs(units).max(axis=1, keepdims=True, initial=0) / _STEPS
        numbers = np.rint(units / np.where(steps > 0, steps, 1))
        errors = np.linalg.norm(units - numbers * steps, axis=1)
        errors[lengths[:, 0] == 0] = np.inf
        self._ids[part], self._numbers[part] = ids, numbers
        self._steps[part], self._errors[part] = steps[:, 0], errors
        self._filled = part.stop
        return True

    def result(self) -> RoundedVectors:
        """Return what was added."""
        filled = slice(self._filled)
        return RoundedVectors(
            ids=self._ids[filled],
            order=np.argsort(self._ids[filled]),
            numbers=self._numbers[filled],
            steps=self._steps[filled],
            errors=self._errors[filled],
        )


def _read(
    connection: Connection, stop: Event
) -> tuple[VectorsState, RoundedVectors] | None:
    state = SketchState.of(*connection.execute(BLOCKS).fetchone() or (None, None))
    count, dimension = connection.execute(_SIZE).fetchone() or (None, None)
    if not count or not dimension or count * dimension > _MAX_NUMBERS:
        return None
    rounding = Rounding(count, dimension)
    connection.execute(_READ)
    with connection.cursor(binary=True) as cursor:
        while rows := cursor.execute(f"FETCH {_PAGE} FROM embeddings").fetchall():
            ids = bytes.fromhex("".join([row[0] for row in rows]))
            numbers = b"".join([row[1][4:] for row in rows])  # after its dimension
            vectors = np.frombuffer(numbers, ">f4").astype(np.float32)
            fits = not stop.is_set() and rounding.add(
                np.frombuffer(ids, ">u8").astype(np.uint64),
                vectors.reshape(len(rows), dimension),
            )
            if not fits:
                return None
    return VectorsState(state.keys, dimension), rounding.result()


VECTORS = CopyReader(read=_read, chunks_per_search=80)
