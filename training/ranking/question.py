"""A question with its answers, and cutting out of the text what the question quotes."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from training.ranking.packages import Package


class Span(NamedTuple):
    """A passage of a file: offsets of characters."""

    path: str
    start: int
    end: int


class Question(NamedTuple):
    """A question.

    Attributes:
        kind: How it was made.
        text: What is asked.
        answers: The passages that answer it, each as good as the others.
        cuts: The passages that it quotes, which are cut out of the corpus.
    """

    kind: str
    text: str
    answers: tuple[Span, ...]
    cuts: tuple[Span, ...] = ()


def cut_out(
    files: dict[str, str], questions: Iterable[Question], more: Iterable[Span] = ()
) -> tuple[dict[str, str], list[Question]]:
    """Return the files without the cuts, and the questions with moved answers."""
    asked = list(questions)
    cuts: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for cut in [*more, *(cut for question in asked for cut in question.cuts)]:
        cuts[cut.path].append((cut.start, cut.end))
    moved = {path: _Cutting(spans) for path, spans in cuts.items()}
    texts = {
        path: moved[path].apply(text) if path in moved else text
        for path, text in files.items()
    }
    kept = []
    for question in asked:
        answers = tuple(
            Span(s.path, moved[s.path].at(s.start), moved[s.path].at(s.end))
            if s.path in moved
            else s
            for s in question.answers
        )
        if all(texts[s.path][s.start : s.end].strip() for s in answers):
            kept.append(question._replace(answers=answers, cuts=()))
    return texts, kept


class _Cutting:
    def __init__(self, spans: list[tuple[int, int]]) -> None:
        merged: list[list[int]] = []
        for start, end in sorted(spans):
            if merged and start <= merged[-1][1]:
                merged[-1][1] = max(merged[-1][1], end)
            else:
                merged.append([start, end])
        self._spans = merged
        self._starts = [start for start, _ in merged]
        self._removed = [0, *accumulate(end - start for start, end in merged)]

    def at(self, offset: int) -> int:
        number = bisect_right(self._starts, offset)
        if not number:
            return offset
        start, end = self._spans[number - 1]
        inside = min(offset, end) - start
        return offset - self._removed[number - 1] - inside

    def apply(self, text: str) -> str:
        pieces, at = [], 0
        for start, end in self._spans:
            pieces.append(text[at:start])
            at = end
        return "".join([*pieces, text[at:]])


_DEFINING = re.compile(
    r"(?:\b(?:def|class|func|fn|struct|interface|trait|enum|type|function|module|object"
    r"|record|macro_rules!|const|var|let)\s+(?:\([^()\n]*\)\s*)?(?:[\w:]+\.)?(\w+)"
    r"|^[ \t]+(?:(?:public|protected|private|static|async|final|override|virtual)\s+)*"
    r"[\w<>\[\],.*&: ]*?\b(\w+)\s*\([^()\n]*\)\s*\{)",
    re.MULTILINE,
)


def count_definitions(packages: Iterable[Package]) -> dict[str, int]:
    """Return how often each name seems to be defined in code, in any language."""
    counts: defaultdict[str, int] = defaultdict(int)
    for package in packages:
        for path, text in package.files.items():
            if not path.endswith((".md", ".rst", ".txt")):
                for first, second in _DEFINING.findall(text):
                    counts[first or second] += 1
    return counts
