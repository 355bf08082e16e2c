"""Where a text may be cut without tearing a visible character.

A reader's character is often several code points: a letter and its accents, a flag, a
family emoji, a Hangul syllable in pieces. This follows the extended grapheme clusters
of Unicode Annex 29 as far as the standard library's character data goes.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

_ZERO_WIDTH_JOINER = "\u200d"
_SKIN_TONES = range(0x1F3FB, 0x1F400)
_REGIONAL_INDICATORS = range(0x1F1E6, 0x1F200)
_TAGS = range(0xE0020, 0xE0080)
_HANGUL_SYLLABLES = range(0xAC00, 0xD7A4)
_HANGUL_LEADING = (range(0x1100, 0x1160), range(0xA960, 0xA97D))
_HANGUL_VOWELS = (range(0x1160, 0x11A8), range(0xD7B0, 0xD7C7))
_HANGUL_TRAILING = (range(0x11A8, 0x1200), range(0xD7CB, 0xD7FC))
# Letters by their category, which Unicode still joins to the one before them.
_SPACING_LETTERS = frozenset({0x0E33, 0x0EB3, 0xFF9E, 0xFF9F})
# Signs that belong to the character after them.
_PREPENDED = frozenset(
    {
        *range(0x0600, 0x0606), 0x06DD, 0x070F, 0x0890, 0x0891, 0x08E2, 0x0D4E, 0x110BD,
        0x110CD, 0x111C2, 0x111C3, 0x1193F, 0x11941, 0x11A3A, *range(0x11A84, 0x11A8A),
        0x11D46, 0x11F02,
    }
)  # fmt: skip
_MAX_FLAGS = 64
_HANGUL_PERIOD = 28  # syllables without a trailing consonant come every 28


def is_grapheme_boundary(text: str, at: int) -> bool:  # noqa: PLR0911 - one rule per line
    """Whether a cut before `text[at]` tears no grapheme cluster."""
    if at <= 0 or at >= len(text):
        return True
    before, after = text[at - 1], text[at]
    if after.isascii() and before.isascii():
        return not (before == "\r" and after == "\n")
    if _is_control(before) or _is_control(after):
        return True
    if _extends(after) or ord(before) in _PREPENDED:
        return False
    if before == _ZERO_WIDTH_JOINER:
        return not _is_pictograph(after)
    if _is_regional(after) and _is_regional(before):
        return _regional_run(text, at) % 2 == 0
    return not _hangul_joins(ord(before), ord(after))


def last_grapheme_boundary(text: str, low: int, high: int) -> int:
    """The last boundary in `(low, high]`, or `high` where a cluster fills all of it."""
    for at in range(high, low, -1):
        if is_grapheme_boundary(text, at):
            return at
    # Even a cluster longer than the limit is never cut inside CRLF.
    is_inside_line_end = text[high - 1 : high + 1] == "\r\n" and high - 1 > low
    return high - 1 if is_inside_line_end else high


def _is_control(char: str) -> bool:
    return unicodedata.category(char) in {"Cc", "Zl", "Zp"}


@lru_cache(maxsize=4096)
def _extends(char: str) -> bool:
    point = ord(char)
    return (
        unicodedata.category(char) in {"Mn", "Me", "Mc"}
        or char in {_ZERO_WIDTH_JOINER, "\u200c"}
        or point in _SKIN_TONES
        or point in _TAGS
        or point in _SPACING_LETTERS
    )


def _is_pictograph(char: str) -> bool:
    return (
        unicodedata.category(char) in {"So", "Cn", "Sk"} or char in "\u2194\u00a9\u00ae"
    )


def _is_regional(char: str) -> bool:
    return ord(char) in _REGIONAL_INDICATORS


def _regional_run(text: str, at: int) -> int:
    """How many regional indicators are directly before `at`, up to a bound.

    Flags come in twos; longer runs than the bound do not occur in practice, and without
    it a text of flags alone would take quadratic time.
    """
    count = 0
    while count < _MAX_FLAGS and at > count and _is_regional(text[at - count - 1]):
        count += 1
    return count


def _hangul_joins(before: int, after: int) -> bool:
    is_vowel = any(after in span for span in _HANGUL_VOWELS)
    is_trailing = any(after in span for span in _HANGUL_TRAILING)
    if any(before in span for span in _HANGUL_LEADING):
        is_leading = any(after in span for span in _HANGUL_LEADING)
        return is_leading or is_vowel or after in _HANGUL_SYLLABLES
    if any(before in span for span in _HANGUL_VOWELS):
        return is_vowel or is_trailing
    if any(before in span for span in _HANGUL_TRAILING):
        return is_trailing
    if before in _HANGUL_SYLLABLES:
        has_trailing = (before - _HANGUL_SYLLABLES.start) % _HANGUL_PERIOD != 0
        return is_trailing or (is_vowel and not has_trailing)
    return False
