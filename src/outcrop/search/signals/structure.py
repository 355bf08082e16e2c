"""Where a candidate is: among other matches, in documentation, in supporting code."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from outcrop.search.signals.signal import share_of_best
from outcrop.search.words import family

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.model.candidate import Candidate
    from outcrop.search.signals.signal import Pool

_CHUNKS_PER_DOCUMENT = 3

# Words of sentences in documentation.
_GUIDE_WORDS = re.compile(
    r"\b(?:you|your|see|section|chapter|guide|documentation|tutorial|refer to|described"
    r"|by default|note that|learn|make sure|for more|more information)\b",
    re.IGNORECASE,
)
# Words by which a question asks for code.
_SOURCE_WORDS = re.compile(
    r"\b(?:function|method|class|struct|interface|code|source|implement(?:ed|ation)?"
    r"|defined|definition|where (?:do|is|are))\b",
    re.IGNORECASE,
)
# How comments on functions and classes begin.
_BEHAVIOUR = re.compile(
    r"(?:return|get|set|create|check|compute|add|remove|convert|parse|make|build|read"
    r"|write|find|load|update|generate|determine|initiali[sz]e|register|run|wrap|handle"
    r"|call|print|format|yield|iterate|apply|validate|implement|provide|represent)s?\b"
    r"|whether\b|helper\b|base class\b|this (?:function|method|class)\b",
    re.IGNORECASE,
)


def score_document(
    candidates: Sequence[Candidate], scores: Sequence[float]
) -> list[float]:
    """Score candidates by the scores so far of the best in their document.

    The right file is found far more often than the right place in it, so chunks gain
    from other matching chunks of their document.
    """
    best: defaultdict[str, list[float]] = defaultdict(list)
    for candidate, value in zip(candidates, scores, strict=True):
        best[candidate.document_id].append(value)
    totals = {
        document: sum(sorted(values, reverse=True)[:_CHUNKS_PER_DOCUMENT])
        for document, values in best.items()
    }
    return share_of_best([totals[c.document_id] for c in candidates])


def score_prose(pool: Pool) -> list[float]:
    """Score documents above code if the question asks for an explanation.

    Code contains the same words as its documentation, which answers how and why better.
    """
    return _one_side(pool, wanted=pool.question.asks_for_prose, is_code=False)


def score_guide(pool: Pool) -> list[float]:
    """Score documents above code if the question speaks as documentation does."""
    wanted = _GUIDE_WORDS.search(pool.question.text) is not None
    return _one_side(pool, wanted=wanted, is_code=False)


def score_behaviour(pool: Pool) -> list[float]:
    """Score code above documents if the question says what a function does."""
    wanted = _BEHAVIOUR.match(pool.question.text) is not None
    return _one_side(pool, wanted=wanted, is_code=True)


def score_source(pool: Pool) -> list[float]:
    """Score code above documents if the question asks for code."""
    wanted = _SOURCE_WORDS.search(pool.question.text) is not None
    return _one_side(pool, wanted=wanted, is_code=True)


def _one_side(pool: Pool, *, wanted: bool, is_code: bool) -> list[float]:
    """Score code, or documents, if that is wanted and there are both."""
    if not (wanted and pool.is_mixed):
        return [0.0] * len(pool.candidates)
    return [1.0 if each is is_code else 0.0 for each in pool.is_code]


class _Kind(NamedTuple):
    name: str  # its key in the table of factors
    path: re.Pattern[str]
    words: frozenset[str]  # a question with one of them asks for this kind


def _kind(name: str, folders: str, files: str, words: str) -> _Kind:
    """Return a kind of file.

    Args:
        name: Its key in the table of factors.
        folders: Alternatives of a regular expression for the names of folders.
        files: Likewise for the names of files.
        words: Words by which a question asks for this kind.
    """
    path = rf"(?:^|/)(?:{folders})/|(?:^|/)(?:{files})$"
    families = frozenset(family(word) for word in words.split())
    return _Kind(name, re.compile(path), families)


_KINDS = (
    _kind(
        "tests",
        r"tests?|testing|testdata|__tests__|__mocks__|specs?|fixtures|e2e|[\w-]+-test",
        r"test_[^/]*|conftest\.py|[^/]*[._-](?:test|spec)\.\w+|[^/]*Tests?\.\w+",
        "test testing tested spec fixture mock assert benchmark",
    ),
    _kind(
        "examples",
        r"_?examples?|[\w-]+-examples?|samples?|demos?|benchmarks?|benches",
        r"[^/]*_(?:example|bench)\.\w+|[^/]*(?:Example|Benchmark)\.\w+",
        "example sample demo tutorial benchmark bench",
    ),
    _kind(
        "generated",
        r"generated|__generated__|gen",
        r"[^/]*(?:_pb2(?:_grpc)?\.pyi?|\.pb\.go|[._]g(?:enerated)?\.\w+|\.min\.js)",
        "generated generator protobuf",
    ),
    _kind(
        "vendored",
        r"_?vendor(?:ed)?|third_party|third-party|node_modules",
        r"\b\B",
        "vendor vendored bundled",
    ),
)
# The list of changes names what it changed, without saying what that is.
_CHANGES = _kind(
    "changes",
    r"changelogs?|releasenotes|release[_-]notes|newsfragments|changelog\.d|changes",
    r"(?i:change|history|news|release)[^/]*",
    "changelog change release version news history changed",
)
FILE_KINDS = (*(kind.name for kind in _KINDS), _CHANGES.name)


def unwanted_kinds(pool: Pool) -> list[tuple[bool, ...]]:
    """Return whether each candidate is of each kind of file that ranks lower.

    Tests, examples, generated and vendored code contain the same words as the code they
    exercise, and more often; a list of changes names everything. They rank lower unless
    the question asks for them. The order is that of `FILE_KINDS`.
    """
    wanted = [pool.words.contains_any(kind.words) for kind in (*_KINDS, _CHANGES)]
    paths = [candidate.path for candidate in pool.candidates]
    found = [*map(_kinds_of, paths, pool.is_code)]
    # Most candidates are of no such kind.
    return [
        tuple(is_one and not w for is_one, w in zip(kinds, wanted, strict=True))
        if True in kinds
        else kinds
        for kinds in found
    ]


@lru_cache(maxsize=20_000)
def _kinds_of(path: str, is_code: bool) -> tuple[bool, ...]:  # noqa: FBT001 - part of the key of the cache
    return (
        *(is_code and kind.path.search(path) is not None for kind in _KINDS),
        not is_code and _CHANGES.path.search(path) is not None,
    )
