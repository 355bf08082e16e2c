"""Detecting the language of a text: by its script, then by its most common words.

Made for documentation comments and sections of documents, where a few hundred
characters have to do and thousands of texts come in a second.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from itertools import chain
from string import ascii_letters

from outcrop.text.native import NATIVE

# How much of a text is looked at.
_MAX_CHARS = 600
_FENCE = re.compile(r"^(`{3,}|~{3,}).*?^\1", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`")
_WORD = re.compile(r"[^\W\d_]+")


@cache  # most processes see no text in most scripts, and compiling takes milliseconds
def _runs_of(letters: str) -> re.Pattern[str]:
    # The search of `re` skips to a set of characters, but not to its repetition.
    return re.compile(f"{letters}{letters}*")


_SCRIPTS = (
    ("ja", "[\u3041-\u30fa\u30fc-\u30ff\uff66-\uff9f]"),
    ("ko", "[\u1100-\u11ff\uac00-\ud7a3]"),
    ("zh", "[\u3400-\u4dbf\u4e00-\u9fff]"),
    ("uk", "[\u0404\u0406\u0407\u0454\u0456\u0457\u0490\u0491]"),
    ("ru", "[\u0400-\u052f]"),
    ("el", "[\u0370-\u03ff]"),
    ("he", "[\u0590-\u05ff]"),
    ("ar", "[\u0600-\u06ff]"),
    ("hi", "[\u0900-\u097f]"),
    ("th", "[\u0e00-\u0e7f]"),
)
# Letters of any of them: quotes, dashes and accents are most of what is not ASCII.
_OF_A_SCRIPT = (
    "[\u0370-\u06ff\u0900-\u097f\u0e00-\u0e7f\u1100-\u11ff"
    "\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3\uff66-\uff9f]"
)
# Share of the letters from which a script that is rare in other languages decides.
_MIN_SHARE = 0.05
_MIN_MAIN_SHARE = 0.3
_COMMON = {
    "en": "the of and to in is that for it as with be on this are by from or not an a",
    "de": "der die das und ist nicht ein eine den mit von auf für wird dem zu sich oder",
    "fr": "le la les des et est une un dans pour que qui sur pas avec ou du au sont a",
    "es": "el la los las de y es una un en para que por con se del no al este a",
    "it": "il la di e che un una per con non sono della del gli nel si è le a",
    "pt": "o a os as de e que um uma para com não em do da se por ou é",
    "nl": "de het een en van is dat niet op te voor met zijn aan door wordt of bij",
    "pl": "i w na z do nie jest się że dla jak lub przez od po to oraz a",
    "sv": "och att det som en på är av för med den till inte om ett eller har",
    "tr": "ve bir bu için ile olarak da de olan veya daha gibi kadar her",
}
_LANGUAGES_OF: dict[str, list[str]] = {}
for _language, _words in _COMMON.items():
    for _word in _words.split():
        _LANGUAGES_OF.setdefault(_word, []).append(_language)


# Their letters: Japanese is also written in Chinese characters, Ukrainian in Cyrillic.
_LETTERS = {name: [letters] for name, letters in _SCRIPTS}
_LETTERS["ja"] = _LETTERS["zh"] = [*_LETTERS["ja"], *_LETTERS["zh"]]
_LETTERS["uk"] += _LETTERS["ru"]
# A short text may have one or two common words of another language by chance.
_MIN_MORE_WORDS = 3
_MIN_WORDS = 2


def is_foreign(text: str, language: str) -> bool:
    """Return whether a text is certainly in another language than the given one.

    It has no letter of the other's script, or more common words of another language.
    """
    prose = _prose_of(text)
    script = _script_of(prose)
    if script is None and not _WORD.search(prose.lower()):
        return False
    if language in _LETTERS:
        return not any(_runs_of(each).search(text) for each in _LETTERS[language])
    if script is not None:
        return True
    counts = _count_common(text)
    most = max(counts.values(), default=0)
    return most - counts[language] >= _MIN_MORE_WORDS


def common_words(text: str, language: str) -> set[str]:
    """Return the words of a text that are among the most common of a language."""
    words = set(_WORD.findall(text.lower()))
    return {word for word in words if language in _LANGUAGES_OF.get(word, ())}


def _count_common(text: str) -> Counter[str]:
    return Counter(
        name
        for word in set(_WORD.findall(text.lower()))
        for name in _LANGUAGES_OF.get(word, ())
    )


def detect_language(text: str) -> str | None:
    """Return the code of the language of a text, as `en`; None if it is not clear.

    A text without common words of any language counts as English.
    """
    prose = _prose_of(text)
    return _script_of(prose) or _by_words(prose)


def _prose_of(text: str) -> str:
    """Return the beginning of a text, without code."""
    prose = text[: 2 * _MAX_CHARS]
    if "```" in prose or "~~~" in prose:
        prose = _FENCE.sub(" ", prose)
    if "`" in prose:
        prose = _CODE.sub(" ", prose)
    return prose[:_MAX_CHARS]


def _script_of(prose: str) -> str | None:
    """Return the language whose script a text is written in, if its script is one's."""
    if prose.isascii() or not _runs_of(_OF_A_SCRIPT).search(prose):
        return None
    words = _WORD.findall(prose.lower())
    return _by_script(prose, sum(map(len, words))) if words else None


def _by_script(prose: str, letters: int) -> str | None:
    of_scripts = "".join(_runs_of(_OF_A_SCRIPT).findall(prose))
    distinct = "".join(set(of_scripts))
    shares = {
        name: sum(map(len, pattern.findall(of_scripts))) / letters
        if (pattern := _runs_of(own)).search(distinct)
        else 0.0
        for name, own in _SCRIPTS
    }
    if shares["ja"] >= _MIN_SHARE:
        return "ja"
    if shares["ru"] >= _MIN_MAIN_SHARE and shares["uk"] >= _MIN_SHARE / 2:
        return "uk"
    del shares["uk"]
    best = max(shares, key=lambda name: shares[name])
    return best if shares[best] >= _MIN_MAIN_SHARE else None


def _by_words(prose: str) -> str | None:
    counts: dict[str, int] | None = None
    if _counter is not None:
        counts = _counter.count(prose, _languages_of)
    if counts is None:
        counts = Counter(_languages_of(prose))
    if not counts:
        # English by default: most names and comments in code are.
        return "en" if _WORD.search(prose.lower()) else None
    most = max(counts.values())
    best = [language for language in _COMMON if counts.get(language) == most]
    if best[0] == "en":
        return "en"
    return best[0] if len(best) == 1 and most >= _MIN_WORDS else None


def _languages_of(text: str) -> tuple[str, ...]:
    """Return the languages of each common word of a text."""
    words = _WORD.findall(text.lower())
    common = map(_LANGUAGES_OF.__getitem__, filter(_LANGUAGES_OF.__contains__, words))
    return tuple(chain.from_iterable(common))


# Finds words of ASCII, if the module in C was built.
_counter = NATIVE and NATIVE.WordCounter(ascii_letters, "")
