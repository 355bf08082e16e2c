"""Reranking: a model that reads question and text together orders the best passages.

The database is read before and the model is called after, so that no connection waits for
a slow endpoint. If the model fails, the order stays as it was and a warning is logged: a
search answers without its reranker, too. Reranked hits have `rerank` in their scores.

A reranker of code, which runs in this process, orders code among the ranks that code
has, by the score of the ranking plus its own times a weight. Each rank keeps its score,
and documents keep their ranks. A report, which is long and has names and code, is ranked
better without it; see training/reranking/README.md.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from outcrop.errors import RerankError
from outcrop.model.hit import OtherPart
from outcrop.providers.reranker import code_weight
from outcrop.search.fusion import Ranked
from outcrop.search.question import QuestionKind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from outcrop.model.hit import Hit
    from outcrop.providers.reranker import Reranker
    from outcrop.search.folding import Place
    from outcrop.search.passages import Passage
    from outcrop.search.question import Question

_log = logging.getLogger(__name__)

SIGNAL = "rerank"
# How many of the best are reranked: at least and at most.
_MIN_TEXTS = 30
_MAX_TEXTS = 100
# How many passages, code or not, a reranker of code looks at: at least and at most.
_MIN_CODE_PASSAGES = 16
_MAX_CODE_PASSAGES = 30
_MIN_TO_ORDER = 2
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
    ordered = _order_all(read, reranker, text, limit)
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


def orders_code(reranker: Reranker) -> bool:
    """Return whether a reranker orders pieces of code and nothing else."""
    return code_weight(reranker) is not None


def order_code(
    passages: Sequence[Passage],
    reranker: Reranker,
    question: Question,
    read: Callable[[Sequence[Passage]], Sequence[Hit]],
) -> list[Passage]:
    """Order code among the ranks that code has.

    Args:
        passages: All passages, best first.
        reranker: A reranker of code.
        question: The question.
        read: Reads the texts of passages.
    """
    ordered = list(passages)
    ranks = _ranks_of_code(passages, question)
    if len(ranks) < _MIN_TO_ORDER:
        return ordered
    code = [passages[at] for at in ranks]
    weight = code_weight(reranker) or 0.0
    scored = sorted(
        zip(code, _score(read(code), reranker, question.text), strict=False),
        key=lambda pair: -(pair[0].ranked.score + weight * pair[1]),
    )
    for at, (passage, score) in zip(ranks, scored, strict=False):
        ordered[at] = _passage_with_score(passage, score, passages[at].ranked.score)
    return ordered


def _ranks_of_code(passages: Sequence[Passage], question: Question) -> list[int]:
    """Return the ranks of the code to be ordered."""
    if question.kind is QuestionKind.REPORT:
        return []
    count = min(_MAX_CODE_PASSAGES, max(_MIN_CODE_PASSAGES, question.limit))
    first = passages[:count]
    return [at for at, passage in enumerate(first) if passage.candidate.is_code]


def rerank_hits(
    hits: Sequence[Hit], reranker: Reranker, text: str, limit: int
) -> list[Hit]:
    """Return sections or documents in the order of the reranker."""
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
    passage = _passage_with_score(item.passage, signal, score)
    return ReadPassage(passage, _hit_with_score(item.hit, signal, score))


def _passage_with_score(passage: Passage, signal: float, score: float) -> Passage:
    ranked = passage.ranked
    parts = {**ranked.parts, SIGNAL: signal}
    return replace(passage, ranked=Ranked(ranked.candidate, score, parts))


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
