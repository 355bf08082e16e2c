"""Train the reranker on lists of candidates.

    python -m training.reranking.train DATA... --rows FOLDER --out OUT --seconds 500

FOLDER has the rows of the static embedder. Trains for a given time, from nothing or from
a network that was trained before, and writes `reranker.npz` and `figures.json`. Uses a
GPU where there is one. With `--teacher` it trains the teacher instead, and with `--scores`
the network learns from what a teacher makes of the candidates (`score.py`).
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from training.reranking.data import Corpus
from training.reranking.kinds import KINDS, SHARES
from training.reranking.mine import (
    COSINE_WEIGHT,
    LISTED,
    RERANKED,
    WORDS_WEIGHT,
    Lists,
    mine,
)
from training.reranking.model import Reranker, Shape
from training.reranking.teacher import Teacher

NEGATIVES = 15
TAUGHT = 0.7  # how much the teacher counts, beside which candidate is the answer
TOP = 10
WARM_UP = 0.03  # of the time
MAX_NORM = 1.0
MIXES = (0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 4.0, 1e6)


Model = Reranker | Teacher


class Training:
    """Lists to learn from, lists held out, and the network made of them."""

    def __init__(self, given: argparse.Namespace) -> None:
        self.given = given
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        torch.set_float32_matmul_precision("high")
        self.corpus = Corpus(given.data, self.device)
        scales = np.load(given.rows / "scales.npy").astype(np.float32)
        rows = np.load(given.rows / "rows.npy") * scales[:, None]
        self.rows = torch.from_numpy(rows).to(self.device)
        started = time.monotonic()
        self.lists = self._lists()
        held = self.corpus.pairs[self.lists.pair, 4] == 1
        self.held, self.learned = held.nonzero()[:, 0], (~held).nonzero()[:, 0]
        self.chances = self._chances()
        self.sums = self.chances.cumsum(0)
        self.taught = self._taught()
        print(
            f"{len(held):,} lists, {len(self.held):,} of them held out,"
            f" {time.monotonic() - started:.0f} s",
            flush=True,
        )

    def _lists(self) -> Lists:
        """Return the lists, mined once if they are to be kept."""
        kept = self.given.lists
        if kept and kept.exists():
            return Lists(*torch.load(kept, map_location=self.device))
        lists = mine(self.corpus, self.rows.half(), self._packages())
        if kept:
            torch.save(tuple(lists), kept)
        return lists

    def _taught(self) -> Tensor | None:
        """Return the teacher's chance of each candidate to be the answer."""
        if not self.given.scores:
            return None
        scores = torch.from_numpy(np.load(self.given.scores)).to(self.device)
        return scores.softmax(1, torch.float32).half()

    def _chances(self) -> Tensor:
        """Return the chances of lists to be drawn."""
        kind = self.corpus.pairs[self.lists.pair[self.learned], 2]
        counts = kind.bincount(minlength=len(SHARES)).clamp(min=1)
        shares = torch.tensor(SHARES, dtype=torch.float64, device=self.device)
        return (shares / counts)[kind]

    def _packages(self) -> Tensor:
        chosen = torch.ones(65_536, dtype=torch.bool, device=self.device)
        if self.given.packages:
            chosen[self.given.packages :] = False
        return chosen

    def run(self) -> None:
        """Train, measure and write a network."""
        torch.manual_seed(self.given.seed)
        model = self.model()
        steps, loss = self._fit(model)
        figures = self.measure(model) if len(self.held) else {}
        beside = model.beside.tolist()
        record = {"steps": steps, "loss": loss, "beside": beside, "figures": figures}
        print(json.dumps(record), flush=True)
        state = {
            key: value.float().cpu().numpy().astype(np.float16)
            for key, value in model.state_dict().items()
            if not key.endswith(("direction", "strength"))
        }
        np.savez_compressed(self.given.out / "reranker.npz", **state)
        (self.given.out / "figures.json").write_text(json.dumps(record, indent=1))

    def model(self) -> Model:
        """Return the network that is trained, or a teacher."""
        model: Model = (
            Teacher(self.given.teacher)
            if self.given.teacher
            else Reranker(self.rows, Shape())
        )
        if self.given.start:
            model.load_state_dict(_state(self.given.start), strict=False)
        return model.to(self.device)

    def _fit(self, model: Model) -> tuple[int, float]:
        parameters = list(model.parameters())
        optimizer = torch.optim.AdamW(
            parameters, lr=self.given.rate, betas=(0.9, 0.98), weight_decay=0.01
        )
        started, steps, losses = time.monotonic(), 0, []
        while (done := (time.monotonic() - started) / self.given.seconds) < 1:
            for group in optimizer.param_groups:
                group["lr"] = self.given.rate * min(done / WARM_UP + 0.01, 1 - done)
            loss = self._loss(model, self._draw())
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(parameters, MAX_NORM)
            optimizer.step()
            steps += 1
            losses.append(loss.detach())
            if steps % 50 == 0:  # also lets the device catch up with the clock
                mean = float(torch.stack(losses[-50:]).mean())
                if steps % self.given.report == 0:
                    print(f"step {steps}, loss {mean:.4f}", flush=True)
        return steps, float(torch.stack(losses[-200:]).mean())

    def _draw(self) -> Tensor:
        """Return lists to learn from."""
        chance = torch.rand(self.given.batch, dtype=torch.float64, device=self.device)
        drawn = torch.searchsorted(self.sums, chance * self.sums[-1])
        return self.learned[drawn.clamp(max=len(self.learned) - 1)]

    def _loss(self, model: Model, drawn: Tensor) -> Tensor:
        lists = Lists(*(part[drawn] for part in self.lists))
        listed = LISTED if self.taught is None else self.taught.shape[1]
        chance = torch.rand(len(drawn), listed - 1, device=self.device)
        # Those that rank first are drawn more often.
        first = torch.arange(listed - 1, device=self.device) < NEGATIVES
        others = (chance - 0.5 * first).argsort(1)[:, : self.given.others] + 1
        chosen = torch.cat([torch.zeros_like(others[:, :1]), others], 1)
        query, passages = self.corpus.varied_lists(
            lists.pair, lists.passages.gather(1, chosen)
        )
        longest = int((query < len(self.rows)).sum(1).max())
        with torch.autocast(self.device.type, torch.bfloat16):
            scores = model(query[:, :longest], passages)
        cosine = lists.cosine.gather(1, chosen)
        words = lists.words.gather(1, chosen)
        total = model.total(scores.float(), cosine.float(), words.float())
        target = torch.zeros_like(total)
        target[:, 0] = 1.0
        if self.taught is not None:
            taught = self.taught[drawn].gather(1, chosen).float()
            taught = taught / taught.sum(1, keepdim=True).clamp(min=1e-6)
            target = target.lerp(taught, TAUGHT)
        return torch.nn.functional.cross_entropy(total, target)

    @torch.no_grad()
    def measure(self, model: Model) -> dict[str, dict[str, float]]:
        """Return MRR@10 of each kind over packages held out, each answer in its own.

        The 30 candidates that cosine and words together rank first are reranked, by the
        network alone and mixed with that sum.
        """
        order = torch.argsort(self.held)[:: self.given.every]
        held = Lists(*(part[self.held[order]] for part in self.lists))
        scores = torch.cat([self.score(model, held, at) for at in self._parts(held)])
        total = COSINE_WEIGHT * held.cosine.float() + WORDS_WEIGHT * held.words.float()
        kinds = self.corpus.pairs[held.pair, 2]
        figures = {}
        for kind, name in enumerate(KINDS):
            chosen = kinds == kind
            if chosen.any():
                figures[name] = _figures(
                    held.rank[chosen], total[chosen], scores[chosen]
                )
        return figures

    def _parts(self, lists: Lists) -> list[slice]:
        size = self.given.batch
        return [slice(at, at + size) for at in range(0, len(lists.pair), size)]

    def score(self, model: Model, lists: Lists, part: slice) -> Tensor:
        """Return what a network makes of some lists."""
        query, passages = self.corpus.lists(lists.pair[part], lists.passages[part])
        with torch.autocast(self.device.type, torch.bfloat16):
            return model(query, passages).float()


def _state(file: Path) -> dict[str, Tensor]:
    """Return the weights of a network that was trained before."""
    loaded = np.load(file)
    return {
        name: torch.from_numpy(loaded[name].astype(np.float32)) for name in loaded.files
    }


def _figures(rank: Tensor, total: Tensor, scores: Tensor) -> dict[str, float]:
    """Return the figures of the lists of a kind."""
    found = rank[:, 2] <= RERANKED
    figures = {"lists": float(len(rank)), "recall": float(found.float().mean())}
    for at, name in enumerate(("cosine", "words", "sum")):
        figures[name] = _mean(rank[:, at])
    for weight in MIXES:
        mixed = torch.where(found, _rank(total + weight * scores), TOP + 1)
        figures[f"mixed {weight}"] = _mean(mixed)
    return figures


def _rank(scores: Tensor) -> Tensor:
    """Return the rank of the first of each row among the 30 reranked."""
    return (scores[:, 1:RERANKED] > scores[:, :1]).sum(1) + 1


def _mean(rank: Tensor) -> float:
    return round(float(torch.where(rank <= TOP, 1.0 / rank, 0.0).mean()), 4)


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the settings."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, nargs="+")
    parser.add_argument("--rows", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=500)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--others", type=int, default=NEGATIVES, help="per answer")
    parser.add_argument("--start", type=Path, help="a trained network")
    parser.add_argument("--teacher", type=Path, help="train it; a pretrained file")
    parser.add_argument("--scores", type=Path, help="those of a teacher, to learn from")
    parser.add_argument("--lists", type=Path, help="where mined lists are kept")
    parser.add_argument("--rate", type=float, default=1.5e-3)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--every", type=int, default=1, help="lists to measure: one of")
    parser.add_argument("--report", type=int, default=1000, help="steps per line")
    parser.add_argument("--packages", type=int, default=0, help="only the first ones")
    return parser


def main() -> None:
    """Train and measure."""
    given = make_parser().parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    Training(given).run()


if __name__ == "__main__":
    main()
