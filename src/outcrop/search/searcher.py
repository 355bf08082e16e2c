"""One search: find candidates, rank them, read the texts of the best.

All of it reads one view of the index, and every hit is of that state.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from outcrop.errors import SchemaVersionError
from outcrop.model.candidate import LexicalQuery, VectorQuery
from outcrop.model.embedder_identity import EmbedderIdentity
from outcrop.providers.embedder import embed_question, is_local
from outcrop.search.folding import fold, leave_unfolded
from outcrop.search.fusion import DEFAULT_RANKING, Ranked, Ranking, fuse
from outcrop.search.gather import Gatherer
from outcrop.search.hits import Leaves, make_hits, read_leaves
from outcrop.search.neighbours import add_gains, find_neighbours, gains
from outcrop.search.passages import (
    Passage,
    choose_sections,
    join_parts,
    leave_apart,
    parents_of_best,
)
from outcrop.search.question import Mode, Unit
from outcrop.search.rerank import (
    ReadPassage,
    adds_to_ranking,
    count_needed,
    order_each_side,
    rerank_hits,
    rerank_passages,
)
from outcrop.search.units import find_units
from outcrop.text.language import detect_language
from outcrop.text.tokens import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from numpy.typing import NDArray

    from outcrop.model.candidate import Match
    from outcrop.model.hit import Hit
    from outcrop.providers.embedder import Embedder
    from outcrop.providers.reranker import Reranker
    from outcrop.search.folding import Place
    from outcrop.search.question import Question
    from outcrop.search.source import CandidateSource, SourceOpener


# How many chunks are ranked for each section or document.
_CHUNKS_PER_UNIT = 8
_MAX_CHUNKS = 400


def search(
    open_source: SourceOpener,
    question: Question,
    embedder: Embedder,
    *,
    count: Callable[[str], int] | None = None,
    ranking: Ranking = DEFAULT_RANKING,
    reranker: Reranker | None = None,
) -> list[Hit]:
    """Return the best hits, best first.

    The embedder must be that of the index, except in mode `text`. `ranking` and
    `reranker` are for mode `hybrid`.

    Raises:
        InputError: A pattern for paths cannot be parsed.
        SchemaVersionError: The index was built with another embedder.
    """
    counter = count or TokenCounter()
    # Before a connection is taken: a remote embedder may be slow.
    vector = None if question.mode is Mode.TEXT else find_vector(question, embedder)
    with open_source(terms=_terms(question, ranking)) as source:
        if vector is not None and not _has_vectors_of(source.embedder(), embedder):
            return []
        find = partial(_find, source, vector=vector, embedder=embedder, ranking=ranking)
        if question.mode is not Mode.HYBRID:
            reranker = None
        if reranker is None or adds_to_ranking(reranker):
            ranked = find(question)
            if question.unit is Unit.CHUNK:
                return _find_chunks(source, question, ranked, reranker)
            return find_units(source, question, ranked, vector=vector, count=counter)
        wide = replace(question, limit=count_needed(question.limit))
        ranked = find(wide)
        if question.unit is Unit.CHUNK:
            passages = _passages(source, wide, ranked)[: wide.limit]
            places = leave_unfolded(passages, wide.limit)
            hits = make_hits(source, places, question.terms)
        else:
            hits = find_units(source, wide, ranked, vector=vector, count=counter)
    # After the connection was given back, for the same reason.
    if question.unit is not Unit.CHUNK:
        return rerank_hits(hits, reranker, question.text, question.limit)
    read = [ReadPassage(*pair) for pair in zip(passages, hits, strict=True)]
    choose = _chooser(question)
    return rerank_passages(read, reranker, question.text, question.limit, choose)


def find_vector(question: Question, embedder: Embedder) -> NDArray[np.float32]:
    """Return the vector of a question: for a report, between its own and its title's.

    Only a local embedder is asked twice; others read more than a bag of words.
    """
    vector = embed_question(embedder, question.text)
    if not question.title or not is_local(embedder):
        return vector
    both = vector + embed_question(embedder, question.title)
    length = float(np.linalg.norm(both))
    return (both / length).astype(np.float32) if length else vector


def _find_chunks(
    source: CandidateSource,
    question: Question,
    ranked: Sequence[Ranked],
    reranker: Reranker | None,
) -> list[Hit]:
    """Return the hits of ranked chunks, to whose ranking a reranker may add."""
    passages = _passages(source, question, ranked)
    leaves: Leaves = {}

    def read(some: Sequence[Passage]) -> list[Hit]:
        # With those that are likely to be shown: one statement for all.
        needed = {each.range: each for each in (*some, *passages[: question.limit])}
        leaves.update(read_leaves(source, list(needed.values())))
        return make_hits(source, leave_unfolded(some, len(some)), known=leaves)

    if reranker is not None:
        passages = order_each_side(passages, reranker, question, read)
    return make_hits(source, _chooser(question)(passages), question.terms, leaves)


def _passages(
    source: CandidateSource, question: Question, ranked: Sequence[Ranked]
) -> list[Passage]:
    if question.mode is Mode.HYBRID:
        return _join(source, question, ranked)
    return leave_apart(ranked)


def _chooser(question: Question) -> Callable[[Sequence[Passage]], list[Place]]:
    """Return what makes places of passages: folded, or as they are."""
    if not question.folds:
        return partial(leave_unfolded, limit=question.limit)
    language = detect_language(question.text)
    return partial(fold, limit=question.limit, language=language)


def _find(
    source: CandidateSource,
    question: Question,
    *,
    vector: NDArray[np.float32] | None,
    embedder: Embedder,
    ranking: Ranking,
) -> list[Ranked]:
    """Return the candidates of a question, best first."""
    wide = question if question.unit is Unit.CHUNK else _widened(question)
    restriction = question.restriction
    if vector is None:
        words = LexicalQuery(wide.terms, wide.limit)
        (found,) = source.matches(lexical=[words], restriction=restriction).lexical
        return _rank_by_one(source, found, "lexical")
    if question.mode is Mode.VECTOR:
        near = VectorQuery(vector, wide.limit)
        nearest = source.matches(vector=near, restriction=restriction).nearest
        return _rank_by_one(source, nearest, "vector")
    gatherer = Gatherer(source, wide, vector, embedder, ranking)
    return _rank(source, wide, gatherer, ranking)


def _terms(question: Question, ranking: Ranking) -> Collection[str]:
    """Return the terms that a search looks up."""
    if question.mode is Mode.VECTOR:
        return ()
    if question.mode is Mode.HYBRID and ranking.uses_forms:
        return question.terms_with_forms
    return question.terms


def _widened(question: Question) -> Question:
    """Return the question for chunks: several of them are in one section."""
    return replace(question, limit=min(_MAX_CHUNKS, _CHUNKS_PER_UNIT * question.limit))


def _has_vectors_of(bound: EmbedderIdentity | None, embedder: Embedder) -> bool:
    """Return False if nothing was embedded yet; reject vectors of another model."""
    if bound is None:
        return False
    identity = EmbedderIdentity(name=embedder.name, dimension=embedder.dimension)
    if bound != identity:
        raise SchemaVersionError(
            f"the index was built with embedder {bound}, but {identity} is configured;"
            f" use --embedder {bound.name}, or run: outcrop reembed"
        )
    return True


def _rank_by_one(
    source: CandidateSource, matches: Sequence[Match], signal: str
) -> list[Ranked]:
    """Rank by one score alone, times each chunk's boost."""
    by_id = {c.id: c for c in source.candidates([match.id for match in matches])}
    ranked = [
        Ranked(
            by_id[match.id],
            match.score * by_id[match.id].rank_boost,
            {signal: match.score},
        )
        for match in matches
    ]
    ranked.sort(key=lambda r: -r.score)  # stable: ties keep the order of the matches
    return ranked


def _rank(
    source: CandidateSource, question: Question, gatherer: Gatherer, ranking: Ranking
) -> list[Ranked]:
    """Rank by all signals, with the neighbours of the best where that is wanted."""
    pool = gatherer.gather()
    ranked = fuse(pool, ranking)
    if not question.follow:
        return ranked
    neighbours = find_neighbours(source, ranked, question.follow, question.restriction)
    gained = gains(neighbours, ranked)
    again = fuse(gatherer.extend(pool, gained), ranking)
    return add_gains(ranked, again, gained, question.limit)


def _join(
    source: CandidateSource, question: Question, ranked: Sequence[Ranked]
) -> list[Passage]:
    """Replace parts by their section, unless a filter may have excluded some."""
    if question.restriction is not None and question.restriction.by_chunk:
        return join_parts(ranked)
    sections = source.sections(parents_of_best(ranked))
    return join_parts(ranked, choose_sections(ranked, sections))
