"""Plain values as bytes, to be hashed."""

from __future__ import annotations

import marshal
from typing import Any

# Later versions of the format write references, which differ for equal values.
_FORMAT = 2


def plain_bytes(values: tuple[Any, ...]) -> bytes:
    """Return bytes that are equal for equal values, in any run and on any machine.

    Values other than plain ones, such as times, are written as their `repr`.
    """
    try:
        return marshal.dumps(values, _FORMAT)
    except ValueError:
        return repr(values).encode("utf-8", "surrogatepass")
