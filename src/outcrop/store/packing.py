"""Values as PostgreSQL stores them: text, JSON, binary values, and the hash of a row.

A Python string may contain NUL, which PostgreSQL rejects, and lone surrogates, which
have no UTF-8. Indexed files contain neither, but escapes in a docstring or an error
message may decode to them. Each such character is replaced by U+FFFD.
"""

from __future__ import annotations

import json
import struct
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson

from outcrop.model.stored import plain_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

_TEXT_OID = 25
_REPLACEMENT = "\ufffd"
_NUL_IN_JSON = b"\\u0000"


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
    return b"\x01" + _encode(value)


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
    digest = blake2b(plain_bytes(values), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def clean_text(text: str) -> str:
    """Return a text, with U+FFFD for every character that cannot be stored."""
    if "\0" in text:
        text = text.replace("\0", _REPLACEMENT)
    # Nearly all text returns here, and the check is fast.
    if text.isascii() or _has_utf8(text):
        return text
    return "".join(
        _REPLACEMENT if "\ud800" <= letter <= "\udfff" else letter for letter in text
    )


def clean_row(values: Iterable[Any]) -> tuple[Any, ...]:
    """Return a row with `clean_text` applied to each of its texts."""
    return tuple(
        [clean_text(value) if type(value) is str else value for value in values]
    )


def to_json(value: object, default: Callable[[Any], Any] | None = None) -> str:
    """Return a value as JSON that PostgreSQL accepts.

    Args:
        value: What `json.dumps` takes.
        default: As for `json.dumps`.
    """
    return _encode(value, default).decode()


def _encode(value: object, default: Callable[[Any], Any] | None = None) -> bytes:
    # `jsonb` has an order of its own: a value that was read is written as it was before.
    try:
        data = orjson.dumps(value, default, orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError:  # a lone surrogate, an integer of more than 64 bits
        text = json.dumps(value, sort_keys=True, default=default)
        return json.dumps(_clean(json.loads(text)), ensure_ascii=False).encode()
    if _NUL_IN_JSON not in data:
        return data
    return orjson.dumps(_clean(orjson.loads(data)))


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, dict):
        return {clean_text(key): _clean(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_clean(item) for item in value]
    return value


def _has_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
