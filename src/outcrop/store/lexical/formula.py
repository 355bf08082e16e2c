"""BM25 as Lucene computes it, split into a factor per chunk and one per query.

The score is the sum over the query's terms of `idf(term) * weight(term, chunk)`. Only
the weight depends on the chunk, so it is computed once, when the chunk is written, with
a pinned average length. The average is pinned to one of a few values, so that it
depends on the content of the index and not on the order of writes.
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
# The ratio of neighbouring values that the average length can be pinned to: a pinned
# value is at most ten per cent off.
_PIN_STEP = 1.2

DIMENSIONS = 1_000_000_000  # the maximum of a sparse vector


def code_of(term: str) -> int:
    """Return the dimension of a term in a sparse vector.

    Two terms may share one. That matters only if a chunk contains both, which happens
    once in some millions of chunks, and changes its score slightly.
    """
    return crc32(term.encode()) % DIMENSIONS


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
