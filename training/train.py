"""Learn what each token adds to a text, so that a question is near to its answer.

    python -m training.train encoded --out weights

A text is the sum of the rows of its tokens; a token said n times counts as the square
root of n. The loss compares each question with all passages of a batch, and the other
way round. Only NumPy and SciPy are used: some minutes of one core per epoch.
"""

from __future__ import annotations

import argparse
import json
import time
from multiprocessing import Process
from multiprocessing.sharedctypes import RawArray
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from training.model import Bags, Encoded, Pairs, encode, summarize, validate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from training.model import Floats

DROP_QUERY, DROP_PASSAGE = 0.10, 0.15
SHORT, CUT = 0.10, 0.30  # shares of passages cut to a name, and at a random length
WARM_UP = 50
MIN_STRIDE = 0.05
USUAL_SHARE = 2e-4  # of all tokens: those said more often start shorter
MAX_TOKENS = 80
MEAN_DECAY, SQUARE_DECAY = 0.9, 0.99
_EPSILON = 1e-8


def drop(bags: Bags, share: float, chance: np.random.Generator) -> Bags:
    """Leave out some tokens of all texts."""
    kept = chance.random(len(bags.ids), dtype=np.float32) > share
    return Bags(bags.ids, bags.weights * kept, bags.starts)


def lengths(count: int, chance: np.random.Generator) -> NDArray[np.int64]:
    """Return how much of each passage is kept: a name, a part, or all."""
    kind = chance.random(count)
    few, some = chance.integers(2, 8, count), chance.integers(20, MAX_TOKENS + 1, count)
    return np.where(kind < SHORT, few, np.where(kind < SHORT + CUT, some, MAX_TOKENS))


def batches(
    pairs: Pairs,
    given: argparse.Namespace,
    kinds: list[str],
    chance: np.random.Generator,
) -> Iterator[NDArray[np.int64]]:
    """Yield the pairs of an epoch in batches, a share of which hold whole packages."""
    foreign = np.array(
        [kind.startswith(("translation_", "passage_")) for kind in kinds]
    )
    taken = chance.random(len(pairs)) < np.where(
        foreign[pairs.kind], given.translations, 1.0
    )
    rows = chance.permutation(np.flatnonzero(taken & ~pairs.is_held_out))
    part = int(len(rows) * given.grouped)
    order = chance.permutation(int(pairs.group.max()) + 1)
    together = rows[:part][np.argsort(order[pairs.group[rows[:part]]], kind="stable")]
    rows = np.concatenate([together, rows[part:]])
    count = len(rows) // given.batch
    for number in chance.permutation(count):
        yield rows[number * given.batch : (number + 1) * given.batch]


def contrast(
    query: Encoded, passage: Encoded, keys: NDArray[np.int64], scale: float
) -> tuple[float, Floats, Floats]:
    """Return the loss of telling own passages and queries from others, and gradients."""
    logits = (query.vectors @ passage.vectors.T) * np.float32(scale)
    same = (keys[:, None, 0] == keys[None, :, 0]) | (
        keys[:, None, 1] == keys[None, :, 1]
    )
    np.fill_diagonal(same, val=False)
    logits[same] = -1e4
    own = logits.diagonal()
    # Logits are at most `scale` in size, so nothing can overflow.
    raised = np.exp(logits - np.float32(scale))
    of_query, of_passage = raised.sum(1), raised.sum(0)
    loss = (
        np.log(of_query).mean() + np.log(of_passage).mean() + 2 * (scale - own.mean())
    )
    raised *= (1 / of_query)[:, None] + (1 / of_passage)[None, :]
    raised[np.diag_indices(len(own))] -= 2.0
    raised *= np.float32(scale / len(own))
    return float(loss), raised @ passage.vectors, raised.T @ query.vectors


class Adam:
    """Moves rows against their gradients.

    The rows of frequent tokens are short and move in short steps. The arrays are in memory that worker processes share. Workers do not wait for each
    other: a batch touches few of the rows, so they rarely meet.
    """

    def __init__(self, rows: Floats, lengths: Floats) -> None:
        self.rows = _shared(rows.shape)
        self.rows[:] = rows * lengths[:, None]
        self.stride = np.maximum(lengths, MIN_STRIDE)[:, None]
        self.mean, self.square = _shared(rows.shape), _shared(rows.shape)
        self.steps = _shared((len(rows),))

    def step(self, touched: NDArray[np.int64], gradient: Floats, rate: float) -> None:
        """Move the rows that a batch has touched."""
        self.steps[touched] += 1
        done = self.steps[touched][:, None]
        mean = MEAN_DECAY * self.mean[touched] + (1 - MEAN_DECAY) * gradient
        square = SQUARE_DECAY * self.square[touched] + (1 - SQUARE_DECAY) * gradient**2
        self.mean[touched], self.square[touched] = mean, square
        mean /= 1 - MEAN_DECAY**done
        square /= 1 - SQUARE_DECAY**done
        mean /= np.sqrt(square) + _EPSILON
        self.rows[touched] -= np.float32(rate) * self.stride[touched] * mean


def _shared(shape: tuple[int, ...]) -> Floats:
    memory = RawArray("f", int(np.prod(shape)))
    return np.frombuffer(memory, dtype=np.float32).reshape(shape)


def learn_from(
    pairs: Pairs, batch: NDArray[np.int64], adam: Adam, rate: float, given: argparse.Namespace,
    chance: np.random.Generator,
) -> float:  # fmt: skip
    """Learn from one batch; return its loss."""
    whole = np.full(len(batch), MAX_TOKENS)
    query = encode(adam.rows, drop(pairs.bags(batch, 0, whole), DROP_QUERY, chance))
    cut = lengths(len(batch), chance)
    passage = encode(adam.rows, drop(pairs.bags(batch, 1, cut), DROP_PASSAGE, chance))
    loss, for_query, for_passage = contrast(
        query, passage, pairs.keys[batch], given.scale
    )
    touched = np.unique(np.concatenate([query.matrix.indices, passage.matrix.indices]))
    place = np.zeros(len(adam.rows), dtype=np.int32)
    place[touched] = np.arange(len(touched), dtype=np.int32)
    gradient = np.zeros((len(touched), adam.rows.shape[1]), dtype=np.float32)
    for side, above in ((query, for_query), (passage, for_passage)):
        bags = Bags(place[side.matrix.indices], side.matrix.data, side.matrix.indptr)
        gradient += bags.matrix(len(touched)).T @ side.gradient(above)
    adam.step(touched, gradient, rate)
    return loss


def first_lengths(pairs: Pairs, size: int) -> Floats:
    """Return how much tokens count before training: frequent ones less."""
    share = np.bincount(pairs.ids, minlength=size) / len(pairs.ids)
    return (USUAL_SHARE / (USUAL_SHARE + share)).astype(np.float32)


class Training:
    """One run: the rows, and how far it is."""

    def __init__(
        self, given: argparse.Namespace, pairs: Pairs, kinds: list[str], size: int
    ) -> None:
        self.given, self.pairs, self.kinds = given, pairs, kinds
        self.chance = np.random.default_rng(given.seed)
        rows = self.chance.standard_normal((size, given.width), dtype=np.float32) * 0.1
        self.adam = Adam(rows, first_lengths(pairs, size))

    def run(self) -> dict[str, float]:
        """Train for all epochs; return the figures of the last."""
        found: dict[str, float] = {}
        started = time.monotonic()
        for epoch in range(self.given.epochs):
            work = list(batches(self.pairs, self.given, self.kinds, self.chance))
            shares = range(self.given.workers)
            workers = [
                Process(target=self._work, args=(epoch, work, n)) for n in shares
            ]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
            found = validate(self.adam.rows, self.pairs, self.kinds)
            figures = summarize(found)
            shown = " ".join(f"{part} {figure:.4f}" for part, figure in figures.items())
            seconds = time.monotonic() - started
            print(f"epoch {epoch + 1}: {shown}, {seconds:.0f} s", flush=True)
        return found

    def _work(self, epoch: int, work: list[NDArray[np.int64]], share: int) -> None:
        """Learn from every n-th batch of an epoch."""
        chance = np.random.default_rng((self.given.seed, epoch, share))
        steps = self.given.epochs * len(work)
        losses = []
        for number in range(share, len(work), self.given.workers):
            done = epoch * len(work) + number
            rate = (
                self.given.rate
                * min(1.0, (done + 1) / WARM_UP)
                * max(0.02, 1 - done / steps)
            )
            batch = work[number]
            losses.append(
                learn_from(self.pairs, batch, self.adam, rate, self.given, chance)
            )
            if len(losses) % 20 == 0 and share == 0:
                print(f"{done}/{steps} loss {np.mean(losses[-20:]):.3f}", flush=True)


def main() -> None:
    """Train, validate and write the rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("encoded", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch", type=int, default=2_048)
    parser.add_argument("--rate", type=float, default=0.03)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument(
        "--scale", type=float, default=30.0, help="of cosines in the loss"
    )
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument(
        "--grouped", type=float, default=0.5, help="share of batches by package"
    )
    parser.add_argument(
        "--translations", type=float, default=0.5, help="share per epoch"
    )
    parser.add_argument(
        "--workers", type=int, default=1, help="with one, runs repeat exactly"
    )
    given = parser.parse_args()
    pairs = Pairs(given.encoded / "pairs.npz")
    kinds = json.loads((given.encoded / "names.json").read_text())["kinds"]
    size = len(
        json.loads((given.encoded / "vocabulary.json").read_text())["model"]["vocab"]
    )
    print(f"{len(pairs):,} pairs, {size:,} tokens, {vars(given)}", flush=True)
    training = Training(given, pairs, kinds, size)
    figures = training.run()
    given.out.mkdir(parents=True, exist_ok=True)
    np.save(given.out / "rows.npy", training.adam.rows.astype(np.float16))
    record = {"settings": {k: str(v) for k, v in vars(given).items()}, "mrr": figures}
    (given.out / "figures.json").write_text(
        json.dumps(record | summarize(figures), indent=1)
    )
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
