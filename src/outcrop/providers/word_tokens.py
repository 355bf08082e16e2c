"""The words of texts, and the tokens they are made of, each word worked out once.

Only letters and digits count. An identifier is taken apart where its case changes, and
a run of characters where its script does: `readHTTPBody` is `read`, `http`, `body`.
What remains is cut into tokens by the vocabulary.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from outcrop.providers.byte_pairs import BytePairs

_HAN = r"\u3400-\u9fff\uf900-\ufaff"
_HIRAGANA, _KATAKANA, _HANGUL = r"\u3041-\u309f", r"\u30a0-\u30ff", r"\uac00-\ud7a3"
_WORDS = re.compile(
    rf"[{_HAN}]+|[{_HIRAGANA}]+|[{_KATAKANA}]+|[{_HANGUL}]+"
    rf"|[^\W_{_HAN}{_HIRAGANA}{_KATAKANA}{_HANGUL}]+"
)
# The same for ASCII, three times as fast.
_ASCII_WORDS = re.compile(r"[A-Za-z0-9]+")
_CASE_CHANGE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_MAX_WORD_CHARS = 40  # longer ones are data (keys, base64) and cut
_MAX_CACHED = 100_000


def split_words(text: str) -> list[str]:
    """Return the words of a text as they are written, identifiers still whole."""
    return (_ASCII_WORDS if text.isascii() else _WORDS).findall(text)


def normalize_word(word: str) -> Iterator[str]:
    """Yield the parts of a word in lower case, none of them long."""
    if word.isascii():
        parts = [word] if word.islower() else _CASE_CHANGE.split(word)
    else:
        parts = [unicodedata.normalize("NFKC", word)]
    for part in parts:
        for at in range(0, len(part), _MAX_WORD_CHARS):
            yield part[at : at + _MAX_WORD_CHARS].lower()


class WordTokens(dict[str, tuple[int, ...]]):
    """The token ids of the words seen so far."""

    def __init__(self, vocabulary: BytePairs) -> None:
        """Use a vocabulary."""
        super().__init__()
        self._encode = vocabulary.encode

    def of(self, text: str) -> Iterable[int]:
        """Return the ids of a text's tokens."""
        return chain.from_iterable(map(self.__getitem__, split_words(text)))

    def __missing__(self, word: str) -> tuple[int, ...]:
        parts = normalize_word(word)
        ids = tuple(chain.from_iterable(map(self._encode, parts)))
        if len(word) <= _MAX_WORD_CHARS:
            if len(self) >= _MAX_CACHED:
                self.clear()
            self[word] = ids
        return ids
