"""BM25 as Lucene computes it, cut into a document's side and a query's side.

The score is the sum over the query's terms of `idf(term) * weight(term, chunk)`. The
weight is all that depends on the chunk, so it is computed once, when the chunk is
written, with an average length that is pinned. It is pinned to one of a few values, so
that it follows from what the index holds now, and not from when that was written.
"""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING
from zlib import crc32

if TYPE_CHECKING:
    from collections.abc import Mapping

# Chosen on public sets of documentation and code; see docs/concepts/store.md.
K1 = 2.0
B = 0.75
# Each value that the average length can be pinned to is so many times the one before:
# none is more than ten per cent off.
_PIN_STEP = 1.2

DIMENSIONS = 1_000_000_000  # of a sparse vector, at most


def code_of(term: str) -> int:
    """Return the place of a term in a sparse vector.

    Two terms may share one. That is felt only where one chunk holds both, once in some
    millions of chunks, and costs nothing but a little weight.
    """
    return crc32(term.encode()) % DIMENSIONS


def weights_literal(weights: Mapping[str, float]) -> str:
    """Write the weights of a query's terms as a sparse vector, in text."""
    by_code: dict[int, float] = {}
    for term, weight in weights.items():
        code = code_of(term) + 1  # counted from 1 where it is written as text
        by_code[code] = by_code.get(code, 0.0) + weight
    entries = ",".join(f"{code}:{weight!r}" for code, weight in sorted(by_code.items()))
    return f"{{{entries}}}/{DIMENSIONS}"


def pin_of(average: float) -> float:
    """Return the value that stands for an average length: the nearest of a few."""
    return float(_PIN_STEP ** round(log(max(1.0, average), _PIN_STEP)))
