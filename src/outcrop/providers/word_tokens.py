"""The words of texts and their tokens; each word is cut into tokens once.

Only letters and digits count. An identifier is taken apart where its case changes, and
a run of characters where its script does: `readHTTPBody` is `read`, `http`, `body`.

What remains is cut into tokens by byte pair encoding: the first 256 tokens are bytes, and
each merge of two tokens makes the next one. In a word, the pair whose merge was learned
first is merged first. A search has a few words to encode, so what counts is how fast the
vocabulary is loaded.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections import Counter
from itertools import chain, pairwise
from string import ascii_letters, digits
from typing import TYPE_CHECKING, Protocol

from outcrop.text.native import NATIVE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy as np
    from numpy.typing import NDArray


BYTES = 256
_BITS = 16  # of a token's number
_NO_MERGE = 1 << _BITS
# Bytes that are printable characters of Latin-1 come first, then the others.
_PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_ORDER = [*_PRINTABLE, *sorted({*range(BYTES)} - {*_PRINTABLE})]
_TOKEN_OF_BYTE = [token for _, token in sorted(zip(_ORDER, range(BYTES), strict=True))]


class Vocabulary(Protocol):
    """Tokens that words are made of."""

    def encode(self, word: str, /) -> list[int]:
        """Return the tokens of a word."""
        ...


def load_vocabulary(merges: NDArray[np.uint16]) -> Vocabulary:
    """Return the vocabulary with some merges, in C where that was built."""
    if NATIVE is None:
        return BytePairs(merges)
    native: Vocabulary = NATIVE.BytePairs(
        merges.astype("uint16"), bytes(_TOKEN_OF_BYTE)
    )
    return native


class BytePairs:
    """The merges of a vocabulary."""

    def __init__(self, merges: NDArray[np.uint16]) -> None:
        """Use merges: two tokens per row, in the order they were learned."""
        left, right = merges.astype("int64").T
        pairs = (left << _BITS | right).tolist()
        self._merged = dict(zip(pairs, range(BYTES, BYTES + len(pairs)), strict=True))

    def encode(self, word: str) -> list[int]:
        """Return the tokens of a word."""
        tokens = [_TOKEN_OF_BYTE[byte] for byte in word.encode()]
        merged = self._merged.get
        # What each token and the next one become.
        pairs = pairwise(tokens)
        next_merges = [
            merged(left << _BITS | right, _NO_MERGE) for left, right in pairs
        ]
        while next_merges:
            token = min(next_merges)
            if token == _NO_MERGE:
                break
            at = next_merges.index(token)
            tokens[at : at + 2] = [token]
            del next_merges[at]
            if at:
                left = tokens[at - 1] << _BITS | token
                next_merges[at - 1] = merged(left, _NO_MERGE)
            if at < len(next_merges):
                right = token << _BITS | tokens[at + 1]
                next_merges[at] = merged(right, _NO_MERGE)
        return tokens


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

    def __init__(self, vocabulary: Vocabulary) -> None:
        """Use a vocabulary."""
        super().__init__()
        self._encode = vocabulary.encode
        # Finds the words that `_ASCII_WORDS` finds, if the module in C was built.
        self._counter = NATIVE and NATIVE.WordCounter(ascii_letters + digits, "")

    def of(self, text: str) -> Iterable[int]:
        """Return the ids of a text's tokens."""
        return chain.from_iterable(map(self.__getitem__, split_words(text)))

    def count(self, text: str) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """Return the ids of a text's tokens, each once and in order, and their counts."""
        import numpy as np

        ids, counts = self.count_packed(text)
        return np.frombuffer(ids, np.uint32), np.frombuffer(counts, np.uint32)

    def count_packed(self, text: str) -> tuple[bytes, bytes]:
        """Return what `count` returns as the bytes of the two arrays."""
        packed: tuple[bytes, bytes] | None = None
        if self._counter is not None:
            packed = self._counter.count_numbers(text, self._tokens_of_run)
        if packed is not None:
            return packed
        counts = Counter(self.of(text))
        return array("I", counts).tobytes(), array("I", counts.values()).tobytes()

    def _tokens_of_run(self, run: str) -> tuple[int, ...]:
        """Return the tokens of a word of ASCII, or of all words of any other run."""
        return self[run] if run.isascii() else tuple(self.of(run))

    def __missing__(self, word: str) -> tuple[int, ...]:
        is_short = len(word) <= _MAX_WORD_CHARS
        if is_short and word.islower() and word.isascii():
            ids = tuple(self._encode(word))  # most words: they are normalized
        else:
            parts = normalize_word(word)
            ids = tuple(chain.from_iterable(map(self._encode, parts)))
        if is_short:
            if len(self) >= _MAX_CACHED:
                self.clear()
            self[word] = ids
        return ids
