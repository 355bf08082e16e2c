"""Families of English words: `parse`, `parser`, `parsing` and `parsed` are one.

The index keeps words nearly as they are written, so that a name is found exactly. A
question often has another form of the same word. So other forms of its words are looked
up too, at a lower weight, and names are compared by family.
"""

from __future__ import annotations

from functools import lru_cache

# Longest first, so that `validator` loses `ator` and not `or`. The plural is missing
# because text analysis has removed it already.
_ENDINGS = (
    "ation", "ating", "able", "ated", "ator", "ment", "ate", "ing", "ion", "ive",
    "al", "ed", "er", "or", "e", "y",
)  # fmt: skip
_FORMS = ("", *_ENDINGS)
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
        ending = next((e for e in _ENDINGS if root.endswith(e)), "")
        if not ending or len(root) - len(ending) < _MIN_ROOT_LENGTH:
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
