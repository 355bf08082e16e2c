"""Learn what each token adds to a text, so that a question is near to its answer.

    python -m training.train encoded --out weights

A text is the sum of the rows of its tokens; a token said n times counts as the square
root of n. The loss compares each question with all passages of a batch, and the other
way round. Uses a GPU where there is one: a minute or two for all epochs.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from training.encoded import Pairs, batches
from training.model import (
    Table,
    Texts,
    contrast,
    summarize,
    token_shares,
    validate,
)

SHORT, CUT = 0.10, 0.30  # shares of passages cut to a name, and at a random length
MAX_TOKENS = 80
WARM_UP = 50
MAX_SCALE = 60.0


def lengths(count: int, device: torch.device) -> Tensor:
    """Return how much of each passage is kept: a name, a part, or all."""
    kind = torch.rand(count, device=device)
    few = torch.randint(2, 8, (count,), device=device)
    some = torch.randint(20, MAX_TOKENS + 1, (count,), device=device)
    some[kind >= SHORT + CUT] = MAX_TOKENS
    return torch.where(kind < SHORT, few, some)


class Training:
    """One run: the table, and how it is changed."""

    def __init__(
        self, given: argparse.Namespace, pairs: Pairs, kinds: list[str], size: int
    ) -> None:
        self.given, self.pairs, self.kinds = given, pairs, kinds
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        torch.manual_seed(given.seed)
        torch.set_float32_matmul_precision("high")
        self._steps = 0
        self.chance = np.random.default_rng(given.seed)
        shares = torch.from_numpy(token_shares(pairs, size))
        self.table = Table(shares, given.width).to(self.device)
        self.texts = Texts(pairs, self.device)
        self.optimizer = torch.optim.Adam(
            self.table.parameters(), lr=given.rate, betas=(0.9, 0.99), eps=1e-10
        )

    def run(self) -> dict[str, float]:
        """Train for all epochs; return the figures of the last."""
        share = np.array([self._share(kind) for kind in self.kinds])
        found: dict[str, float] = {}
        started = time.monotonic()
        for epoch in range(self.given.epochs):
            work = batches(
                self.pairs, share, self.given.batch, self.given.grouped, self.chance
            )
            losses = [
                self._step(batch, epoch + at / len(work))
                for at, batch in enumerate(work)
            ]
            found = validate(self.table.rows(), self.texts, self.pairs, self.kinds)
            loss = float(torch.stack(losses).mean())
            shown = " ".join(
                f"{part} {figure:.4f}" for part, figure in summarize(found).items()
            )
            print(
                f"epoch {epoch + 1}: {len(work)} steps, loss {loss:.3f}, {shown},"
                f" {time.monotonic() - started:.0f} s",
                flush=True,
            )
        return found

    def _share(self, kind: str) -> float:
        if kind.startswith(("translation_", "passage_")):
            return float(self.given.translations)
        return 1.0

    def _step(self, batch: np.ndarray, epochs_done: float) -> Tensor:
        """Learn from one batch; return its loss."""
        for group in self.optimizer.param_groups:
            group["lr"] = self._rate(epochs_done)
        both = torch.from_numpy(self.pairs.texts[batch]).to(self.device)
        rows = self.table.rows()
        whole = torch.full((len(both),), MAX_TOKENS, device=self.device)
        query = Table.encode(rows, self.texts.tokens(both[:, 0], whole))
        cut = lengths(len(both), self.device)
        passage = Table.encode(rows, self.texts.tokens(both[:, 1], cut))
        scale = self.table.scale.exp().clamp(max=MAX_SCALE)
        loss = contrast(query, passage, both, scale)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.detach()

    def _rate(self, epochs_done: float) -> float:
        """Return the rate: it rises for some steps, then falls to nothing."""
        self._steps += 1
        left = 1 - epochs_done / self.given.epochs
        return float(self.given.rate * min(1.0, self._steps / WARM_UP) * left)


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the settings."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("encoded", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--batch", type=int, default=16_384)
    parser.add_argument("--rate", type=float, default=0.03)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument(
        "--grouped", type=float, default=0.5, help="share of batches by package"
    )
    parser.add_argument(
        "--translations", type=float, default=0.5, help="share per epoch"
    )
    return parser


def read_encoded(folder: Path) -> tuple[Pairs, list[str], int]:
    """Return pairs, the names of their kinds and the size of the vocabulary."""
    names = json.loads((folder / "names.json").read_text())
    return Pairs(folder / "pairs.npz"), names["kinds"], names["tokens"]


def main() -> None:
    """Train, validate and write the rows."""
    given = make_parser().parse_args()
    pairs, kinds, size = read_encoded(given.encoded)
    print(f"{len(pairs):,} pairs, {size:,} tokens, {vars(given)}", flush=True)
    training = Training(given, pairs, kinds, size)
    figures = training.run()
    given.out.mkdir(parents=True, exist_ok=True)
    rows = training.table.rows().detach().cpu().numpy()
    np.save(given.out / "rows.npy", rows.astype(np.float16))
    record = {"settings": {k: str(v) for k, v in vars(given).items()}, "mrr": figures}
    (given.out / "figures.json").write_text(
        json.dumps(record | summarize(figures), indent=1)
    )
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
