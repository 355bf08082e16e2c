"""Text of others made safe for a terminal.

A title or a file name may hold escape sequences that move the cursor, change colours
or turn the reading direction. They are shown, never sent.
"""

from __future__ import annotations

import unicodedata

# Controls, lone surrogates, line and paragraph separators.
_ESCAPED_CATEGORIES = frozenset({"Cc", "Cs", "Zl", "Zp"})
_BIDI_CONTROLS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")  # fmt: skip


def escape_controls(text: str) -> str:
    r"""Replace what could steer a terminal by its escape, as in `\x1b`."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_escape, text))


def _escape(character: str) -> str:
    if (
        character in _BIDI_CONTROLS
        or unicodedata.category(character) in _ESCAPED_CATEGORIES
    ):
        return character.encode("unicode_escape").decode("ascii")
    return character
