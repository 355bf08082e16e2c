"""Where running text may be cut: after a sentence, else a word, else a visible character.

Every function looks only at the stretch it is given, so cutting a text of any length
piece by piece stays linear.
"""

from __future__ import annotations

import re
import unicodedata
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_USUAL_TOKEN_CHARS = 4


class Boundary(StrEnum):
    """The kinds of boundary inside running text, best first."""

    LINE = "line"
    SENTENCE = "sentence"
    WORD = "word"
    GRAPHEME = "grapheme"
    CODE_POINT = "code_point"


# A sentence ends at a mark with its closing quotes and brackets, before white space;
# the full-width marks of Chinese and Japanese need none.
# It starts with a set of characters, which the search of `re` skips to. Several marks
# that end no sentence are matched too, so that none of them is looked at twice.
_SENTENCE_END = re.compile(
    r"""
    [.!?…。！？｡] (?:
        (?<=[.!?…]) (?:
            [.!?…]*+ (?P<close>["'”’»)\]*_`]*+) (?=\s)
            | (?P<inside>[.!?…]+)
        )
        | (?<=[。！？｡]) [。！？｡]* [」』）”’】〉》]*
    )
    """,
    re.VERBOSE,
)
_BEFORE_LAST_WORD = re.compile(r".*[\s(\[«„“\"'*_`]", re.DOTALL)
_INITIALS = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]")
_BEFORE_NUMBERS = frozenset(["fig", "figs", "no", "nos", "p", "pp", "vol"])
_ENGLISH = """
    e.g i.e etc vs cf al approx dept est inc ltd ed eds dr mr mrs ms prof st jr sr
    jan feb mar apr jun jul aug sep sept oct nov dec
"""
_RUSSIAN = """
    т.е т.к т.д т.п т.н т.о напр см ср гл стр рис табл им ул др пр г гг в вв тыс млн
    млрд руб коп мин сек акад проф доц изд
"""
_ABBREVIATIONS = frozenset((_ENGLISH + _RUSSIAN).split())
# Words that are abbreviations if a small letter follows, and may end a sentence if not.
_UNLESS_CAPITALIZED = """
    max min avg resp incl excl esp temp orig ver sec ref refs ch ca usu cont
    bzw usw evtl ggf inkl zzgl vgl env ej núm pág тел доп обл чел
"""
_BEFORE_SMALL_LETTERS = frozenset(_UNLESS_CAPITALIZED.split())
# Scripts that write words without spaces between them, and emoji.
_UNSPACED = re.compile(
    r"[\u2e80-\u312f\u3190-\ua95f\uf900-\ufaff\uff00-\uffef\U00010000-\U0010ffff]"
)
_NEVER_FIRST = frozenset(
    "、。，．：；？！）］｝〕〉》」』】〙〗ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ"
)
_NEVER_LAST = frozenset("（［｛〔〈《「『【")


def sentence_ends(text: str, start: int, end: int) -> Iterator[int]:
    """Positions in `(start, end]` just after a sentence, ascending."""
    for match in _SENTENCE_END.finditer(text, start, end):
        if _ends_sentence(text, start, match):
            yield match.end()


def _ends_sentence(text: str, start: int, match: re.Match[str]) -> bool:
    if match["close"] is None:
        return match["inside"] is None
    mark = text[match.start() : match.start("close")]
    if mark.strip(".…"):
        return True
    following = text[match.end() : match.end() + 40].lstrip()
    if mark != ".":  # an ellipsis is a pause before a small letter
        return not following[:1].islower()
    first, last = max(start, match.start() - 40), match.start()
    if before := _BEFORE_LAST_WORD.match(text, first, last):
        first = before.end()
    word = text[first:last].lower()
    if word in _ABBREVIATIONS or _INITIALS.fullmatch(word):
        return False
    if word in _BEFORE_SMALL_LETTERS and following[:1].islower():
        return False
    is_label = word in _BEFORE_NUMBERS and following[:1].isdecimal()
    # "1." at the start of a line numbers what follows.
    is_number = word.isdecimal() and (first == 0 or text[first - 1] == "\n")
    return not (is_label or is_number)


def find_cut(
    text: str, low: int, high: int, floor: int, *, by_line: bool = False
) -> tuple[int, Boundary]:
    """Choose where to end a piece of running text that has to be cut.

    Args:
        text: The whole text.
        low: The cut is after this offset.
        high: The cut is at this offset or before it.
        floor: A better kind of boundary before this offset yields to a lesser one
            after it, so that no crumbs are cut off.
        by_line: Whether lines stand for themselves, as in a list of definitions.

    Returns:
        The offset, and what kind of boundary is there.
    """
    found: list[tuple[int, Boundary]] = []
    if by_line:
        at = max(text.rfind("\n", low + 1, high), text.rfind("\r", low + 1, high))
        found.append((at, Boundary.LINE))
    found.append((_last_sentence_end(text, low, high), Boundary.SENTENCE))
    if found[-1][0] < floor:
        found.append((_last_word_end(text, low, high), Boundary.WORD))
    for at, kind in found:
        if at >= floor and at > low:
            return at, kind
    for at, kind in found:
        if at > low:
            return at, kind
    at = last_grapheme_boundary(text, low, high)
    kind = Boundary.GRAPHEME if is_grapheme_boundary(text, at) else Boundary.CODE_POINT
    return at, kind


def _last_sentence_end(text: str, low: int, high: int) -> int:
    # One character more, so that a sentence may end exactly at `high`.
    marks = _SENTENCE_END.finditer(text, low, min(high + 1, len(text)))
    for match in reversed(list(marks)):
        at = match.end()
        if low < at <= high and _ends_sentence(text, low, match):
            return at
    return -1


def _last_word_end(text: str, low: int, high: int) -> int:
    # The end of a line in the second half says more than the last space.
    line = text.rfind("\n", low + (high - low) // 2, high + 1)
    if line > low:
        return low + len(text[low:line].rstrip())
    if high >= len(text) or text[high].isspace():
        return high
    window = text[low:high]
    if window[-1].isspace():
        return low + len(window.rstrip())
    words = window.rsplit(None, 1)
    spaced = low + len(words[0]) if len(words) > 1 else -1
    if window.isascii() and text[high].isascii():
        return spaced
    for at in range(high, max(low, spaced), -1):
        before, after = text[at - 1], text[at]
        if (
            (_UNSPACED.match(before) or _UNSPACED.match(after))
            and after not in _NEVER_FIRST
            and before not in _NEVER_LAST
            and is_grapheme_boundary(text, at)
        ):
            return at
    return spaced


def cut_to_tokens(
    text: str, max_tokens: int, count: Callable[[str], int]
) -> tuple[str, int]:
    """Return the beginning of a text that fits, and its tokens.

    The text is cut at the end of a line or sentence, or else of a word, unless more than
    half of what fits would be lost.
    """
    if max_tokens < 1:
        return "", 0
    low, high = 0, max_tokens * _USUAL_TOKEN_CHARS
    # Doubling, so that the cost depends on what fits, not on the text.
    while count(text[:high]) <= max_tokens:
        if high >= len(text):
            return text, count(text)
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if count(text[:middle]) <= max_tokens:
            low = middle
        else:
            high = middle
    if not low:
        return "", 0
    end, _ = find_cut(text, 0, low, low // 2, by_line=True)
    piece = text[:end].rstrip()
    return piece, count(piece)


# A reader's character is often several code points: a letter and its accents, a flag, a
# family emoji, a Hangul syllable in pieces. What follows keeps to the extended grapheme
# clusters of Unicode Annex 29 as far as the standard library's character data goes.
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
