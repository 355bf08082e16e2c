"""The terms of a text for a search index, each with its place.

A text becomes *terms*: lower-cased, without accents, stemmed, stop words left out. The
same function is applied to documents and to queries, word by word and without looking
at the surroundings, so equal words always give equal terms:

- English words lose their plural, Russian words their ending, told apart by script.
- Identifiers give their parts, split at dots, underscores and changes of case, and
  themselves as a whole: `Store.get_chunk` gives `store.get_chunk`, `store`,
  `get_chunk`, `get` and `chunk`.
- Scripts written without spaces (Chinese, Japanese, Korean, Thai and others) give pairs
  of neighbouring characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import cache, lru_cache
from itertools import chain
from operator import add
from string import ascii_letters, digits
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from outcrop.errors import MissingExtraError
from outcrop.text.native import NATIVE
from outcrop.text.stop_words import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

# Bump when the terms of any text change: what is stored was made by the old rules.
ANALYSIS_VERSION = 1

_MAX_WORD_CHARS = 100  # longer ones are data (keys, base64), not words
_MAX_CACHED_WORDS = 200_000
_MIN_PLURAL_CHARS = 4
# Words are taken apart only around the letters of a term, unless that would be most of the
# text: with more than one non-ASCII place per this many characters, or a shorter term.
_CHARS_PER_OTHER = 50
_MIN_PIECE = 2

# Letters of scripts without spaces between words, vowel signs included.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007"
    "\u3040-\u30fa\u30fc-\u318f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f"
    "\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
# Signs that belong to the letter before them but are not letters to `\w`.
_SIGNS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f"
    "\u0670\u06d6-\u06ed\u0900-\u0963\u0970-\u0dff\u0f00-\u0fff\u200c\u200d"
)
_LETTER = rf"[\w{_SIGNS}{UNSPACED}]"
# One scan finds whole identifiers: words joined by dots, words with apostrophes.
# Possessive: a word is never shortened to make something after it match. It looks ahead
# because, before Python 3.11.5, a possessive group skips what a failed attempt has read.
_WORDS = re.compile(rf"{_LETTER}++(?:(?=[.'\u2019]{_LETTER})[.'\u2019]{_LETTER}++)*+")
# The same for ASCII, where a small table decides what is a letter.
_ASCII_WORDS = re.compile(r"\w++(?:(?=[.']\w)[.']\w++)*+", re.ASCII)
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_DOT = re.compile(r"\.")
_APOSTROPHE = re.compile("['\u2019]")
_UNSPACED_RUN = re.compile(f"[{UNSPACED}]+")
_PART = re.compile(rf"[{UNSPACED}]+|(?:[^\W_{UNSPACED}]|[{_SIGNS}])+")
# In ASCII, the places where `_cut_at_case` cuts.
_CASE_CHANGE = re.compile(r"(?<=[^A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_ACCENTS = re.compile("[\u0300-\u036f]")
_CYRILLIC = re.compile("[\u0400-\u052f]")

_STEMMER_LOCK = Lock()


class Token(NamedTuple):
    """A term, and the half-open range of the characters it stands for."""

    term: str
    start: int
    end: int


def count_terms(text: str) -> Counter[str]:
    """Count the terms of a text: how often it says each.

    The sum of the counts is the text's length as BM25 understands it.
    """
    return Counter(term_counts(text))


def term_counts(text: str) -> dict[str, int]:
    """Count the terms of a text, in the order of the text."""
    counts: dict[str, int] | None = None
    if _counter is not None:
        counts = _counter.count(text, _terms_of_run)
    if counts is None:
        words = _words_in(text).findall(text)
        counts = dict(Counter(chain.from_iterable(map(_terms.__getitem__, words))))
    return counts


def _terms_of_run(run: str) -> tuple[str, ...]:
    """Return the terms of a word of ASCII, or of all words of any other run."""
    if run.isascii():
        return _terms[run]
    return tuple(chain.from_iterable(map(_terms.__getitem__, _WORDS.findall(run))))


def find_ranges(text: str, terms: Collection[str]) -> list[tuple[int, int]]:
    """Find where a text says any of the terms.

    Returns:
        Half-open ranges in order that neither overlap nor touch inside a word.
    """
    wanted = frozenset(terms)
    found: list[tuple[int, int]] = []
    stretches = None
    if _counter is not None:
        stretches = _counter.find(text, _terms_of_run, tuple(wanted))
        if stretches is not None and text.isascii():
            for left, right in stretches:  # each is one word
                _add_ranges(found, text[left:right], left, wanted)
            return found
    pattern = _words_in(text)
    for left, right in _stretches(text, wanted) if stretches is None else stretches:
        for match in pattern.finditer(text, left, right):
            word = match.group()
            # Most words hold none of them: their terms, which are cached, show it.
            if not wanted.isdisjoint(_terms[word]):
                _add_ranges(found, word, match.start(), wanted)
    return found


def _add_ranges(
    found: list[tuple[int, int]], word: str, at: int, wanted: frozenset[str]
) -> None:
    for term, first, last in _places(word):
        if term not in wanted:
            continue
        start, end = at + first, at + last
        # Pairs of characters overlap, and a whole comes before its parts.
        while found and found[-1][1] > start:
            earlier = found.pop()
            start, end = min(start, earlier[0]), max(end, earlier[1])
        found.append((start, end))


def _stretches(text: str, wanted: frozenset[str]) -> list[tuple[int, int]]:
    """Return the parts of a text, in order, that its words with any of the terms are in.

    Looking for letters is many times faster than taking a text apart. A word of ASCII
    contains its terms, but for the last letter of those that were a plural in `ies`.
    Other words may be written in many ways, so all of them are returned.
    """
    low = text.lower()
    pieces = [
        term[:-1] if term[-1] == "y" and len(term) > 1 else term
        for term in wanted
        if term.isascii()
    ]
    others = [] if text.isascii() else [m.start() for m in _NOT_ASCII.finditer(text)]
    if (
        len(low) != len(text)
        or len(others) * _CHARS_PER_OTHER > len(text)
        or min(map(len, pieces), default=_MIN_PIECE) < _MIN_PIECE
    ):
        return [(0, len(text))]
    found: set[tuple[int, int]] = set()
    end = 0
    for at in others:
        if at >= end:  # not in the stretch before: a line may have no spaces at all
            stretch = _between_spaces(text, at)
            found.add(stretch)
            end = stretch[1]
    for piece in pieces:
        at = low.find(piece)
        while at >= 0:
            stretch = _between_spaces(text, at)
            found.add(stretch)
            at = low.find(piece, stretch[1])
    return sorted(found)


def _between_spaces(text: str, at: int) -> tuple[int, int]:
    """Return the range around a place that reaches to the next spaces."""
    end = text.find(" ", at)
    return text.rfind(" ", 0, at) + 1, len(text) if end < 0 else end


def _words_in(text: str) -> re.Pattern[str]:
    """Return the fastest pattern of the words of a text."""
    return _ASCII_WORDS if text.isascii() else _WORDS


class _TermCache(dict[str, tuple[str, ...]]):
    """Terms of the words seen so far: a few thousand words make up most of a text."""

    def __missing__(self, word: str) -> tuple[str, ...]:
        terms: tuple[str, ...]
        if word.isascii() and word.isalpha() and word[1:].islower():
            plain = _term(word)  # most words: nothing to take apart
            terms = (plain,) if plain and len(word) <= _MAX_WORD_CHARS else ()
        elif word.isascii() and "'" not in word:
            terms = self._of_identifier(word)
        elif _UNSPACED_RUN.fullmatch(word):
            # A sentence without spaces will not come again.
            return tuple(map(add, word, word[1:])) or (word,)
        else:
            terms = tuple(term for term, _, _ in _analyse(word))
            if _UNSPACED_RUN.search(word):
                return terms
        if len(word) > _MAX_WORD_CHARS:
            return terms
        if len(self) >= _MAX_CACHED_WORDS:
            self.clear()
        self[word] = terms
        return terms

    def _of_identifier(self, word: str) -> tuple[str, ...]:
        """Return what `_analyse` finds, from parts that are mostly known already."""
        is_word = len(word) <= _MAX_WORD_CHARS
        names = word.split(".")
        if len(names) > 1:
            whole = (word.casefold(),) if is_word else ()
            return whole + tuple(chain.from_iterable(map(self.__getitem__, names)))
        if not is_word:
            return ()
        parts = [
            part
            for run in word.split("_")
            if run
            for part in (
                (run,) if run.islower() or run.isupper() else _CASE_CHANGE.split(run)
            )
        ]
        if parts == [word]:
            term = _term(word)
            return (term,) if term else ()
        if not parts:
            return ()
        terms = chain.from_iterable(map(self.__getitem__, parts))
        return (word.casefold(), *terms)


_terms = _TermCache()
# Finds the words that `_ASCII_WORDS` finds, if the module in C was built.
_counter = NATIVE and NATIVE.WordCounter(f"{ascii_letters}{digits}_", ".'")


@lru_cache(maxsize=10_000)
def _places(word: str) -> tuple[Token, ...]:
    """Return the terms of a word with their places; the hits of a query repeat it."""
    return tuple(_analyse(word))


def _analyse(word: str) -> Iterator[Token]:
    """Yield the terms of one match of `_WORDS`, places counted from its start."""
    if not _APOSTROPHE.search(word):
        yield from _dotted(word, 0)
    elif word.replace("\u2019", "'").lower() not in STOP_WORDS:
        for piece, offset in _split(word, _APOSTROPHE):
            yield from _dotted(piece, offset)


def _dotted(word: str, offset: int) -> Iterator[Token]:
    names = _split(word, _DOT)
    if len(names) > 1 and _is_word(word):
        yield Token(word.casefold(), offset, offset + len(word))
    for name, start in names:
        yield from _name(name, offset + start)


def _name(name: str, offset: int) -> Iterator[Token]:
    """Yield an identifier without dots as a whole, and its parts."""
    whole = _is_word(name)
    if not whole and not _UNSPACED_RUN.search(name):
        return
    parts = [
        (start, end)
        for match in _PART.finditer(name)
        for start, end in _cut_at_case(match.group(), match.start())
    ]
    if whole and parts and parts != [(0, len(name))]:
        yield Token(name.casefold(), offset, offset + len(name))
    for start, end in parts:
        part = name[start:end]
        if _UNSPACED_RUN.match(part):
            yield from _pairs(part, offset + start)
        elif len(part) <= _MAX_WORD_CHARS and (term := _term(part)):
            yield Token(term, offset + start, offset + end)


def _is_word(text: str) -> bool:
    """Return whether a text may be a term as it is."""
    return len(text) <= _MAX_WORD_CHARS and not _UNSPACED_RUN.search(text)


def _split(text: str, separator: re.Pattern[str]) -> list[tuple[str, int]]:
    pieces: list[tuple[str, int]] = []
    start = 0
    for match in separator.finditer(text):
        pieces.append((text[start : match.start()], start))
        start = match.end()
    pieces.append((text[start:], start))
    return pieces


def _cut_at_case(part: str, offset: int) -> Iterator[tuple[int, int]]:
    """Cut `getHTTPServer` into `get`, `HTTP` and `Server`."""
    start = 0
    if not (part.islower() or part.isupper()):
        for at in range(1, len(part)):
            if part[at].isupper() and (
                not part[at - 1].isupper()
                or (at + 1 < len(part) and part[at + 1].islower())
            ):
                yield offset + start, offset + at
                start = at
    yield offset + start, offset + len(part)


def _pairs(run: str, offset: int) -> Iterator[Token]:
    if len(run) == 1:
        yield Token(run, offset, offset + 1)
    for at in range(len(run) - 1):
        yield Token(run[at : at + 2], offset + at, offset + at + 2)


def _term(part: str) -> str | None:
    folded = _fold(part)
    if folded in STOP_WORDS:
        return None
    if folded.isascii():
        return _without_plural(folded)
    if _CYRILLIC.search(folded):
        return _russian_stem(folded)
    return folded


def _fold(part: str) -> str:
    folded = part.casefold()
    if folded.isascii():
        return folded
    folded = unicodedata.normalize("NFKC", folded)
    if _CYRILLIC.search(folded):
        return folded.replace("\u0451", "\u0435")  # ё is most often written е
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", folded))
    return unicodedata.normalize("NFC", bare)


def _without_plural(word: str) -> str:
    """Return the singular of an English word; words of other languages rarely change.

    A full stemmer makes different words equal and was measured to find no more on
    documentation.
    """
    if len(word) < _MIN_PLURAL_CHARS or word[-1] != "s":
        return word
    if word.endswith(("us", "ss", "is")):
        return word
    if word.endswith("ies") and word[-4] not in "ae":
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes", "zes")):
        return word[:-2]
    return word[:-1]


def _russian_stem(word: str) -> str:
    with _STEMMER_LOCK:  # a stemmer works in place
        return str(_russian_stemmer().stemWord(word))


@cache
def _russian_stemmer() -> Any:
    try:
        import snowballstemmer  # type: ignore[import-untyped]
    except ImportError as error:
        raise MissingExtraError("search in Russian text", "store") from error
    return snowballstemmer.stemmer("russian")
