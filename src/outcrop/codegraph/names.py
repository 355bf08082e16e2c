"""How long qualified names get, and the ids made of them.

A definition repeats the names of everything around it. Without bounds, definitions
inside definitions, or many under one very long name, would make names and sources that
grow with the square of the file.
"""

from __future__ import annotations

import hashlib

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
