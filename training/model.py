"""The model: a row per token, and how far from each other it puts texts.

Needs torch; runs on a CPU or a GPU.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, embedding_bag, normalize

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from training.encoded import Pairs

TOP = 10
MAX_VALIDATED = 2_000  # pairs of a kind: each is ranked among the others
MIN_VALIDATED = 50
USUAL_SHARE = 2e-4  # of all tokens: those said more often start shorter
FIRST_SCALE = 20.0
_EXCLUDED = -1e4


class Texts:
    """The texts of all pairs, on the device that computes."""

    def __init__(self, pairs: Pairs, device: torch.device) -> None:
        self.ids = torch.from_numpy(pairs.ids.astype(np.int32)).to(device)
        self.counts = torch.from_numpy(pairs.counts).to(device)
        self.start = torch.from_numpy(pairs.start).to(device)
        self.length = torch.from_numpy(pairs.length).to(device)

    def tokens(self, texts: Tensor, longest: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return ids and weights of some texts, end to end, and where each starts."""
        length = torch.minimum(self.length[texts], longest)
        offsets = torch.cumsum(length, 0) - length
        places = torch.repeat_interleave(self.start[texts] - offsets, length)
        at = places + torch.arange(len(places), device=places.device)
        return self.ids[at], self.counts[at].sqrt(), offsets.int()


class Table(nn.Module):
    """A row per token: a direction, and how much the token counts."""

    def __init__(self, shares: Tensor, width: int) -> None:
        super().__init__()
        rows = torch.randn(len(shares), width, generator=torch.Generator())
        self.directions = nn.Parameter(rows / width**0.5)
        self.strengths = nn.Parameter(torch.log(USUAL_SHARE / (USUAL_SHARE + shares)))
        self.scale = nn.Parameter(torch.tensor(FIRST_SCALE).log())

    def rows(self) -> Tensor:
        """Return what each token adds to a text."""
        return self.directions * self.strengths.exp()[:, None]

    @staticmethod
    def encode(rows: Tensor, tokens: tuple[Tensor, Tensor, Tensor]) -> Tensor:
        """Return the vectors of texts, of unit length."""
        ids, weights, offsets = tokens
        summed = embedding_bag(
            ids, rows, offsets, mode="sum", per_sample_weights=weights.to(rows.dtype)
        )
        return normalize(summed, dim=1)


def contrast(query: Tensor, passage: Tensor, texts: Tensor, scale: Tensor) -> Tensor:
    """Return the loss of telling own passages and queries from those of other pairs.

    Pairs with the same query or the same passage do not count against each other.
    """
    logits = (query @ passage.T) * scale
    same = (texts[:, None, 0] == texts[None, :, 0]) | (
        texts[:, None, 1] == texts[None, :, 1]
    )
    own = torch.arange(len(logits), device=logits.device)
    same[own, own] = False
    logits = logits.masked_fill(same, _EXCLUDED)
    return (cross_entropy(logits, own) + cross_entropy(logits.T, own)) / 2


def reciprocal_rank(query: Tensor, passage: Tensor, keys: Tensor) -> float:
    """Return MRR@10 of each passage among all of them, equal ones counted as right."""
    scores = query @ passage.T
    same = keys[:, None] == keys[None, :]
    best = scores.masked_fill(~same, -2.0).amax(1, keepdim=True)
    rank = ((scores > best) & ~same).sum(1) + 1
    return float(torch.where(rank <= TOP, 1.0 / rank, 0.0).mean())


@torch.no_grad()
def validate(
    rows: Tensor, texts: Texts, pairs: Pairs, kinds: list[str]
) -> dict[str, float]:
    """Return MRR@10 by kind of pair over the packages held out."""
    found = {}
    for number, kind in enumerate(kinds):
        chosen = pairs.validated[pairs.kind[pairs.validated] == number]
        if len(chosen) < MIN_VALIDATED:
            continue
        chosen = np.random.default_rng(1).permutation(chosen)[:MAX_VALIDATED]
        both = torch.from_numpy(pairs.texts[chosen]).to(rows.device)
        whole = torch.full((len(chosen),), 999, device=rows.device)
        query, passage = (
            Table.encode(rows, texts.tokens(both[:, side], whole)) for side in (0, 1)
        )
        found[kind] = reciprocal_rank(query, passage, both[:, 1])
    return found


def summarize(figures: dict[str, float]) -> dict[str, float]:
    """Return the means by which settings are chosen."""
    parts = {
        "code": ("docstring", "doc_comment", "comment", "docstring_body"),
        "name": ("name",),
        "docs": ("heading", "sentence", "link", "docstring_text"),
        "translation": tuple(k for k in figures if k.startswith("translation_")),
        "passage": tuple(k for k in figures if k.startswith("passage_")),
    }
    means = {
        part: float(
            np.mean([figures[kind] for kind in kinds if kind in figures] or [0.0])
        )
        for part, kinds in parts.items()
    }
    return means | {"all": float(np.mean(list(means.values())))}


def token_shares(pairs: Pairs, size: int) -> NDArray[np.float32]:
    """Return the share of each token in all texts."""
    counts = np.bincount(pairs.ids, minlength=size)
    return (counts / counts.sum()).astype(np.float32)
