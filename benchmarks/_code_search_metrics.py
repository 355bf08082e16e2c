"""Scores of rankings of files."""

from __future__ import annotations

from collections import defaultdict
from math import log2
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

DEEP = 10


def ndcg(ranked: Sequence[str], answers: Collection[str]) -> float:
    """Return nDCG@10; every answer has gain 1."""
    found = list(dict.fromkeys(ranked))[:DEEP]
    got = sum(1 / log2(at + 2) for at, path in enumerate(found) if path in answers)
    best = sum(1 / log2(at + 2) for at in range(min(DEEP, len(answers))))
    return got / best if best else 0.0


def mean(values: Iterable[float]) -> float:
    given = list(values)
    return sum(given) / len(given) if given else 0.0


def headline(
    repos: Sequence[str], values: Sequence[float], languages: Mapping[str, str]
) -> tuple[float, dict[str, float]]:
    """Return the mean over languages, and the mean of each language."""
    by_repo: defaultdict[str, list[float]] = defaultdict(list)
    for repo, value in zip(repos, values, strict=True):
        by_repo[repo].append(value)
    by_language: defaultdict[str, list[float]] = defaultdict(list)
    for repo, scores in by_repo.items():
        by_language[languages[repo]].append(mean(scores))
    means = {language: mean(scores) for language, scores in by_language.items()}
    return mean(means.values()), means


def mean_by_category(
    repos: Sequence[str], categories: Sequence[str], values: Sequence[float]
) -> dict[str, float]:
    """Return the mean over repositories of each kind of question."""
    found: defaultdict[str, defaultdict[str, list[float]]]
    found = defaultdict(lambda: defaultdict(list))
    for repo, category, value in zip(repos, categories, values, strict=True):
        found[category][repo].append(value)
    return {
        category: mean(mean(scores) for scores in by_repo.values())
        for category, by_repo in found.items()
    }
