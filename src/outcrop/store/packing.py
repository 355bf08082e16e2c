"""Values as PostgreSQL sends and receives them in binary, and the hash of a row."""

from __future__ import annotations

import struct
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from outcrop.store._text import clean_text, to_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_TEXT_OID = 25


def pack_texts(texts: Sequence[str]) -> bytes:
    """Return an array of texts."""
    if not texts:
        return struct.pack(">iiI", 0, 0, _TEXT_OID)
    encoded = [clean_text(text).encode() for text in texts]
    parts = [struct.pack(">iiIii", 1, 0, _TEXT_OID, len(encoded), 1)]
    for item in encoded:
        parts += (struct.pack(">i", len(item)), item)
    return b"".join(parts)


def pack_json(value: object) -> bytes:
    """Return a value as `jsonb`."""
    if not value:
        return b"\x01{}" if isinstance(value, dict) else b"\x01[]"
    return b"\x01" + to_json(value).encode()


def pack_lines(span: tuple[int | None, int | None]) -> bytes | None:
    """Return the first and the last line as an `int4range`."""
    first, last = span
    if first is None or last is None:
        return None
    return struct.pack(">Biiii", 0x02, 4, first, 4, last + 1)


def pack_offsets(span: tuple[int | None, int | None]) -> bytes | None:
    """Return the start and the end of a text as an `int8range`.

    A chunk without text of its own has no span: an empty range of PostgreSQL does not
    say where it is.
    """
    start, end = span
    if start is None or end is None or start >= end:
        return None
    return struct.pack(">Biqiq", 0x02, 8, start, 8, end)


def pack_vector(vector: NDArray[np.float32]) -> bytes:
    """Return a `vector`."""
    return struct.pack(">HH", len(vector), 0) + vector.astype(">f4").tobytes()


def vector_literal(vector: NDArray[np.float32]) -> str:
    """Return a `vector` as text, for a parameter of a query."""
    return f"[{','.join(map(repr, vector.astype(np.float32).tolist()))}]"


def hash_row(values: tuple[Any, ...]) -> int:
    """Return a number that differs if any value of a row does."""
    digest = blake2b(
        repr(values).encode(errors="surrogatepass"), digest_size=8
    ).digest()
    return int.from_bytes(digest, "big", signed=True)
