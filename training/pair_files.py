"""Reading files of pairs."""

from __future__ import annotations

import gzip
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_CHUNK = 4_000


def read_chunks(files: Iterable[Path]) -> Iterator[list[str]]:
    """Yield the lines of files of pairs, some thousands at a time."""
    for file in files:
        with gzip.open(file, "rt") as lines:
            while chunk := list(islice(lines, _CHUNK)):
                yield chunk
