"""Misspelt words of a question, corrected by the words of the index.

A word that occurs nowhere in the index, in no form, is compared with the indexed words
that start with the same letter. The nearest one replaces it if that is clear: a slip of
one letter, or of two in a long word, and no other word is as near and as frequent.
A word that has all the letters typed is nearer than one that lacks some: people leave
out, repeat and swap letters (`limt`, `memmory`) more often than they type wrong ones.
Names of code, with capitals inside, digits or underscores, and words with a capital
within the question are left alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from outcrop.search.words import other_forms
from outcrop.text.analysis import count_terms

if TYPE_CHECKING:
    from collections.abc import Mapping

    from outcrop.search.source import CandidateSource, SourceOpener

# A word by itself: no part of a path or a call, and no proper name.
_WORD = re.compile(r"(?:^[A-Z]|(?<![\w./:-])[a-z])[a-z]{3,}(?![\w/:(-]|\.\w)")
_LONG_WORD = 8  # letters, from which two slips are allowed
_CLEAR_RATIO = 4  # how much more frequent than the next the nearest has to be
_MAX_WORDS = 10
_MAX_SUGGESTIONS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Spelling:
    """A question with its misspelt words corrected.

    Attributes:
        query: The question to ask; as it was given if nothing is clear.
        is_corrected: Whether it differs.
        suggestions: Other questions that may be meant, where nothing is clear.
    """

    query: str
    is_corrected: bool = False
    suggestions: tuple[str, ...] = ()


def check_spelling(open_source: SourceOpener, query: str) -> Spelling:
    """Correct the words of a question that occur nowhere in the index."""
    words = dict.fromkeys(_WORD.findall(query))
    terms = {word: term for word in words if (term := _term(word)) is not None}
    if not terms:
        return Spelling(query=query)
    # A search of the question looks up all of these too.
    forms = {form for t in count_terms(query) for form in (t, *other_forms(t))}
    with open_source(terms=forms) as source:
        unknown = _find_unknown(source, terms)
        nearest = {
            word: _find_nearest(source, term)
            for word, term in list(unknown.items())[:_MAX_WORDS]
        }
    corrected = query
    for word, ranked in nearest.items():
        if _is_clear(ranked):
            corrected = _replace(corrected, word, ranked[0].term)
    suggestions: list[str] = []
    for word, ranked in nearest.items():
        if not _is_clear(ranked):
            suggestions += [
                _replace(corrected, word, near.term)
                for near in ranked[:_MAX_SUGGESTIONS]
            ]
    return Spelling(
        query=corrected,
        is_corrected=corrected != query,
        suggestions=tuple(suggestions[:_MAX_SUGGESTIONS]),
    )


def _term(word: str) -> str | None:
    """Return what the index would hold for a word; None for a stop word."""
    terms = list(count_terms(word))
    return terms[0] if len(terms) == 1 else None


def _find_unknown(source: CandidateSource, terms: Mapping[str, str]) -> dict[str, str]:
    """Return the words of which no form is in the index."""
    forms = {word: (term, *other_forms(term)) for word, term in terms.items()}
    known = source.statistics({form for each in forms.values() for form in each})
    return {
        word: term
        for word, term in terms.items()
        if not any(form in known for form in forms[word])
    }


@dataclass(frozen=True, slots=True, order=True)
class _Near:
    """An indexed term near to a misspelt one; the least is the best."""

    slips: int
    wrong_letters: int
    minus_chunks: int
    term: str


def _find_nearest(source: CandidateSource, term: str) -> list[_Near]:
    """Return indexed terms near to one, best first."""
    slips = 2 if len(term) >= _LONG_WORD else 1
    candidates = source.indexed_terms(
        term[0], min_length=len(term) - slips, max_length=len(term) + slips
    )
    return sorted(
        _Near(distance, len(set(term) - set(near)), -chunks, near)
        for near, chunks in candidates.items()
        if (distance := count_slips(term, near, slips)) <= slips
    )


def _is_clear(ranked: list[_Near]) -> bool:
    if len(ranked) <= 1:
        return bool(ranked)
    best, next_best = ranked[:2]
    if best.slips < next_best.slips or best.wrong_letters < next_best.wrong_letters:
        return True
    return best.minus_chunks <= _CLEAR_RATIO * next_best.minus_chunks


def _replace(query: str, word: str, near: str) -> str:
    written = near.capitalize() if word[0].isupper() else near
    return re.sub(rf"\b{re.escape(word)}\b", written, query)


def count_slips(left: str, right: str, most: int) -> int:
    """Return how many letters were left out, added, replaced or swapped.

    Anything beyond `most` is `most + 1`.
    """
    if abs(len(left) - len(right)) > most:
        return most + 1
    before: list[int] = []
    above = list(range(len(right) + 1))
    for at, letter in enumerate(left, 1):
        row = [at]
        for to, other in enumerate(right, 1):
            cost = min(above[to] + 1, row[-1] + 1, above[to - 1] + (letter != other))
            is_swap = to > 1 and at > 1 and letter == right[to - 2]
            if is_swap and left[at - 2] == other:
                cost = min(cost, before[to - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
        before, above = above, row
    return min(above[-1], most + 1)
