"""How much each word of a question counts when it is compared with names."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum, sqrt
from typing import TYPE_CHECKING

from outcrop.search.families import family

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


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

    def share(self, words: Iterable[str]) -> float:
        """Return the share of some words that the question contains, from 0 to 1.

        A word that it does not contain counts as much as its rarest one: the real
        weight of such words is not looked up.
        """
        inside, outside = self._weigh(words)
        return inside / (inside + outside) if inside else 0.0

    def agreement(self, words: Iterable[str]) -> float:
        """Return the overlap of some words and the question, from 0 to 1.

        It counts in both directions: one word of a long question does not say what it
        is about, even if it is a whole name.
        """
        inside, outside = self._weigh(words)
        if not inside:
            return 0.0
        return inside / (inside + outside) * sqrt(min(1.0, inside / self.total))

    def contains_any(self, words: Iterable[str]) -> bool:
        """Return whether the question contains any of these families of words."""
        return any(word in self.weights for word in words)

    def _weigh(self, words: Iterable[str]) -> tuple[float, float]:
        """Return the weight of the words in the question, and of the others."""
        weights = [self.weights.get(word) for word in words]
        # Rounded once, because the words come in no particular order.
        inside = fsum(weight for weight in weights if weight is not None)
        return inside, weights.count(None) * self.highest


def weigh_words(terms: Iterable[str], term_weights: Mapping[str, float]) -> WordWeights:
    """Weigh the words of a question.

    Args:
        terms: The terms of the question.
        term_weights: Their weights; terms that no chunk contains are missing.
    """
    weights: dict[str, float] = {}
    for term in terms:
        root = family(term)
        weights[root] = max(weights.get(root, 0.0), term_weights.get(term, 0.0))
    if not any(weights.values()):
        weights = dict.fromkeys(weights, 1.0)
    return WordWeights(
        weights=weights,
        highest=max(weights.values(), default=0.0),
        total=sum(weights.values()),
    )
