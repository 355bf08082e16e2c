"""Text as PostgreSQL can store it.

A Python string may contain NUL, which PostgreSQL rejects, and lone surrogates, which
have no UTF-8. Indexed files contain neither, but escapes in a docstring or an error
message may decode to them. Each such character is replaced by U+FFFD.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_REPLACEMENT = "\ufffd"
_NUL_IN_JSON = "\\u0000"
# `json.dumps` would make an encoder for every value.
_encode = json.JSONEncoder(ensure_ascii=False).encode


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
    if default is None:
        text = _encode(value)
    else:
        text = json.dumps(value, ensure_ascii=False, default=default)
    if _NUL_IN_JSON not in text and (text.isascii() or _has_utf8(text)):
        return text
    return _encode(_clean(json.loads(text)))


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
