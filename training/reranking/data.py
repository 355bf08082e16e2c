"""Texts as token ids, pairs of them, and lists of candidates as batches of tokens."""

from __future__ import annotations

import json
import lzma
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from training.reranking.kinds import (
    DOC_COMMENT,
    DOCSTRING,
    DOCSTRING_BODY,
    DOCSTRING_TEXT,
    HEADING,
    LANGUAGE,
    LINK,
    MAX_HEADINGS,
    MAX_PASSAGE,
    MAX_QUERY,
    NAME,
    SECTION,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

PAD = 65_535  # no token has this number
# Shares of lists: queries with a question around them, passages below a path, passages
# with their documentation, and passages cut short.
WORDED, PLACED, DOCUMENTED, CUT = 0.25, 0.5, 0.5, 0.15
DROPPED = 0.1  # of the tokens of queries and sections


class _Part:
    """The files of one folder."""

    def __init__(self, folder: Path) -> None:
        about = json.loads((folder / "names.json").read_text())
        count = about["texts"]
        self.tokens = np.frombuffer(
            lzma.decompress((folder / "tokens.xz").read_bytes()), np.uint16
        )
        raw = lzma.decompress((folder / "pairs.xz").read_bytes())
        self.length = np.frombuffer(raw[:count], np.uint8).astype(np.int64)
        pairs = np.frombuffer(raw[count:], np.uint32).reshape(5, -1).T
        self.pairs = pairs.astype(np.int64)
        self.wordings: list[list[int]] = about["wordings"]
        self.packages: list[list[int]] = about["package_tokens"]
        self.foreign = [LANGUAGE.search(name) is not None for name in about["packages"]]


class Corpus:
    """All texts and pairs, on the device that computes.

    Attributes:
        pairs: Query, passage, kind, package and whether it is held out; one row per pair.
        first_doc: The first sentence of the documentation of each text; -1 without one.
        other_doc: The rest of it.
        name: The name in words of each text; -1 where it is part of the text.
        headings: The headings above each section; -1 without any.
        foreign: Whether the texts of a package are not in English.
    """

    def __init__(self, folders: Sequence[Path], device: torch.device) -> None:
        read = [_Part(folder) for folder in folders]
        tokens = np.concatenate([part.tokens for part in read])
        length = np.concatenate([part.length for part in read])
        count = len(length)
        texts = packages = 0
        for part in read:
            part.pairs[:, :2] += texts
            part.pairs[:, 3] += packages
            texts += len(part.length)
            packages += len(part.packages)
        pairs = np.concatenate([part.pairs for part in read])
        self.device = device
        self.tokens = torch.from_numpy(tokens.astype(np.int32)).to(device)
        self.length = torch.from_numpy(length).to(device)
        self.start = torch.cumsum(self.length, 0) - self.length
        self.pairs = torch.from_numpy(pairs).to(device)
        self.first_doc = torch.full((count,), -1, device=device)
        self.other_doc = torch.full((count,), -1, device=device)
        kind = self.pairs[:, 2]
        first = self.pairs[(kind == DOCSTRING) | (kind == DOC_COMMENT)]
        other = self.pairs[kind == DOCSTRING_BODY]
        self.first_doc[first[:, 1]] = first[:, 0]
        self.other_doc[other[:, 1]] = other[:, 0]
        self.name = torch.full((count,), -1, device=device)
        named = self.pairs[kind == NAME]
        self.name[named[:, 1]] = named[:, 0]
        self.headings = torch.full((count,), -1, device=device)
        above = self.pairs[kind == SECTION]
        self.headings[above[:, 1]] = above[:, 0]
        foreign = [told for part in read for told in part.foreign]
        self.foreign = torch.tensor(foreign, device=device)
        self.wordings = self._rows(read[0].wordings)
        self.packages = self._rows([name for part in read for name in part.packages])

    def _rows(self, texts: list[list[int]]) -> tuple[Tensor, Tensor]:
        """Return texts that are not in the corpus as padded rows, and their lengths."""
        width = max(map(len, texts))
        rows = [text + [PAD] * (width - len(text)) for text in texts]
        lengths = torch.tensor([len(text) for text in texts], device=self.device)
        return torch.tensor(rows, dtype=torch.int32, device=self.device), lengths

    def padded(self, texts: Tensor, width: int) -> tuple[Tensor, Tensor]:
        """Return the tokens of texts as rows of one width, and how many there are.

        A negative number stands for an empty text.
        """
        at = torch.arange(width, device=self.device)
        known = texts.clamp(min=0)
        length = torch.where(texts < 0, 0, self.length[known]).clamp(max=width)
        places = (self.start[known][:, None] + at).clamp(max=len(self.tokens) - 1)
        rows = self.tokens[places].masked_fill(at >= length[:, None], PAD)
        return rows, length

    def join(self, parts: list[tuple[Tensor, Tensor]], width: int) -> Tensor:
        """Return texts one after another, as rows of one width."""
        at = torch.arange(width, device=self.device)[None, :]
        count = len(parts[0][1])
        joined = torch.full((count, width), PAD, dtype=torch.int32, device=self.device)
        offset = torch.zeros(count, dtype=torch.int64, device=self.device)
        for rows, length in parts:
            inside = (at >= offset[:, None]) & (at < (offset + length)[:, None])
            source = (at - offset[:, None]).clamp(0, rows.shape[1] - 1)
            joined = torch.where(inside, rows.gather(1, source), joined)
            offset = offset + length
        return joined

    def with_headings(self, passages: Tensor) -> tuple[Tensor, Tensor]:
        """Return passages below their headings, and how many tokens there are."""
        parts = [
            self.padded(self.headings[passages], MAX_HEADINGS),
            self.padded(passages, MAX_PASSAGE),
        ]
        rows = self.join(parts, MAX_PASSAGE)
        return rows, (rows != PAD).sum(1)

    def lists(self, pairs: Tensor, passages: Tensor) -> tuple[Tensor, Tensor]:
        """Return queries and candidates as they are."""
        query, _ = self.padded(self.pairs[pairs, 0], MAX_QUERY)
        shown = self._headings(pairs, passages).reshape(-1)
        parts = [
            self.padded(shown, MAX_HEADINGS),
            self.padded(passages.reshape(-1), MAX_PASSAGE),
        ]
        return query, self.join(parts, MAX_PASSAGE).view(*passages.shape, MAX_PASSAGE)

    def _headings(self, pairs: Tensor, passages: Tensor) -> Tensor:
        """Return the headings above each passage, but where a heading is asked for."""
        asked = self.pairs[pairs, 2] == HEADING
        return self.headings[passages].masked_fill(asked[:, None], -1)

    def varied_lists(self, pairs: Tensor, passages: Tensor) -> tuple[Tensor, Tensor]:
        """Return queries and candidates, changed as an index and its users would.

        Args:
            pairs: Numbers of pairs.
            passages: The candidates of each; the first one answers.
        """
        count, width = passages.shape
        flat = passages.reshape(-1)
        asked = self._thinned(self.padded(self.pairs[pairs, 0], MAX_QUERY), pairs, 1)
        query = self.join([self._wordings(pairs), asked], MAX_QUERY)
        place = self._places(pairs, passages)
        above = self._headings(pairs, passages).reshape(-1)
        headings = self.padded(above, MAX_HEADINGS)
        docs = self.padded(self._documentation(pairs, passages).reshape(-1), 48)
        body, length = self._thinned(self.padded(flat, MAX_PASSAGE), pairs, width)
        cut = torch.rand(count, 1, device=self.device) < CUT
        most = torch.randint(24, MAX_PASSAGE, (count, width), device=self.device)
        length = torch.where(
            cut.expand(count, width).reshape(-1),
            torch.minimum(length, most.view(-1)),
            length,
        )
        rows = self.join([place, headings, docs, (body, length)], MAX_PASSAGE)
        return query, rows.view(count, width, MAX_PASSAGE)

    def _wordings(self, pairs: Tensor) -> tuple[Tensor, Tensor]:
        """Return what stands before each query; nothing before a whole sentence."""
        rows, lengths = self.wordings
        kind = self.pairs[pairs, 2]
        chosen = torch.randint(len(rows), (len(pairs),), device=self.device)
        used = torch.rand(len(pairs), device=self.device) < WORDED
        used &= (kind < LINK) | (kind == DOCSTRING_TEXT)
        return rows[chosen], torch.where(used, lengths[chosen], 0)

    def _thinned(
        self, texts: tuple[Tensor, Tensor], pairs: Tensor, repeats: int
    ) -> tuple[Tensor, Tensor]:
        """Return texts of lists of sections without some of their tokens.

        There are few of these lists, and without this they are learned by heart.
        """
        rows, length = texts
        sections = (self.pairs[pairs, 2] >= SECTION).repeat_interleave(repeats)
        dropped = torch.rand(rows.shape, device=self.device) < DROPPED
        dropped &= sections[:, None]
        at = torch.arange(rows.shape[1], device=self.device)
        kept = ~dropped & (at < length[:, None])
        rows = rows.gather(1, (~kept).long().argsort(dim=1, stable=True))
        return rows, kept.sum(1)

    def _places(self, pairs: Tensor, passages: Tensor) -> tuple[Tensor, Tensor]:
        """Return something like a path: the package, and words of a neighbour's name."""
        count, width = passages.shape
        rows, lengths = self.packages
        package = self.pairs[pairs, 3]
        used = torch.rand(count, 1, device=self.device) < PLACED
        used = used.expand(count, width).reshape(-1)
        neighbour = torch.randint(1, width, (count, width), device=self.device)
        words, _ = self.padded(passages.gather(1, neighbour).reshape(-1), 3)
        few = torch.randint(0, 4, (count * width,), device=self.device)
        name = rows[package].repeat_interleave(width, 0)
        length = lengths[package].repeat_interleave(width)
        joined = self.join([(name, length), (words, few)], 12)
        return joined, torch.where(used, (length + few).clamp(max=12), 0)

    def _documentation(self, pairs: Tensor, passages: Tensor) -> Tensor:
        """Return the documentation that each passage is shown with; -1 for none.

        Only where the answer has some beside the query, or it alone would have none.
        Where a name is asked for, half of the lists show all names.
        """
        kind = self.pairs[pairs, 2]
        first, other = self.first_doc[passages], self.other_doc[passages]
        chance = torch.rand(passages.shape, device=self.device) < 0.5
        shown = torch.where((first >= 0) & (chance | (other < 0)), first, other)
        shown[:, 0] = torch.where(
            kind == DOCSTRING,
            other[:, 0],
            torch.where(kind == DOCSTRING_BODY, first[:, 0], -1),
        )
        shown = torch.where((kind == NAME)[:, None], self.name[passages], shown)
        used = torch.rand(len(pairs), device=self.device) < DOCUMENTED
        used &= shown[:, 0] >= 0
        return shown.masked_fill(~used[:, None], -1)
