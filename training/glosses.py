"""Pairs from WordNet: words of one meaning, and the gloss that explains it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from training.pair import Pair

if TYPE_CHECKING:
    from collections.abc import Iterator

_MIN_FIELDS = 5


def gloss_pairs(data: bytes) -> Iterator[Pair]:
    """Yield the words of each meaning in a data file, with its gloss."""
    for line in data.decode("utf-8", "replace").splitlines():
        fields, separator, gloss = line.partition(" | ")
        parts = fields.split()
        if line.startswith("  ") or not separator or len(parts) < _MIN_FIELDS:
            continue
        count = int(parts[3], 16)
        words = [parts[4 + 2 * n].replace("_", " ") for n in range(count)]
        yield Pair("gloss", ", ".join(words), gloss.strip())
