"""Reranking: a model that reads question and text together orders the best passages.

The database is read before and the model is called after, so that no connection waits for
a slow endpoint. If the model fails, the order stays as it was and a warning is logged: a
search answers without its reranker, too. Reranked hits have `rerank` in their scores.

A reranker with weights, which runs in this process, adds to the ranking: it orders code
among the ranks that code has, and documents among those of documents, by the score of the
ranking plus its own times a weight. Each rank keeps its score. Texts without a heading
keep their ranks, and so do documents after the first passages, where it gains nothing. A
report, which is long and has names and code, is ranked better without it; see
training/reranking/README.md.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from outcrop.errors import RerankError
from outcrop.model.hit import OtherPart
from outcrop.providers.reranker import code_weight, document_weight
from outcrop.search.fusion import Ranked
from outcrop.search.question import QuestionKind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from outcrop.model.candidate import Candidate
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
# How many passages a reranker that adds to the ranking looks at: at least and at most.
_MIN_ADDED_TO = 16
_MAX_ADDED_TO = 30
# Among how many of the first passages it orders documents.
_MAX_WITH_DOCUMENTS = 4
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


def adds_to_ranking(reranker: Reranker) -> bool:
    """Return whether a reranker counts beside the ranking, and not instead of it."""
    return code_weight(reranker) is not None


def order_each_side(
    passages: Sequence[Passage],
    reranker: Reranker,
    question: Question,
    read: Callable[[Sequence[Passage]], Sequence[Hit]],
) -> list[Passage]:
    """Order code among the ranks of code, and documents among those of documents.

    Args:
        passages: All passages, best first.
        reranker: A reranker that adds to the ranking.
        question: The question.
        read: Reads the texts of passages.
    """
    ordered = list(passages)
    sides = _sides(passages, reranker, question)
    ranks = [at for side in sides for at in side.ranks]
    if not ranks:
        return ordered
    hits = read([passages[at] for at in ranks])
    scores = dict(zip(ranks, _score(hits, reranker, question.text), strict=False))
    if len(scores) < len(ranks):
        return ordered
    for weight, side in sides:
        totals = {at: passages[at].ranked.score + weight * scores[at] for at in side}
        best = sorted(totals, key=totals.__getitem__, reverse=True)
        for rank, at in zip(side, best, strict=True):
            score = passages[rank].ranked.score
            ordered[rank] = _passage_with_score(passages[at], scores[at], score)
    return ordered


class _Side(NamedTuple):
    """The ranks of code or of documents, and what the reranker counts there."""

    weight: float
    ranks: list[int]


def _sides(
    passages: Sequence[Passage], reranker: Reranker, question: Question
) -> list[_Side]:
    """Return the ranks of code and those of documents, where they are ordered."""
    if question.kind is QuestionKind.REPORT:
        return []
    first = passages[: min(_MAX_ADDED_TO, max(_MIN_ADDED_TO, question.limit))]
    code = [at for at, passage in enumerate(first) if passage.candidate.is_code]
    sides = [_Side(code_weight(reranker) or 0.0, code)]
    if question.kind is not QuestionKind.NAME:
        best = first[:_MAX_WITH_DOCUMENTS]
        sections = [at for at, item in enumerate(best) if _is_section(item.candidate)]
        sides.append(_Side(document_weight(reranker), sections))
    return [side for side in sides if side.weight and len(side.ranks) >= _MIN_TO_ORDER]


def _is_section(candidate: Candidate) -> bool:
    """Return whether a candidate is a text below a heading: what rerankers learn from."""
    return candidate.source == "doc" and bool(candidate.section_path)


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
    return passage._replace(ranked=Ranked(ranked.candidate, score, parts))


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
