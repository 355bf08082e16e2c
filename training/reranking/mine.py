"""Candidates of each query: what cosine and BM25 find in the same package."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import normalize

from training.reranking.data import PAD, Corpus
from training.reranking.kinds import HEADING, MAX_PASSAGE, MAX_QUERY, POOLS, SECTION

LISTED = 32  # candidates per query, the answer first
RERANKED = 30
K1, B = 1.2, 0.75
# A passage this near to the answer is a copy of it.
COPY = 0.97
# Of the sum that chooses the candidates, and that the network starts beside.
COSINE_WEIGHT, WORDS_WEIGHT = 10.0, 5.0
_EXCLUDED = -1e4


class Lists(NamedTuple):
    """Candidates: the answer first, then others; and how both rankers score them.

    `rank` has the rank of the answer among all passages: by cosine, words and the sum.
    """

    pair: Tensor
    passages: Tensor
    cosine: Tensor
    words: Tensor
    rank: Tensor


def mine(corpus: Corpus, rows: Tensor, only: Tensor | None = None) -> Lists:
    """Return the candidates of all pairs, each among the passages of its pool."""
    pairs = corpus.pairs
    pool = torch.tensor(POOLS, device=pairs.device)[pairs[:, 2]]
    key = pairs[:, 3] * len(POOLS) + pool
    order = torch.argsort(key, stable=True)
    if only is not None:
        order = order[only[pairs[order, 3]]]
    counts = torch.unique_consecutive(key[order], return_counts=True)[1]
    found = [
        _mine_pool(corpus, rows, part, asked)
        for part in order.split(counts.tolist())
        for asked in _asked(corpus, part)
    ]
    return Lists(*(torch.cat(parts) for parts in zip(*found, strict=True)))


def _asked(corpus: Corpus, pool: Tensor) -> list[Tensor]:
    """Return the pairs of a pool that are asked; those for headings, if any, apart."""
    kind = corpus.pairs[pool, 2]
    parts = (pool[(kind != SECTION) & (kind != HEADING)], pool[kind == HEADING])
    return [part for part in parts if len(part)]


def _mine_pool(corpus: Corpus, rows: Tensor, pool: Tensor, pairs: Tensor) -> Lists:
    """Return the candidates of some pairs among the passages of their pool.

    Sections are found with their headings, except those asked for by a heading alone.
    """
    queries, query_of = corpus.pairs[pairs, 0].unique(return_inverse=True)
    passages = corpus.pairs[pool, 1].unique()
    passage_of = torch.searchsorted(passages, corpus.pairs[pairs, 1])
    query, _ = corpus.padded(queries, MAX_QUERY)
    is_heading = bool((corpus.pairs[pairs[:1], 2] == HEADING).all())
    passage, length = (
        corpus.padded(passages, MAX_PASSAGE)
        if is_heading
        else corpus.with_headings(passages)
    )
    query_vectors, passage_vectors = _vectors(rows, query), _vectors(rows, passage)
    cosine = query_vectors @ passage_vectors.T
    words = _bm25(query, passage, length)
    same = torch.zeros_like(cosine, dtype=torch.bool)
    same[query_of, passage_of] = True
    cosine, words, same = cosine[query_of], words[query_of], same[query_of]
    same |= (passage_vectors @ passage_vectors.T)[passage_of] > COPY
    total = COSINE_WEIGHT * cosine + WORDS_WEIGHT * words
    own = passage_of[:, None]
    rank = torch.stack([_rank(s, own, same) for s in (cosine, words, total)], 1)
    best = torch.minimum(_order(cosine), _order(words)).float() - total / 100
    best = torch.minimum(best, _order(total).float())
    best = best.masked_fill(same, -_EXCLUDED).scatter(1, own, _EXCLUDED)
    chosen = best.topk(min(LISTED, best.shape[1]), largest=False).indices
    if chosen.shape[1] < LISTED:  # the last ones again
        chosen = torch.cat(
            [chosen, chosen[:, -1:].expand(-1, LISTED - chosen.shape[1])], 1
        )
    return Lists(
        pairs,
        passages[chosen],
        cosine.gather(1, chosen),
        words.gather(1, chosen),
        rank,
    )


def _order(scores: Tensor) -> Tensor:
    """Return the rank of each score in its row, from 0."""
    return scores.argsort(1, descending=True).argsort(1)


def _rank(scores: Tensor, own: Tensor, same: Tensor) -> Tensor:
    """Return the rank of the answer, from 1; what counts as equal does not."""
    return ((scores > scores.gather(1, own)) & ~same).sum(1) + 1


def _vectors(rows: Tensor, tokens: Tensor) -> Tensor:
    """Return the vectors of the static embedder."""
    known = tokens < len(rows)
    same = (tokens[:, :, None] == tokens[:, None, :]) & known[:, None, :]
    weight = same.sum(2).clamp(min=1).float().rsqrt() * known  # sqrt(n) over n of them
    gathered = rows[tokens.clamp(max=len(rows) - 1).long()].float()
    return normalize((gathered * weight[:, :, None]).sum(1), dim=1)


def _bm25(query: Tensor, passage: Tensor, length: Tensor) -> Tensor:
    """Return BM25 over the sum of the query's weights: from 0 to about 2."""
    ids = torch.cat([query.reshape(-1), passage.reshape(-1)])
    vocabulary, number = ids.unique(return_inverse=True)
    kept = (vocabulary != PAD).float()
    number_query = number[: query.numel()].view_as(query)
    number_passage = number[query.numel() :].view_as(passage)
    size = len(vocabulary)
    asked = torch.zeros(len(query), size, device=query.device)
    asked.scatter_(1, number_query, 1.0)
    said = torch.zeros(len(passage), size, device=query.device)
    said.scatter_add_(1, number_passage, torch.ones_like(number_passage).float())
    asked, said = asked * kept, said * kept
    having = (said > 0).sum(0)
    idf = torch.log1p((len(passage) - having + 0.5) / (having + 0.5))
    usual = K1 * (1 - B + B * length / length.float().mean())
    said = said * (K1 + 1) / (said + usual[:, None])
    asked = asked * idf
    return (asked @ said.T) / asked.sum(1, keepdim=True).clamp(min=1e-6)
