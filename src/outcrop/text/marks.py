"""Marks that tell our own lines from quoted text, which may imitate them.

A mark is a number that occurs nowhere in the quoted texts. It is computed from them, so
the same texts have the same mark. The author of a text cannot put the mark into it,
because a number that occurs in any of the texts is never chosen.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# Tokens hold three digits at most, so that this is two of them.
_DIGITS = 6
_MORE_DIGITS = 3
_END = "end"


def choose_mark(texts: Sequence[str]) -> str:
    """Return a number, in digits, that occurs in none of some texts."""
    digest = blake2b()
    for text in texts:
        data = text.encode(errors="surrogatepass")
        digest.update(len(data).to_bytes(8) + data)
    digits = str(int.from_bytes(digest.digest()))
    size = _DIGITS
    while any(digits[:size] in text for text in texts):
        if size >= len(digits):
            digest.update(b"\0")
            digits += str(int.from_bytes(digest.digest()))
        size += _MORE_DIGITS
    return digits[:size]


def closing_line(mark: str) -> str:
    """Return the line after the last of the quoted texts."""
    return f"{mark} {_END}"


def on_one_line(text: str) -> str:
    """Return a text with everything escaped that could start a line or hide."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode()
        for char in text
    )
