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
FACTOR = 0.7


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
    counts = pool.question.asks_for_prose and any(pool.is_code)
    return [1.0 if counts and not is_code else 0.0 for is_code in pool.is_code]


class _Kind(NamedTuple):
    path: re.Pattern[str]
    words: frozenset[str]  # a question with one of them asks for this kind


def _kind(folders: str, files: str, words: str) -> _Kind:
    """Return a kind of code.

    Args:
        folders: Alternatives of a regular expression for the names of folders.
        files: Likewise for the names of files.
        words: Words by which a question asks for this kind.
    """
    path = rf"(?:^|/)(?:{folders})/|(?:^|/)(?:{files})$"
    return _Kind(re.compile(path), frozenset(family(word) for word in words.split()))


_KINDS = (
    _kind(
        r"tests?|testing|testdata|__tests__|__mocks__|specs?|fixtures|e2e|[\w-]+-test",
        r"test_[^/]*|conftest\.py|[^/]*[._-](?:test|spec)\.\w+|[^/]*Tests?\.\w+",
        "test testing tested spec fixture mock assert benchmark",
    ),
    _kind(
        r"_?examples?|[\w-]+-examples?|samples?|demos?|benchmarks?|benches",
        r"[^/]*_(?:example|bench)\.\w+|[^/]*(?:Example|Benchmark)\.\w+",
        "example sample demo tutorial benchmark bench",
    ),
    _kind(
        r"generated|__generated__|gen",
        r"[^/]*(?:_pb2(?:_grpc)?\.pyi?|\.pb\.go|[._]g(?:enerated)?\.\w+|\.min\.js)",
        "generated generator protobuf",
    ),
    _kind(
        r"_?vendor(?:ed)?|third_party|third-party|node_modules",
        r"\b\B",
        "vendor vendored bundled",
    ),
)


def factors(pool: Pool) -> list[float]:
    """Return the factor of each candidate's score: lower for supporting code.

    Tests, examples, generated and vendored code contain the same words as the code they
    exercise, and more often. They rank lower unless the question asks for them.
    """
    wanted = [pool.words.contains_any(kind.words) for kind in _KINDS]
    return [
        FACTOR if is_code and _is_unwanted(_kinds_of(candidate.path), wanted) else 1.0
        for candidate, is_code in zip(pool.candidates, pool.is_code, strict=True)
    ]


def _is_unwanted(kinds: tuple[bool, ...], wanted: list[bool]) -> bool:
    return any(
        is_one and not is_wanted
        for is_one, is_wanted in zip(kinds, wanted, strict=True)
    )


@lru_cache(maxsize=20_000)
def _kinds_of(path: str) -> tuple[bool, ...]:
    return tuple(kind.path.search(path) is not None for kind in _KINDS)
