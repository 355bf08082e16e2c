"""Ranking candidates by everything that is known of them.

Each part is scaled to the best candidate of the query, so that none depends on the size
of the index or the length of the question:

- `lexical`: BM25, as a share of the best.
- `vector`: how far the cosine is above that of the last vector candidate.
- `title`: how much of the innermost heading the query says, by the words' weights: a
  question that names a heading is about that section.
- `document`: how well the best chunks of the same document match.

The weights were chosen on public sets; docs/concepts/search.md has the figures.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from outcrop.text.analysis import count_terms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from outcrop.store.candidates import Candidate

_CHUNKS_OF_A_DOCUMENT = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """How much each part counts; that of `lexical` is 1."""

    vector: float = 0.1
    title: float = 0.5
    document: float = 0.1


DEFAULT_WEIGHTS = Weights()


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its score.

    Attributes:
        candidate: What is ranked.
        score: Sum of the parts, times the candidate's boost.
        parts: The parts, each with its weight.
    """

    candidate: Candidate
    score: float
    parts: Mapping[str, float]


def fuse(
    candidates: Sequence[Candidate],
    *,
    lexical: Mapping[str, float],
    vector: Mapping[str, float],
    terms: Mapping[str, int],
    term_weights: Mapping[str, float],
    weights: Weights = DEFAULT_WEIGHTS,
) -> list[Ranked]:
    """Rank candidates, best first, ties by id.

    Args:
        candidates: What was found by words or by vectors.
        lexical: BM25's scores by id, of those found by words.
        vector: Cosines by id, of those found by vectors.
        terms: The query's terms.
        term_weights: How much each of them tells.
        weights: How much each part counts.
    """
    parts = {
        "lexical": _share_of_best([lexical.get(c.id, 0.0) for c in candidates], 1.0),
        "vector": _share_of_best(_above_floor(candidates, vector), weights.vector),
        "title": [
            weights.title * _title_share(c, terms, term_weights) for c in candidates
        ],
    }
    sums = [sum(values) for values in zip(*parts.values(), strict=True)]
    parts["document"] = _share_of_best(
        _document_scores(candidates, sums), weights.document
    )
    ranked = [
        Ranked(
            candidate,
            (sums[at] + parts["document"][at]) * candidate.rank_boost,
            {name: values[at] for name, values in parts.items()},
        )
        for at, candidate in enumerate(candidates)
    ]
    ranked.sort(key=lambda r: (-r.score, r.candidate.id))
    return ranked


def _share_of_best(values: Sequence[float], weight: float) -> list[float]:
    best = max(values, default=0.0)
    return [weight * value / best if best > 0 else 0.0 for value in values]


def _above_floor(
    candidates: Sequence[Candidate], vector: Mapping[str, float]
) -> list[float]:
    """Return by how much each cosine passes the least one that was found."""
    floor = min(vector.values(), default=0.0)
    if len(vector) == 1:
        floor = 0.0
    return [
        max(0.0, c.similarity - floor) if vector and c.similarity is not None else 0.0
        for c in candidates
    ]


@lru_cache(maxsize=10_000)
def _terms_of(heading: str) -> Counter[str]:
    return count_terms(heading)


def _title_share(
    candidate: Candidate, terms: Mapping[str, int], term_weights: Mapping[str, float]
) -> float:
    """Return how much of the innermost heading the query says, from 0 to 1."""
    if not candidate.section_path:
        return 0.0
    title = _terms_of(candidate.section_path[-1])
    # A word of the heading that the query does not say weighs as much as the rarest
    # that it says: its own weight is not looked up.
    rare = max((term_weights.get(term, 0.0) for term in terms), default=0.0)
    said = sum(term_weights.get(term, 0.0) for term in title if term in terms)
    unsaid = rare * sum(1 for term in title if term not in terms)
    return said / (said + unsaid) if said else 0.0


def _document_scores(
    candidates: Sequence[Candidate], sums: Sequence[float]
) -> list[float]:
    best: defaultdict[str, list[float]] = defaultdict(list)
    for candidate, value in zip(candidates, sums, strict=True):
        best[candidate.document_id].append(value)
    totals = {
        document: sum(sorted(values, reverse=True)[:_CHUNKS_OF_A_DOCUMENT])
        for document, values in best.items()
    }
    return [totals[candidate.document_id] for candidate in candidates]
