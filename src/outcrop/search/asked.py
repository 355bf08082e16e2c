"""What a question says: its words by family, and the names of symbols in it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from math import fsum, sqrt
from typing import TYPE_CHECKING

from outcrop.search.families import family
from outcrop.text.analysis import count_terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# Where a name has its joints: a change of case, an underscore.
_JOINTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_")
_SEPARATORS = re.compile(r"::|[.#/]")
_NAME = r"[^\W\d]\w*"
_NAMES = re.compile(rf"{_NAME}(?:(?:\.|::|#){_NAME})*")
# A question that is a name and nothing else, with parameters or without.
_SYMBOL = re.compile(rf"{_NAME}(?:(?:\.|::|#|/){_NAME})*(?:\(.*\))?")
# Inside a sentence a word is a name if no one would write a word so.
_COMPOUND = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2,}[a-z]|\w_\w|^_|::|#|\w\.\w")

# Asked by people for people: an explanation answers it better than code does.
_QUESTION = re.compile(
    r"(?:how (?:do|can|should|would) |what (?:is|are|does|do|happens)\b|when |why )|"
    r".*[?\uff1f]\s*$",
    re.IGNORECASE | re.DOTALL,
)
# Words that ask for a definition after all.
_OF_CODE = frozenset(map(family, ("function", "method", "class", "implemented")))

Name = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question as ranking sees it.

    Attributes:
        weights: How much each family of words tells.
        rarest: The greatest of them.
        total: All of them together.
        names: Names of symbols, each from the outside in.
        is_symbol: Whether the question is a name and nothing else.
        is_question: Whether it is a sentence that asks, and not for a definition.
    """

    weights: Mapping[str, float]
    rarest: float
    total: float
    names: tuple[Name, ...]
    is_symbol: bool
    is_question: bool = False

    def share(self, words: Iterable[str]) -> float:
        """Return how much of some words the question says, from 0 to 1.

        A word it does not say weighs as much as the rarest that it says: its own
        weight is not looked up.
        """
        said, unsaid = self._said(words)
        return said / (said + unsaid) if said else 0.0

    def agreement(self, words: Iterable[str]) -> float:
        """Return how much of the words the question says, and they of it, 0 to 1.

        One word of a long question does not say what it is about, even where it is
        all of a name.
        """
        said, unsaid = self._said(words)
        if not said:
            return 0.0
        return said / (said + unsaid) * sqrt(min(1.0, said / self.total))

    def says(self, words: Iterable[str]) -> bool:
        """Say whether the question has any of these families of words."""
        return any(word in self.weights for word in words)

    def _said(self, words: Iterable[str]) -> tuple[float, float]:
        weights = [self.weights.get(word) for word in words]
        # Rounded once: the words come in no particular order.
        said = fsum(weight for weight in weights if weight is not None)
        return said, weights.count(None) * self.rarest


def read_question(
    text: str, terms: Mapping[str, int], term_weights: Mapping[str, float]
) -> Asked:
    """Work out what a question says.

    Args:
        text: The question.
        terms: Its terms.
        term_weights: How much each of them tells; those that no chunk holds are
            missing.
    """
    weights: dict[str, float] = {}
    for term in terms:
        root = family(term)
        weights[root] = max(weights.get(root, 0.0), term_weights.get(term, 0.0))
    if not any(weights.values()):
        weights = dict.fromkeys(weights, 1.0)
    stripped = text.strip()
    is_name = is_symbol(stripped)
    return Asked(
        weights=weights,
        rarest=max(weights.values(), default=0.0),
        total=sum(weights.values()),
        names=(split_name(stripped),) if is_name else tuple(_names_in(text)),
        is_symbol=is_name,
        is_question=_QUESTION.match(stripped) is not None
        and _OF_CODE.isdisjoint(weights),
    )


def is_symbol(text: str) -> bool:
    """Say whether a question is a name and nothing else."""
    return _SYMBOL.fullmatch(text.strip()) is not None


def split_name(name: str) -> Name:
    """Return the parts of a qualified name, its parameters left out."""
    return tuple(p for p in _SEPARATORS.split(name.partition("(")[0]) if p)


def _names_in(text: str) -> Iterable[Name]:
    for match in _NAMES.finditer(text):
        name = match.group()
        quoted = text[max(0, match.start() - 1) : match.end() + 1] == f"`{name}`"
        if quoted or _COMPOUND.search(name):
            yield split_name(name)


@lru_cache(maxsize=20_000)
def words_of(name: str) -> frozenset[str]:
    """Return the families of the words a name or a heading is made of."""
    terms = count_terms(_JOINTS.sub(" ", name))
    return frozenset(family(term) for term in terms if "." not in term)


@lru_cache(maxsize=20_000)
def spelled_out(name: str) -> str:
    """Return a name as words with spaces between them, in lower case."""
    return " ".join(_JOINTS.sub(" ", name).lower().split())
