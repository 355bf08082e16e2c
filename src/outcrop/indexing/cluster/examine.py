"""Reads and hashes files, in a process of the engine."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from outcrop.indexing.files.changes import Examined
from outcrop.indexing.files.content import (
    Content,
    content_hash,
    read_content,
    refusal,
)
from outcrop.indexing.files.scan import is_streamed, scan_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.indexing.cluster.rows import Row


class Place(NamedTuple):
    """A file to read.

    Attributes:
        path: The document's path.
        file: Path or URL of the file.
        kind: Its kind.
    """

    path: str
    file: str
    kind: str


def examine_rows(_: bytes, rows: Sequence[Row]) -> list[bytes]:
    """Read the files of some rows; return for each its path and what was found."""
    found: list[bytes] = []
    for row in rows:
        place: Place = pickle.loads(row.packed)  # noqa: S301 - from our own driver
        examined = _examine(place, row)
        found.append(pickle.dumps((place.path, examined)))
    return found


def _examine(place: Place, row: Row) -> Examined | None:
    if row.is_remote:
        content = (
            None if row.data is None else Content(row.data, content_hash(row.data))
        )
    else:
        file = Path(place.file)
        try:
            if is_streamed(place.kind, place.path, file.stat().st_size):
                scanned = scan_file(file)
                return Examined(scanned.digest, scanned.problem)
        except OSError:
            return None
        content = read_content(file)
    if content is None:
        return None
    return Examined(content.digest, refusal(place.kind, content.data))
