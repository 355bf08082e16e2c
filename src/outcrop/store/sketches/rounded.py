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
_PAGE = 4_096

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
        ids: The ids of the chunks, as numbers, sorted.
        numbers: A row for each chunk.
        steps: What 1 stands for in each row.
        errors: How far each vector is from its row.
    """

    ids: NDArray[np.uint64]
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
        places = np.searchsorted(self.ids, wanted)
        places[places == len(self.ids)] = 0
        is_known = len(self.ids) and (self.ids[places] == wanted).all()
        if limit >= len(near) or not is_known or not length:
            return near
        products = self.numbers[places].astype(np.float32) @ vector
        cosines = products * self.steps[places] / length
        errors = self.errors[places] + _ROUNDING
        least = np.partition(cosines - errors, -limit)[-limit]
        kept = np.flatnonzero(cosines + errors >= least)
        return [near[at] for at in kept.tolist()]


def round_vectors(
    ids: NDArray[np.uint64], vectors: NDArray[np.float32]
) -> RoundedVectors:
    """Round some vectors, a row each; nothing is known of vectors of zeros."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    units = vectors / np.where(lengths > 0, lengths, 1)
    steps = np.abs(units).max(axis=1, keepdims=True, initial=0) / _STEPS
    numbers = np.rint(units / np.where(steps > 0, steps, 1)).astype(np.int8)
    errors = np.linalg.norm(units - numbers * steps, axis=1)
    errors[lengths[:, 0] == 0] = np.inf
    return RoundedVectors(
        ids=ids,
        numbers=numbers,
        steps=steps[:, 0].astype(np.float32),
        errors=errors.astype(np.float32),
    )


def _read(
    connection: Connection, stop: Event
) -> tuple[VectorsState, RoundedVectors] | None:
    state = SketchState.of(*connection.execute(BLOCKS).fetchone() or (None, None))
    count, dimension = connection.execute(_SIZE).fetchone() or (None, None)
    if not count or not dimension or count * dimension > _MAX_NUMBERS:
        return None
    parts: list[RoundedVectors] = []
    connection.execute(_READ)
    with connection.cursor(binary=True) as cursor:
        while rows := cursor.execute(f"FETCH {_PAGE} FROM embeddings").fetchall():
            if stop.is_set():
                return None
            ids = bytes.fromhex("".join([row[0] for row in rows]))
            numbers = b"".join([row[1][4:] for row in rows])  # after its dimension
            vectors = np.frombuffer(numbers, ">f4").astype(np.float32)
            parts.append(
                round_vectors(
                    np.frombuffer(ids, ">u8").astype(np.uint64),
                    vectors.reshape(len(rows), dimension),
                )
            )
    return VectorsState(state.keys, dimension), _join(parts)


def _join(parts: Sequence[RoundedVectors]) -> RoundedVectors:
    ids = np.concatenate([part.ids for part in parts] or [np.empty(0, np.uint64)])
    order = np.argsort(ids)
    if not parts:
        return round_vectors(ids, np.empty((0, 1), np.float32))
    return RoundedVectors(
        ids=ids[order],
        numbers=np.concatenate([part.numbers for part in parts])[order],
        steps=np.concatenate([part.steps for part in parts])[order],
        errors=np.concatenate([part.errors for part in parts])[order],
    )


VECTORS = CopyReader(read=_read, chunks_per_search=130)
