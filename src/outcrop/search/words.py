"""Words of a question: their families and their weights.

`parse`, `parser`, `parsing` and `parsed` are one family. The index keeps words nearly as
they are written, so that a name is found exactly. A question often has another form of
the same word. So other forms of its words are looked up too, at a lower weight, and
names are compared by family.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from math import fsum, sqrt
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# Longest first, so that `validator` loses `ator` and not `or`. The plural is missing
# because text analysis has removed it already.
_ENDINGS = (
    "ation", "ating", "able", "ated", "ator", "ment", "ate", "ing", "ion", "ive",
    "al", "ed", "er", "or", "e", "y",
)  # fmt: skip
_FORMS = ("", *_ENDINGS)
# By their last letter, in the same order: few have to be compared with a word.
_ENDINGS_IN = {
    letter: tuple(ending for ending in _ENDINGS if ending[-1] == letter)
    for letter in {ending[-1] for ending in _ENDINGS}
}
_DOUBLED_FORMS = ("", "ation", "ing", "ion", "ed", "er", "or")
_MIN_ROOT_LENGTH = 3
_MIN_WORD_LENGTH = 4
_MAX_ENDINGS = 2  # `rendering` loses `ing`, then `er`
_VOWELS = frozenset("aeiou")


@lru_cache(maxsize=50_000)
def family(word: str) -> str:
    """Return the common root of a family of words, which need not be a word itself."""
    if len(word) < _MIN_WORD_LENGTH or not (word.isascii() and word.isalpha()):
        return word
    root = word
    for _ in range(_MAX_ENDINGS):
        for ending in _ENDINGS_IN.get(root[-1], ()):
            if root.endswith(ending):
                break
        else:
            break
        if len(root) - len(ending) < _MIN_ROOT_LENGTH:
            break
        root = root[: -len(ending)]
    return _without_double(root)


@lru_cache(maxsize=10_000)
def other_forms(word: str) -> tuple[str, ...]:
    """Return words that may be of the same family, without the word itself."""
    if len(word) < _MIN_WORD_LENGTH or not (word.isascii() and word.isalpha()):
        return ()
    root = family(word)
    forms = [root + ending for ending in _FORMS]
    if root[-1] not in _VOWELS:
        forms += [root + root[-1] + ending for ending in _DOUBLED_FORMS]
    return tuple(
        form
        for form in dict.fromkeys(forms)
        if form != word and len(form) >= _MIN_WORD_LENGTH and family(form) == root
    )


def _without_double(root: str) -> str:
    """Return `run` for `runn`, and `distil` for `distill`."""
    is_double = len(root) > _MIN_ROOT_LENGTH and root[-1] == root[-2]
    return root[:-1] if is_double and root[-1] not in _VOWELS else root


@dataclass(frozen=True, slots=True, kw_only=True)
class WordWeights:
    """The words of a question, by family, with their weights.

    Attributes:
        weights: The weight of each family of words.
        highest: The highest weight.
        total: The sum of the weights.
    """

    weights: Mapping[str, float]
    highest: float
    total: float
    # Many candidates are in the same file, or below the same heading.
    _known: dict[frozenset[str], tuple[float, float]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def share(self, words: frozenset[str]) -> float:
        """Return the share of some words that the question contains, from 0 to 1.

        A word that it does not contain counts as much as its rarest one: the real
        weight of such words is not looked up.
        """
        if self.weights.keys().isdisjoint(words):  # as most are
            return 0.0
        inside, outside = self._weigh(words)
        return inside / (inside + outside) if inside else 0.0

    def agreement(self, words: frozenset[str]) -> float:
        """Return the overlap of some words and the question, from 0 to 1.

        It counts in both directions: one word of a long question does not say what it
        is about, even if it is a whole name.
        """
        if self.weights.keys().isdisjoint(words):
            return 0.0
        inside, outside = self._weigh(words)
        if not inside:
            return 0.0
        return inside / (inside + outside) * sqrt(min(1.0, inside / self.total))

    def contains_any(self, words: Iterable[str]) -> bool:
        """Return whether the question contains any of these families of words."""
        return any(word in self.weights for word in words)

    def _weigh(self, words: frozenset[str]) -> tuple[float, float]:
        """Return the weight of the words in the question, and of the others."""
        known = self._known.get(words)
        if known is None:
            own = self.weights
            weights = [own[word] for word in words if word in own]
            # Rounded once, because the words come in no particular order.
            inside = fsum(weights)
            known = inside, (len(words) - len(weights)) * self.highest
            self._known[words] = known
        return known


def weigh_words(
    terms: Iterable[str],
    term_weights: Mapping[str, float],
    translations: Mapping[str, Iterable[str]] = MappingProxyType({}),
) -> WordWeights:
    """Weigh the words of a question.

    Args:
        terms: The terms of the question.
        term_weights: Their weights; terms that no chunk contains are missing.
        translations: What each of them is called in other languages, if anything: a word
            and its translations count once.
    """
    weights: dict[str, float] = {}
    counted: dict[str, float] = {}
    for term in terms:
        for text in (term, *translations.get(term, ())):
            root, weight = family(text), term_weights.get(text, 0.0)
            weights[root] = max(weights.get(root, 0.0), weight)
            counted[family(term)] = max(counted.get(family(term), 0.0), weight)
    if not any(weights.values()):
        weights = dict.fromkeys(weights, 1.0)
        counted = dict.fromkeys(counted, 1.0)
    return WordWeights(
        weights=weights,
        highest=max(weights.values(), default=0.0),
        total=sum(counted.values()),
    )
