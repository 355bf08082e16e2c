"""Reranking: a model that reads question and text together orders the best passages.

The database is read before and the model is called after, so that no connection waits for
a slow endpoint. If the model fails, the order stays as it was and a warning is logged: a
search answers without its reranker, too. Reranked hits have `rerank` in their scores.

A reranker of code orders code among the ranks that code has, by the score of the ranking
plus its own times a weight. Each rank keeps its score, and documents keep their ranks.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from outcrop.errors import RerankError
from outcrop.model.hit import OtherPart
from outcrop.providers.reranker import code_weight
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
    weight = code_weight(reranker)
    if weight is None:
        ordered = _order_all(read, reranker, text, limit)
    else:
        ordered = _order_code(read, reranker, text, limit, weight)
    hits = {item.passage.id: item.hit for item in ordered}
    return [
        replace(
            hits[place.best.id],
            others=tuple(_other(hits[other.id]) for other in place.others),
        )
        for place in choose([item.passage for item in ordered])
    ]


def _order_all(
    read: Sequence[ReadPassage], reranker: Reranker, text: str, limit: int
) -> list[ReadPassage]:
    """Order passages by the score of the reranker alone."""
    scores = _score([item.hit for item in read[: _count(limit)]], reranker, text)
    ordered = sorted(
        (
            _with_score(item, score, score)
            for item, score in zip(read, scores, strict=False)
        ),
        key=lambda item: -item.hit.score,
    )
    return [*ordered, *read[len(scores) :]]


def _order_code(
    read: Sequence[ReadPassage],
    reranker: Reranker,
    text: str,
    limit: int,
    weight: float,
) -> list[ReadPassage]:
    """Order code among the ranks that code has."""
    first = read[: _count(limit)]
    ranks = [at for at, item in enumerate(first) if item.passage.candidate.is_code]
    code = [read[at] for at in ranks]
    scores = _score([item.hit for item in code], reranker, text)
    scored = sorted(
        zip(code, scores, strict=False),
        key=lambda pair: -(pair[0].hit.score + weight * pair[1]),
    )
    ordered = list(read)
    for at, (item, score) in zip(ranks, scored, strict=False):
        ordered[at] = _with_score(item, score, read[at].hit.score)
    return ordered


def rerank_hits(
    hits: Sequence[Hit], reranker: Reranker, text: str, limit: int
) -> list[Hit]:
    """Return sections or documents in the order of the reranker.

    One of code orders pieces of code, not sections or documents.
    """
    if code_weight(reranker) is not None:
        return list(hits[:limit])
    scores = _score(hits[: _count(limit)], reranker, text)
    ordered = [_hit_with_score(h, s, s) for h, s in zip(hits, scores, strict=False)]
    ordered.sort(key=lambda hit: -hit.score)
    return [*ordered, *hits[len(scores) :]][:limit]


def _count(limit: int) -> int:
    """Return how many of the best are reranked."""
    return min(_MAX_TEXTS, max(_MIN_TEXTS, limit))


def _score(hits: Sequence[Hit], reranker: Reranker, text: str) -> list[float]:
    """Return the scores of hits; none if the reranker fails."""
    if not hits:
        return []
    try:
        return reranker.score(text, [_text_of(hit) for hit in hits])
    except RerankError as error:
        _log.warning("hits are not reranked: %s", error)
        return []


def _text_of(hit: Hit) -> str:
    return f"{hit.breadcrumb}\n{hit.content}"[:_MAX_TEXT_CHARS]


def _with_score(item: ReadPassage, signal: float, score: float) -> ReadPassage:
    """Return a passage with the score of the reranker, and that of its new rank."""
    ranked = item.passage.ranked
    parts = {**ranked.parts, SIGNAL: signal}
    passage = replace(item.passage, ranked=Ranked(ranked.candidate, score, parts))
    return ReadPassage(passage, _hit_with_score(item.hit, signal, score))


def _hit_with_score(hit: Hit, signal: float, score: float) -> Hit:
    return replace(hit, score=score, scores={**hit.scores, SIGNAL: signal})


def _other(hit: Hit) -> OtherPart:
    return OtherPart(
        id=hit.id,
        path=hit.path,
        start_line=hit.start_line,
        end_line=hit.end_line,
        score=hit.score,
    )
