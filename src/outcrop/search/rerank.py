"""Reranking: a model that reads question and text together orders the best passages.

The database is read before and the model is called after, so that no connection waits for
a slow endpoint. If the model fails, the order stays as it was and a warning is logged: a
search answers without its reranker, too. Reranked hits have `rerank` in their scores.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from outcrop.errors import RerankError
from outcrop.model.hit import OtherPart
from outcrop.search.fusion import Ranked

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from outcrop.model.hit import Hit
    from outcrop.providers.reranker import Reranker
    from outcrop.search.folding import Place
    from outcrop.search.passages import Passage

_log = logging.getLogger(__name__)

SIGNAL = "rerank"
# How many of the best are reranked: at least and at most.
_MIN_TEXTS = 30
_MAX_TEXTS = 100
# Folding leaves fewer hits than there were passages.
_PASSAGES_PER_HIT = 2
# More than most models read.
_MAX_TEXT_CHARS = 4_000


def count_needed(limit: int) -> int:
    """Return how many passages have to be read for a number of hits."""
    return max(_MIN_TEXTS, _PASSAGES_PER_HIT * limit)


@dataclass(frozen=True, slots=True)
class ReadPassage:
    """A passage with its text.

    Attributes:
        passage: The passage.
        hit: The hit that shows it.
    """

    passage: Passage
    hit: Hit


def rerank_passages(
    read: Sequence[ReadPassage],
    reranker: Reranker,
    text: str,
    limit: int,
    choose: Callable[[Sequence[Passage]], list[Place]],
) -> list[Hit]:
    """Return the hits of the places that are chosen after reranking.

    Args:
        read: The best passages, best first.
        reranker: The reranker.
        text: The question.
        limit: Maximum number of hits.
        choose: Folds passages into places.
    """
    scores = _score([item.hit for item in read], reranker, text, limit)
    ordered = sorted(
        (_with_score(item, score) for item, score in zip(read, scores, strict=False)),
        key=lambda item: -item.hit.score,
    )
    ordered += read[len(scores) :]
    hits = {item.passage.id: item.hit for item in ordered}
    return [
        replace(
            hits[place.best.id],
            others=tuple(_other(hits[other.id]) for other in place.others),
        )
        for place in choose([item.passage for item in ordered])
    ]


def rerank_hits(
    hits: Sequence[Hit], reranker: Reranker, text: str, limit: int
) -> list[Hit]:
    """Return sections or documents in the order of the reranker."""
    scores = _score(hits, reranker, text, limit)
    ordered = [_hit_with_score(h, s) for h, s in zip(hits, scores, strict=False)]
    ordered.sort(key=lambda hit: -hit.score)
    return [*ordered, *hits[len(scores) :]][:limit]


def _score(
    hits: Sequence[Hit], reranker: Reranker, text: str, limit: int
) -> list[float]:
    """Return the scores of the first hits; none if the reranker fails."""
    first = hits[: min(_MAX_TEXTS, max(_MIN_TEXTS, limit))]
    if not first:
        return []
    try:
        return reranker.score(text, [_text_of(hit) for hit in first])
    except RerankError as error:
        _log.warning("hits are not reranked: %s", error)
        return []


def _text_of(hit: Hit) -> str:
    return f"{hit.breadcrumb}\n{hit.content}"[:_MAX_TEXT_CHARS]


def _with_score(item: ReadPassage, score: float) -> ReadPassage:
    ranked = item.passage.ranked
    parts = {**ranked.parts, SIGNAL: score}
    passage = replace(item.passage, ranked=Ranked(ranked.candidate, score, parts))
    return ReadPassage(passage, _hit_with_score(item.hit, score))


def _hit_with_score(hit: Hit, score: float) -> Hit:
    return replace(hit, score=score, scores={**hit.scores, SIGNAL: score})


def _other(hit: Hit) -> OtherPart:
    return OtherPart(
        id=hit.id,
        path=hit.path,
        start_line=hit.start_line,
        end_line=hit.end_line,
        score=hit.score,
    )
