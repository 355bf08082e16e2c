"""Families of English words: `parse`, `parser`, `parsing` and `parsed` are one.

The index keeps words nearly as they are written, so that a name is found exactly. A
question says the same thing in another form as often as not, which is made good here:
forms of a word that the question does not say are looked up too, at a lower weight, and
names are compared by family.
"""

from __future__ import annotations

from functools import lru_cache

# Longest first, so that `validator` loses `ator` and not `or`. The plural is not here:
# analysis has taken it off already.
_ENDINGS = (
    "ation", "ating", "able", "ated", "ator", "ment", "ate", "ing", "ion", "ive",
    "al", "ed", "er", "or", "e", "y",
)  # fmt: skip
_FORMS = ("", *_ENDINGS)
_DOUBLED_FORMS = ("", "ation", "ing", "ion", "ed", "er", "or")
_SHORTEST_ROOT = 3
_SHORTEST_WORD = 4
_MOST_STEPS = 2  # `rendering` loses `ing`, then `er`
_VOWELS = frozenset("aeiou")


@lru_cache(maxsize=50_000)
def family(word: str) -> str:
    """Return what the words of a family have in common: a root, not always a word."""
    if len(word) < _SHORTEST_WORD or not (word.isascii() and word.isalpha()):
        return word
    root = word
    for _ in range(_MOST_STEPS):
        ending = next((e for e in _ENDINGS if root.endswith(e)), "")
        if not ending or len(root) - len(ending) < _SHORTEST_ROOT:
            break
        root = root[: -len(ending)]
    return _without_double(root)


@lru_cache(maxsize=10_000)
def other_forms(word: str) -> tuple[str, ...]:
    """Return words that may be of the same family, the word itself left out."""
    if len(word) < _SHORTEST_WORD or not (word.isascii() and word.isalpha()):
        return ()
    root = family(word)
    forms = [root + ending for ending in _FORMS]
    if root[-1] not in _VOWELS:
        forms += [root + root[-1] + ending for ending in _DOUBLED_FORMS]
    return tuple(
        form
        for form in dict.fromkeys(forms)
        if form != word and len(form) >= _SHORTEST_WORD and family(form) == root
    )


def _without_double(root: str) -> str:
    """Return `run` for `runn`, and `distil` for `distill`."""
    is_double = len(root) > _SHORTEST_ROOT and root[-1] == root[-2]
    return root[:-1] if is_double and root[-1] not in _VOWELS else root
