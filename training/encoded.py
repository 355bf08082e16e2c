"""Pairs as token ids: each text once, and which texts belong together."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


class Pairs:
    """All pairs, read from the files that `training.encode` writes.

    Attributes:
        ids: The distinct tokens of all texts, end to end.
        counts: How often each is said in its text.
        length: Number of distinct tokens by text.
        start: Where each text starts in `ids`.
        texts: The texts of each pair: the query's and the passage's number.
        kind: The kind of each pair.
        group: The package and the language of each pair.
        is_held_out: Whether each pair is for validation only.
    """

    def __init__(self, file: Path) -> None:
        data = np.load(file)
        self.ids: NDArray[np.uint16] = data["ids"]
        self.counts: NDArray[np.uint8] = data["counts"]
        self.length = data["lengths"].astype(np.int64)
        self.start = np.cumsum(self.length) - self.length
        self.texts: NDArray[np.int64] = data["texts"].astype(np.int64)
        labels = data["labels"]
        self.kind, self.group = labels[:, 0], labels[:, 1]
        self.is_held_out = labels[:, 2] > 0

    def __len__(self) -> int:
        return len(self.kind)

    @cached_property
    def validated(self) -> NDArray[np.int64]:
        """Pairs held out, less the messages that other programs share."""
        held = np.flatnonzero(self.is_held_out)
        known = np.zeros(len(self.length), dtype=bool)
        known[self.texts[~self.is_held_out]] = True
        return held[~known[self.texts[held]].any(axis=1)]


def batches(
    pairs: Pairs,
    share: NDArray[np.float64],
    size: int,
    grouped: float,
    chance: np.random.Generator,
) -> NDArray[np.int64]:
    """Return the pairs of an epoch in batches, in random order.

    Args:
        pairs: All pairs; those held out are not in a batch.
        share: How often a pair of each kind is drawn, on average.
        size: Pairs per batch.
        grouped: Share of the pairs whose batches hold whole packages.
        chance: The source of randomness.

    Raises:
        ValueError: There are fewer pairs than a batch has.
    """
    times = np.floor(share[pairs.kind] + chance.random(len(pairs))).astype(np.int64)
    times[pairs.is_held_out] = 0
    rows = chance.permutation(np.repeat(np.arange(len(pairs)), times))
    part = int(len(rows) * grouped)
    order = chance.permutation(int(pairs.group.max()) + 1)
    together = rows[:part][np.argsort(order[pairs.group[rows[:part]]], kind="stable")]
    rows = np.concatenate([together, rows[part:]])
    count = len(rows) // size
    if not count:
        raise ValueError(
            f"an epoch has {len(rows)} pairs, fewer than a batch of {size}; pass --batch"
        )
    return chance.permutation(rows[: count * size].reshape(count, size))
