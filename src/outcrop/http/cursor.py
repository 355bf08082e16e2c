"""Where a list goes on: an opaque text that only the server reads."""

from __future__ import annotations

import base64
import binascii
from http import HTTPStatus

from outcrop.http.problems import ProblemError

_MAX_CHARS = 8_000


def write_cursor(key: str) -> str:
    """Return the cursor of what comes after a key."""
    return base64.urlsafe_b64encode(key.encode()).decode().rstrip("=")


def read_cursor(cursor: str | None) -> str:
    """Return the key in a cursor; an empty one for the beginning.

    Raises:
        ProblemError: The cursor was not given out by this server.
    """
    if not cursor:
        return ""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        key = base64.b64decode(padded.encode("ascii"), altchars=b"-_", validate=True)
        text = key.decode()
    except (ValueError, binascii.Error):
        text = "\0"
    # What is not written as we write it was not written by us; no key has a NUL.
    if "\0" in text or len(cursor) > _MAX_CHARS or write_cursor(text) != cursor:
        raise ProblemError(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "cursor is none that the server gave; leave it out to start again",
        )
    return text
