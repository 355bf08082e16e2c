"""Cursors: the position in a list, as opaque text."""

from __future__ import annotations

import base64
import binascii
from http import HTTPStatus

from outcrop.http.problems import ProblemError

_MAX_CHARS = 8_000


def write_cursor(key: str) -> str:
    """Return the cursor for the page after a key."""
    return base64.urlsafe_b64encode(key.encode()).decode().rstrip("=")


def read_cursor(cursor: str | None) -> str:
    """Return the key in a cursor; empty for the first page.

    Raises:
        ProblemError: The cursor is invalid.
    """
    if not cursor:
        return ""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        key = base64.b64decode(padded.encode("ascii"), altchars=b"-_", validate=True)
        text = key.decode()
    except (ValueError, binascii.Error):
        text = "\0"
    # Only the canonical encoding is valid, and no key has a NUL.
    if "\0" in text or len(cursor) > _MAX_CHARS or write_cursor(text) != cursor:
        raise ProblemError(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "invalid cursor; omit it to start from the first page",
        )
    return text
