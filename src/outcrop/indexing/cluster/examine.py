"""Reads and hashes files, in a process of the engine."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from outcrop.indexing.files.changes import Examined, examine
from outcrop.indexing.files.content import Content, content_hash

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.indexing.cluster.rows import Row


class Place(NamedTuple):
    """A file to read."""

    path: str  # of the document
    file: str  # path or URL
    kind: str
    size: int  # in bytes


def examine_rows(_: bytes, rows: Sequence[Row]) -> list[bytes]:
    """Read the files of some rows; return for each its path and what was found."""
    found: list[bytes] = []
    for row in rows:
        place: Place = pickle.loads(row.packed)  # noqa: S301 - from our own driver
        examined = _examine(place, row)
        found.append(pickle.dumps((place.path, examined)))
    return found


def _examine(place: Place, row: Row) -> Examined | None:
    found = None
    if not row.is_remote:
        found = examine(Path(place.file), place.kind, place.path, place.size)
    elif row.data is not None:
        digest = content_hash(row.data)
        found = Examined(digest, content=Content(row.data, digest))
    return found and Examined(found.digest, found.why_not(place.kind))
