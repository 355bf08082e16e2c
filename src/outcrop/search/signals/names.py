"""Names: of headings, files, definitions and what encloses them."""

from __future__ import annotations

from math import log1p
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from outcrop.model.candidate import Candidate
    from outcrop.search.names import Name
    from outcrop.search.signals.signal import Pool


_OTHER_SPELLING = 0.5
_OTHER_OWNER = 0.5
_KINDS = {"CLASS": 1.0, "INTERFACE": 1.0, "ENUM": 1.0, "FUNCTION": 0.8}
_OTHER_KIND = 0.6
# How much a definition that nothing uses is lowered: chosen by public names of 29 Python
# packages (`benchmarks/public_names.py`), of which many are defined several times.
_UNUSED = 0.3


def score_name(pool: Pool) -> list[float]:
    """Score candidates by their own name, or by that of their file if they have none."""
    return _score_each([names.own for names in pool.names], pool.words.agreement)


def score_enclosing(pool: Pool) -> list[float]:
    """Score candidates by the name of the enclosing definition."""
    return _score_each([names.enclosing for names in pool.names], pool.words.agreement)


def score_file_name(pool: Pool) -> list[float]:
    """Score candidates by the name of their file."""
    return _score_each([names.file for names in pool.names], pool.words.agreement)


def score_folder(pool: Pool) -> list[float]:
    """Score candidates by the names of the folders around their file."""
    return _score_each([names.folder for names in pool.names], pool.words.agreement)


def score_heading(pool: Pool) -> list[float]:
    """Score candidates by how much of their innermost heading the question contains.

    The heading of code is its signature.

    A question that names a heading is about that section, whatever else it contains.
    """
    return _score_each([names.heading for names in pool.names], pool.words.share)


def _score_each(
    names: Sequence[frozenset[str]], score: Callable[[frozenset[str]], float]
) -> list[float]:
    """Score names, each of them once: many candidates are in the same place."""
    scores = {words: score(words) for words in set(names)}
    return [scores[words] for words in names]


def score_definition(pool: Pool) -> list[float]:
    """Score candidates by whether they define one of the question's names.

    Types come before functions, functions before methods. Among those of one kind, the
    one that most code uses comes first: the others are stubs, copies and variants.
    """
    strengths = definition_strengths(pool.candidates, pool.question.names)
    most = max(pool.uses.values(), default=0)
    if not most:
        return strengths
    return [
        strength * (1 - _UNUSED + _UNUSED * log1p(pool.uses.get(c.id, 0)) / log1p(most))
        for c, strength in zip(pool.candidates, strengths, strict=True)
    ]


def definition_strengths(
    candidates: Sequence[Candidate], names: Sequence[Name]
) -> list[float]:
    """Return how well each candidate fits a name as its definition, from 0 to 1."""
    return [
        max((_strength(c, name) for name in names), default=0.0)
        if c.node_kind and not c.part
        else 0.0
        for c in candidates
    ]


def _strength(candidate: Candidate, name: Name) -> float:
    own = candidate.name
    if own == name[-1]:
        strength = 1.0
    elif _folded(own) == _folded(name[-1]):
        strength = _OTHER_SPELLING
    else:
        return 0.0
    if len(name) > 1:
        around = {_folded(part) for part in candidate.section_path[:-1]}
        if _folded(name[-2]) not in around | {_folded(candidate.file_name)}:
            strength *= _OTHER_OWNER
    return strength * _KINDS.get(candidate.node_kind or "", _OTHER_KIND)


def _folded(name: str) -> str:
    return name.replace("_", "").casefold()
