"""Which terms of two languages mean the same, learned from sentences and translations.

IBM model 1: every term of a translation comes from one term of the original, or from none
of them. Learned in both directions, because what a frequent term seems to mean in one of
them is mostly chance: the strength of two terms is the geometric mean of both
probabilities.
"""

from __future__ import annotations

from collections import Counter
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    Terms = Sequence[str]

ROUNDS = 5
MIN_MESSAGES = 2  # that a term has to be in
MIN_COUNT = 1.0  # how often the one has to come from the other, as the model believes


class Association(NamedTuple):
    """Two terms that mean the same, and how surely, from 0 to 1."""

    source: str
    target: str
    strength: float


class _Model(NamedTuple):
    """Pairs of terms as numbers, with the probability and the count of each."""

    sources: NDArray[np.int64]
    targets: NDArray[np.int64]
    shares: NDArray[np.float64]
    counts: NDArray[np.float64]


def associate(pairs: Sequence[tuple[Terms, Terms]]) -> Iterator[Association]:
    """Yield the terms that mean the same, of pairs that each hold a term once."""
    sources = _numbered(source for source, _ in pairs)
    targets = _numbered(target for _, target in pairs)
    numbers = [
        (
            [sources[term] for term in source if term in sources],
            [targets[term] for term in target if term in targets],
        )
        for source, target in pairs
    ]
    known = [pair for pair in numbers if all(pair)]
    if not known:
        return
    forward = _learn(known)
    backward = _learn([(target, source) for source, target in known])
    places = zip(backward.targets.tolist(), backward.sources.tolist(), strict=True)
    shares = dict(zip(places, backward.shares.tolist(), strict=True))
    source_terms, target_terms = ["", *sources], ["", *targets]
    for one, other, share, count in zip(*map(np.ndarray.tolist, forward), strict=True):
        back = shares.get((one, other), 0.0)
        if one and back and count >= MIN_COUNT:
            strength = sqrt(share * back)
            yield Association(source_terms[one], target_terms[other], strength)


def _numbered(texts: Iterable[Terms]) -> dict[str, int]:
    """Return a number for each term that is frequent enough; 0 is none of them."""
    counts = Counter(term for text in texts for term in text)
    frequent = sorted(term for term, count in counts.items() if count >= MIN_MESSAGES)
    return {term: number for number, term in enumerate(frequent, 1)}


def _learn(pairs: Sequence[tuple[list[int], list[int]]]) -> _Model:
    """Return how likely each target comes from each source that it occurs with."""
    # A cell for each source that a target of a pair may come from; each target is a slot.
    widths = np.array([len(source) + 1 for source, target in pairs for _ in target])
    slots = np.repeat(np.arange(len(widths)), widths)
    cells = [np.tile([0, *source], len(target)) for source, target in pairs]
    sources = np.concatenate(cells).astype(np.int64)
    flat = np.concatenate([np.array(target, np.int64) for _, target in pairs])
    base = int(flat.max()) + 1
    keys, at = np.unique(sources * base + flat[slots], return_inverse=True)
    of_source = keys // base
    shares = counts = np.ones(len(keys))
    for _ in range(ROUNDS):
        likely = shares[at]
        likely /= np.bincount(slots, likely)[slots]
        counts = np.bincount(at, likely, len(keys))
        shares = counts / np.bincount(of_source, counts)[of_source]
    return _Model(of_source, keys % base, shares, counts)
