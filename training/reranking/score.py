"""Write what a trained teacher makes of the candidates of all lists.

    python -m training.reranking.score DATA... --rows FOLDER --teacher PRETRAINED
        --start TEACHER --lists LISTS --out SCORES.npy --seconds 200

A score includes cosine and words, as the loss does. Lists are read in random order, those
first that are likely to be drawn, until the time is over. Of the others, and of those in
languages that the teacher has not seen, nothing is known but the answer.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from training.reranking.kinds import PASSAGE
from training.reranking.mine import Lists
from training.reranking.train import Training, make_parser

if TYPE_CHECKING:
    import argparse

SCORED = 20  # of the candidates
CERTAIN = 30.0  # of the answer, where the teacher says nothing


class Scoring(Training):
    """The lists that a teacher scores."""

    @torch.no_grad()
    def scores(self) -> Tensor:
        """Return a score for each candidate of each list."""
        model = self.model()
        shape = len(self.lists.pair), SCORED
        scores = torch.zeros(shape, dtype=torch.float16, device=self.device)
        scores[:, 0] = CERTAIN
        started, read = time.monotonic(), 0
        for part in self._order().split(self.given.batch):
            if time.monotonic() - started > self.given.seconds:
                break
            chosen = (column[part] for column in self.lists)
            lists = Lists(*(c[:, :SCORED] if c.ndim == 2 else c for c in chosen))
            found = self.score(model, lists, slice(None))
            total = model.total(found, lists.cosine.float(), lists.words.float())
            scores[part] = total.half()
            read += len(part)
            if self.device.type == "cuda":
                torch.cuda.synchronize()
        print(f"{read:,} lists, {time.monotonic() - started:.0f} s", flush=True)
        return scores

    def _order(self) -> Tensor:
        """Return the lists that the teacher reads, likely ones first."""
        pairs = self.corpus.pairs[self.lists.pair[self.learned]]
        read = ~self.corpus.foreign[pairs[:, 3]] & (pairs[:, 2] != PASSAGE)
        torch.manual_seed(self.given.seed)
        late = -torch.rand_like(self.chances).log() / self.chances
        return self.learned[read][late[read].argsort()]


def main() -> None:
    """Score and write."""
    parser = make_parser()
    parser.description = __doc__.splitlines()[0]
    given: argparse.Namespace = parser.parse_args()
    np.save(given.out, Scoring(given).scores().cpu().numpy())


if __name__ == "__main__":
    main()
