"""Names: how long they get, the ids made of them, and which of several files is meant.

A definition repeats the names of everything around it. Without bounds, definitions
inside definitions, or many under one very long name, would make names and sources that
grow with the square of the file.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MAX_NESTING = 50
"""Definitions nested deeper than this are text of the one around them."""
MAX_NAME_CHARS = 1000
"""Longest qualified name."""
_ID_BYTES = 8


def bounded_name(name: str) -> str:
    """Return a name unchanged, or its beginning and a hash of all of it.

    The hash keeps names apart that begin alike.
    """
    if len(name) <= MAX_NAME_CHARS:
        return name
    mark = f"…{make_id(name)}"
    return name[: MAX_NAME_CHARS - len(mark)] + mark


def make_id(key: str) -> str:
    """Return an id of 16 hexadecimal digits."""
    data = key.encode("utf-8", "replace")
    return hashlib.blake2b(data, digest_size=_ID_BYTES).hexdigest()


def nearest(files: Mapping[str, int], path: str) -> int | None:
    """Return the value of the file that shares most folders with a path, if any.

    Of several that are equally near it is the last.
    """
    if len(files) <= 1:
        return next(iter(files.values()), None)
    folders = path.split("/")[:-1]
    best = max(reversed(list(files)), key=lambda file: shared(file.split("/"), folders))
    return files[best]


def shared(left: Sequence[str], right: Sequence[str]) -> int:
    """Return how many folders two paths share from the top on."""
    count = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        count += 1
    return count
