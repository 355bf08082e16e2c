"""Code that stands aside: tests, examples, generated and vendored code.

It says the same words as what it exercises, and more often. It ranks lower unless the
question asks for such code.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from outcrop.search.families import family

if TYPE_CHECKING:
    from outcrop.search.signals.signal import Pool

ASIDE = 0.7


class _Kind(NamedTuple):
    path: re.Pattern[str]
    asked_by: frozenset[str]


def _kind(folders: str, files: str, words: str) -> _Kind:
    """Make a kind of its folders, of whole names of files, and of words that ask."""
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
    """Return what each candidate's score is multiplied by."""
    asks = [pool.asked.says(kind.asked_by) for kind in _KINDS]
    return [
        ASIDE if is_code and _is_aside(_kinds_of(candidate.path), asks) else 1.0
        for candidate, is_code in zip(pool.candidates, pool.is_code, strict=True)
    ]


def _is_aside(kinds: tuple[bool, ...], asks: list[bool]) -> bool:
    return any(is_one and not asked for is_one, asked in zip(kinds, asks, strict=True))


@lru_cache(maxsize=20_000)
def _kinds_of(path: str) -> tuple[bool, ...]:
    return tuple(kind.path.search(path) is not None for kind in _KINDS)
