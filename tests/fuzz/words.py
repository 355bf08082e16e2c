"""Words counted in C and in Python, on the same texts."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from outcrop.providers import local_embedder
from outcrop.providers.local_embedder import FOLDER, LocalEmbedder
from outcrop.providers.word_tokens import BytePairs, WordTokens, load_vocabulary
from outcrop.text import analysis, language
from outcrop.text.native import NATIVE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from fuzz.readers import Maker

_PIECES: tuple[str, ...] = (
    "a", "Z", "the", "der", "classes", "getHTTPServer", "read_file", "isn't", "x.y", "1", "v2",
    "_", "__", ".", "..", "'", "\u2019", " ", " ", " ", "\n", "-", "(", "`", "\x00", "\x7f", "\x80",
    "é", "e\u0301", "İ", "Σ", "ß", "ﬁ", "２", "Ⅷ", "ё", "серверов", "日本語", "の", "データ", "한국어",
    "ไทย", "हिन्दी", "👩‍👩‍👧", "\u00a0", "\u200d", "\ud800", "\udc80", "\U0003ffff", "a" * 41, "x" * 101,
)  # fmt: skip


class WordMaker:
    """Makes texts of words, most of them short.

    Args:
        random: The source of randomness.
        makers: Makers of documents, which take turns with this one.
    """

    def __init__(self, random: Random, makers: Sequence[Maker]) -> None:
        self._random = random
        self._makers = makers

    def document(self) -> str:
        """Return a document of one of the makers, or pieces in any order."""
        random = self._random
        if random.random() < 0.05:
            return random.choice(self._makers).document()
        return "".join(random.choices(_PIECES, k=random.randint(1, 24)))


def check_words(text: str) -> None:
    """Assert that a text has the same words in C and in Python."""
    if NATIVE is None:
        return
    fast, slow = count_all(text), count_all(text, in_c=False)
    assert fast == slow, f"the words differ: {fast} and {slow}"


def count_all(text: str, *, in_c: bool = True) -> list[Any]:
    """Return everything that is counted of a text, in its order, and its vector."""
    counts = count_tokens(text, in_c=in_c)
    vector = sum_tokens(counts, in_c=in_c)
    if in_c:
        found = _analyse(text)
    else:
        with (
            patch.object(analysis, "_counter", None),
            patch.object(language, "_counter", None),
        ):
            found = _analyse(text)
    return [*found, *counts, vector]


def _analyse(text: str) -> list[Any]:
    """Return the terms of a text, where every third of them is, and the language."""
    terms = analysis.term_counts(text)
    places = analysis.find_ranges(text, [*terms][::3])
    return [list(terms.items()), places, language.detect_language(text)]


def count_tokens(text: str, *, in_c: bool = True) -> list[list[int]]:
    """Return the tokens of a text and their counts."""
    tokens = word_tokens(in_c=in_c)
    return [array.tolist() for array in tokens.count(text)]


def sum_tokens(counts: Sequence[Sequence[int]], *, in_c: bool = True) -> bytes:
    """Return the sum of the rows of tokens with their counts, to the bit."""
    import numpy as np

    ids, times = (np.array(each, np.uint32).tobytes() for each in counts)
    sums = np.empty((1, LocalEmbedder.dimension), np.float32)
    with patch.object(local_embedder, "NATIVE", NATIVE if in_c else None):
        local_embedder.sum_tokens(
            local_embedder.load_token_table(), [(ids, times)], sums
        )
    return sums.tobytes()


@cache
def word_tokens(*, in_c: bool) -> WordTokens:
    """Return the tokens of words by the vocabulary of the package."""
    import numpy as np

    merges = np.load(FOLDER / "merges.npy")
    tokens = WordTokens(load_vocabulary(merges) if in_c else BytePairs(merges))
    if not in_c:
        tokens._counter = None
    return tokens
