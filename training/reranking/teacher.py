"""The teacher: a pretrained transformer that reads a query and a passage together.

It starts from the file that `pretrained.py` writes, and takes the place of the small
network in `train.py`, which then learns from its scores. Needs torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn.functional import embedding, gelu, scaled_dot_product_attention

from training.reranking.mine import COSINE_WEIGHT, WORDS_WEIGHT

if TYPE_CHECKING:
    from pathlib import Path

HEADS = 12
EPSILON = 1e-12
MAX_QUERY_PIECES, MAX_PASSAGE_PIECES = 40, 144
# Texts are read in parts of about equal length, whose width is a multiple of another
# number, because attention is several times as fast with such.
PARTS, STEP = 6, 16


class Layer(nn.Module):
    """A layer of BERT."""

    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.read = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, inner), nn.Linear(inner, width)
        self.after_read = nn.LayerNorm(width, EPSILON)
        self.after_inner = nn.LayerNorm(width, EPSILON)

    def forward(self, x: Tensor, known: Tensor) -> Tensor:
        """Return the tokens after they read each other."""
        count, length, width = x.shape
        split = self.read(x).view(count, length, 3, HEADS, width // HEADS)
        asked, key, value = split.permute(2, 0, 3, 1, 4)
        read = scaled_dot_product_attention(asked, key, value, attn_mask=known)
        x = self.after_read(x + self.out(read.transpose(1, 2).reshape(x.shape)))
        return self.after_inner(x + self.down(gelu(self.up(x))))


class Transformer(nn.Module):
    """BERT, as far as it is needed here."""

    def __init__(self, arrays: dict[str, Tensor], layers: int) -> None:
        super().__init__()
        words = arrays["embeddings.word_embeddings.weight"]
        width = words.shape[1]
        # Most words are too rare to be learned again.
        self.words = nn.Parameter(words.clone(), requires_grad=False)
        self.places = nn.Parameter(
            arrays["embeddings.position_embeddings.weight"].clone()
        )
        self.sides = nn.Parameter(
            arrays["embeddings.token_type_embeddings.weight"].clone()
        )
        self.scale = nn.LayerNorm(width, EPSILON)
        inner = len(arrays["encoder.layer.0.intermediate.dense.bias"])
        self.layers = nn.ModuleList(Layer(width, inner) for _ in range(layers))
        self.load_state_dict(_named(arrays, layers), strict=False)

    def forward(self, pieces: Tensor, sides: Tensor) -> Tensor:
        """Return the vectors of pieces; negative numbers are none."""
        known = pieces >= 0
        x = embedding(pieces.clamp(min=0), self.words) + self.places[: pieces.shape[1]]
        # A look-up of two rows would be slow to learn from.
        x = x + self.sides[0] + sides[:, :, None] * (self.sides[1] - self.sides[0])
        x = self.scale(x)
        mask = known[:, None, None, :]
        for layer in self.layers:
            x = layer(x, mask)
        return x


def _named(arrays: dict[str, Tensor], layers: int) -> dict[str, Tensor]:
    """Return the weights under the names that they have here."""
    found = {
        f"scale.{end}": arrays[f"embeddings.LayerNorm.{end}"]
        for end in ("weight", "bias")
    }
    names = {
        "out": "attention.output.dense",
        "after_read": "attention.output.LayerNorm",
        "up": "intermediate.dense",
        "down": "output.dense",
        "after_inner": "output.LayerNorm",
    }
    for at in range(layers):
        source = f"encoder.layer.{at}"
        for end in ("weight", "bias"):
            parts = [
                arrays[f"{source}.attention.self.{part}.{end}"]
                for part in ("query", "key", "value")
            ]
            found[f"layers.{at}.read.{end}"] = torch.cat(parts)
            for name, other in names.items():
                found[f"layers.{at}.{name}.{end}"] = arrays[f"{source}.{other}.{end}"]
    return found


class Teacher(nn.Module):
    """A transformer over both texts, and what cosine and words count beside it."""

    def __init__(self, file: Path, layers: int = 6) -> None:
        super().__init__()
        loaded = np.load(file)
        arrays = {
            name: torch.from_numpy(_exact(loaded, name))
            for name in loaded.files
            if name.startswith(("embeddings", "encoder")) and name[-6:] != "_steps"
        }
        self.transformer = Transformer(arrays, layers)
        pieces = torch.from_numpy(loaded["pieces"].astype(np.int64))
        self.register_buffer("pieces", pieces, persistent=False)
        self.register_buffer("counts", (pieces >= 0).sum(1), persistent=False)
        self.first, self.between = loaded["special"].tolist()
        width = self.transformer.words.shape[1]
        self.inner, self.last = nn.Linear(2 * width, width), nn.Linear(width, 1)
        self.beside = nn.Parameter(torch.tensor([COSINE_WEIGHT, WORDS_WEIGHT]))

    def forward(self, query: Tensor, passages: Tensor) -> Tensor:
        """Return the score of each candidate of each query."""
        count, listed, width = passages.shape
        asked, asked_length = self._pieces(query, MAX_QUERY_PIECES)
        said, said_length = self._pieces(
            passages.reshape(-1, width), MAX_PASSAGE_PIECES
        )
        asked = asked.repeat_interleave(listed, 0)
        asked_length = asked_length.repeat_interleave(listed, 0)
        pieces, sides = self._joined(asked, asked_length, said, said_length)
        lengths, order = (asked_length + said_length + 3).sort()
        widest = [part[-1] for part in lengths.chunk(PARTS)]
        widths = torch.stack(widest).tolist()
        weights = self._weights()
        scores = [
            self._score(pieces[part], sides[part], -(-width // STEP) * STEP, weights)
            for part, width in zip(order.chunk(PARTS), widths, strict=True)
        ]
        joined = torch.cat(scores)
        flat = torch.empty_like(joined).index_put((order,), joined)
        return flat.view(count, listed)

    def _weights(self) -> dict[str, Tensor]:
        """Return the weights of the transformer, rounded once where that is asked for."""
        device = self.pieces.device.type
        rounds = torch.is_autocast_enabled(device)
        kind = torch.get_autocast_dtype(device) if rounds else torch.float32
        return {
            name: weight.to(kind)
            for name, weight in self.transformer.named_parameters()
        }

    def _pieces(self, tokens: Tensor, most: int) -> tuple[Tensor, Tensor]:
        """Return the pieces of texts, as rows of one width, and how many they are."""
        known = tokens < len(self.pieces)
        safe = torch.where(known, tokens, 0).long()
        counts = self.counts[safe] * known
        ends = counts.cumsum(1)
        starts = ends - counts
        out = torch.full((len(tokens), most + 1), -1, device=tokens.device)
        for at in range(self.pieces.shape[1]):
            # What does not fit goes to the column that is cut off.
            place = torch.where(at < counts, starts + at, most).clamp(max=most)
            out.scatter_(1, place, self.pieces[safe, at])
        return out[:, :most], ends[:, -1].clamp(max=most)

    def _joined(
        self, asked: Tensor, asked_length: Tensor, said: Tensor, said_length: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return `[CLS] query [SEP] passage [SEP]`, and the side of each piece."""
        width = -(-(asked.shape[1] + said.shape[1] + 3) // STEP) * STEP
        at = torch.arange(width, device=asked.device)[None, :]
        middle = asked_length[:, None] + 1
        end = middle + said_length[:, None] + 1
        in_query = (at - 1).clamp(0, asked.shape[1] - 1).expand(len(asked), -1)
        in_passage = (at - middle - 1).clamp(0, said.shape[1] - 1)
        pieces = torch.where(
            at < middle, asked.gather(1, in_query), said.gather(1, in_passage)
        )
        pieces = pieces.masked_fill((at == middle) | (at == end), self.between)
        pieces = pieces.masked_fill(at > end, -1)
        pieces[:, 0] = self.first
        return pieces, (at > middle).to(torch.bfloat16)

    def _score(
        self, pieces: Tensor, sides: Tensor, width: int, weights: dict[str, Tensor]
    ) -> Tensor:
        pieces, sides = pieces[:, :width], sides[:, :width]
        with torch.autocast(pieces.device.type, enabled=False):
            x = functional_call(self.transformer, weights, (pieces, sides))
        weight = (pieces >= 0)[:, :, None].to(x.dtype)
        mean = (x * weight).sum(1) / weight.sum(1)
        inner = gelu(self.inner(torch.cat([x[:, 0], mean], 1)))
        return self.last(inner)[:, 0].float()

    def total(self, scores: Tensor, cosine: Tensor, words: Tensor) -> Tensor:
        """Return scores with those of cosine and words."""
        return scores + self.beside[0] * cosine + self.beside[1] * words


def _exact(loaded: np.lib.npyio.NpzFile, name: str) -> np.ndarray:
    array = loaded[name].astype(np.float32)
    steps = f"{name}_steps"
    return array * loaded[steps][:, None] if steps in loaded.files else array
