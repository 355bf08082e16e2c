"""The reranker: a network that reads a query and a passage together.

It starts from the rows of the static embedder, which stay as they are; the most frequent
tokens get a learned row beside. Needs torch; runs on a CPU or a GPU.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding, normalize, relu, scaled_dot_product_attention

from training.reranking.kinds import MAX_PASSAGE, MAX_QUERY
from training.reranking.mine import COSINE_WEIGHT, WORDS_WEIGHT

MARKS = 4  # what is known of a token: see `Tokens.forward`


@dataclass(frozen=True)
class Shape:
    """Size of a network."""

    width: int = 128
    layers: int = 3
    heads: int = 4
    inner: int = 256  # of the layers between
    learned: int = 20_000  # tokens with a row of their own


class Tokens(nn.Module):
    """Tokens as vectors: the static row, the learned one, the place, and the marks."""

    def __init__(self, rows: Tensor, shape: Shape) -> None:
        super().__init__()
        strength = rows.float().norm(dim=1)
        direction = normalize(rows.float(), dim=1)
        self.register_buffer("direction", direction.to(torch.bfloat16))
        self.register_buffer("strength", strength / strength.mean())
        self.learned_count = shape.learned
        self.project = nn.Linear(rows.shape[1], shape.width, bias=False)
        nn.init.normal_(self.project.weight, std=1.0)
        self.learned = nn.Parameter(torch.zeros(shape.learned + 1, shape.width))
        self.place_query = nn.Parameter(torch.randn(MAX_QUERY, shape.width) * 0.1)
        self.place_passage = nn.Parameter(torch.randn(MAX_PASSAGE, shape.width) * 0.1)
        self.marks_query = nn.Linear(MARKS, shape.width)
        self.marks_passage = nn.Linear(MARKS, shape.width)

    def look_up(self, ids: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return direction, strength and whether each is a token."""
        known = ids < len(self.direction)
        safe = torch.where(known, ids, 0).long()
        return embedding(safe, self.direction), self.strength[safe] * known, known

    def _learned(self, ids: Tensor) -> Tensor:
        own = torch.where(ids < self.learned_count, ids, self.learned_count).long()
        return embedding(own, self.learned)

    def forward(
        self, query: Tensor, passage: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return both as vectors, and which of them are tokens."""
        q_dir, q_strength, q_known = self.look_up(query)
        p_dir, p_strength, p_known = self.look_up(passage)
        both = q_known[:, :, None] & p_known[:, None, :]
        equal = (query[:, :, None] == passage[:, None, :]) & both
        near = (q_dir @ p_dir.transpose(1, 2)).masked_fill(~both, 0.0)
        q_marks = self._marks(equal.any(2), near.amax(2).clamp(min=0), q_strength)
        p_marks = self._marks(equal.any(1), near.amax(1).clamp(min=0), p_strength)
        q = self.project(q_dir) + self._learned(query)
        q = q + self.place_query[: query.shape[1]] + self.marks_query(q_marks)
        p = self.project(p_dir) + self._learned(passage)
        p = p + self.place_passage[: passage.shape[1]] + self.marks_passage(p_marks)
        return q, p, q_known, p_known

    @staticmethod
    def _marks(equal: Tensor, near: Tensor, strength: Tensor) -> Tensor:
        equal = equal.float()
        return torch.stack([equal, equal * strength, near.float(), strength], 2)


class Scale(nn.Module):
    """Root mean square normalisation."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        """Return vectors of about the same length."""
        return nn.functional.rms_norm(x, self.weight.shape, self.weight, 1e-6)


class Attention(nn.Module):
    """Some tokens read others."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.heads = shape.heads
        self.ask = nn.Linear(shape.width, shape.width)
        self.answer = nn.Linear(shape.width, 2 * shape.width)
        self.out = nn.Linear(shape.width, shape.width)

    def forward(self, x: Tensor, memory: Tensor, known: Tensor) -> Tensor:
        """Return what `x` reads of those in `memory` that are known."""
        asked = self._split(self.ask(x))
        key, value = (self._split(part) for part in self.answer(memory).chunk(2, 2))
        mask = known[:, None, None, :].expand(-1, -1, x.shape[1], -1)
        read = scaled_dot_product_attention(asked, key, value, attn_mask=mask)
        return self.out(read.transpose(1, 2).reshape(x.shape))

    def _split(self, x: Tensor) -> Tensor:
        return x.view(x.shape[0], x.shape[1], self.heads, -1).transpose(1, 2)


class Inner(nn.Module):
    """Two layers with a rectifier between."""

    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.up, self.down = nn.Linear(width, inner), nn.Linear(inner, width)

    def forward(self, x: Tensor) -> Tensor:
        """Apply both layers."""
        return self.down(relu(self.up(x)))


class Block(nn.Module):
    """Attention and inner layers, each added to what it reads."""

    def __init__(self, shape: Shape, inner: int) -> None:
        super().__init__()
        self.scale_read, self.scale_inner = Scale(shape.width), Scale(shape.width)
        self.read, self.inner = Attention(shape), Inner(shape.width, inner)

    def forward(self, x: Tensor, known: Tensor) -> Tensor:
        """Return the tokens after they read each other."""
        scaled = self.scale_read(x)
        x = x + self.read(scaled, scaled, known)
        return x + self.inner(self.scale_inner(x))


class Head(nn.Module):
    """A score from the first vector and the mean of the query's."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.scale = Scale(width)
        self.inner, self.last = nn.Linear(2 * width, width), nn.Linear(width, 1)

    def forward(self, x: Tensor, known: Tensor) -> Tensor:
        """Return one score per row."""
        x = self.scale(x)
        weight = known[:, :, None].to(x.dtype)
        mean = (x[:, 1:] * weight).sum(1) / weight.sum(1).clamp(min=1)
        return self.last(relu(self.inner(torch.cat([x[:, 0], mean], 1))))[:, 0]


class Network(nn.Module):
    """Passages by convolution; the query reads them, layer after layer."""

    def __init__(self, rows: Tensor, shape: Shape) -> None:
        super().__init__()
        self.tokens = Tokens(rows, shape)
        self.first = nn.Parameter(torch.randn(shape.width) * 0.1)
        self.scale_near, self.scale_inner = Scale(shape.width), Scale(shape.width)
        self.near = nn.Conv1d(
            shape.width, shape.width, 7, padding=3, groups=shape.width
        )
        self.inner = Inner(shape.width, shape.inner)
        self.scale_memory = Scale(shape.width)
        self.reads = nn.ModuleList(Attention(shape) for _ in range(shape.layers))
        self.scales = nn.ModuleList(Scale(shape.width) for _ in range(shape.layers))
        self.blocks = nn.ModuleList(
            Block(shape, 4 * shape.width) for _ in range(shape.layers)
        )
        self.head = Head(shape.width)

    def forward(self, query: Tensor, passage: Tensor) -> Tensor:
        """Return one score per query and passage."""
        q, p, q_known, p_known = self.tokens(query, passage)
        near = self.scale_near(p) * p_known[:, :, None]
        p = p + self.near(near.transpose(1, 2)).transpose(1, 2)
        p = self.scale_memory(p + self.inner(self.scale_inner(p)))
        x = torch.cat([self.first.expand(len(q), 1, -1).to(q.dtype), q], 1)
        known = torch.cat([torch.ones_like(q_known[:, :1]), q_known], 1)
        for read, scale, block in zip(
            self.reads, self.scales, self.blocks, strict=True
        ):
            x = x + read(scale(x), p, p_known)
            x = block(x, known)
        return self.head(x, q_known)


class Reranker(nn.Module):
    """A network, and what cosine and words count beside it.

    The network learns what the two leave out, because in a search its score is added to
    that of the ranking.
    """

    def __init__(self, rows: Tensor, shape: Shape) -> None:
        super().__init__()
        self.network = Network(rows, shape)
        self.beside = nn.Parameter(torch.tensor([COSINE_WEIGHT, WORDS_WEIGHT]))

    def forward(self, query: Tensor, passages: Tensor) -> Tensor:
        """Return the network's score of each candidate of each query."""
        count, listed, width = passages.shape
        repeated = query.repeat_interleave(listed, 0)
        return self.network(repeated, passages.reshape(-1, width)).view(count, listed)

    def total(self, scores: Tensor, cosine: Tensor, words: Tensor) -> Tensor:
        """Return scores with those of cosine and words."""
        return scores + self.beside[0] * cosine + self.beside[1] * words
