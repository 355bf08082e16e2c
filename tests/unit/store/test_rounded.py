"""Rounded vectors exclude chunks, and never one of the nearest."""

from __future__ import annotations

import numpy as np
import pytest

from outcrop.store.sketches.rounded import RoundedVectors, Rounding


def _rounded(vectors: np.ndarray) -> RoundedVectors:
    rounding = Rounding(*vectors.shape)
    rounding.add(np.arange(len(vectors), dtype=np.uint64), vectors)
    return rounding.result()


def _hex(numbers: list[int]) -> list[str]:
    return [f"{number:016x}" for number in numbers]


def _cosines(vectors: np.ndarray, vector: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(vector)
    return (vectors @ vector) / lengths


@pytest.mark.parametrize("dimension", [2, 100, 256])
@pytest.mark.parametrize("spread", [0.01, 0.3, 3.0])
def test_the_nearest_are_always_kept(dimension: int, spread: float) -> None:
    random = np.random.default_rng(dimension)
    middle = random.standard_normal(dimension)
    vectors = middle + spread * random.standard_normal((500, dimension))
    vectors = (vectors * random.uniform(0.1, 9, (500, 1))).astype(np.float32)
    rounded = _rounded(vectors)
    for _ in range(20):
        query = (middle + random.standard_normal(dimension)).astype(np.float32)
        near = random.permutation(500)[:200]
        kept = rounded.narrow(_hex(near.tolist()), query, 40)
        assert list(kept) == [each for each in _hex(near.tolist()) if each in kept]
        cosines = _cosines(vectors[near], query)
        nearest = near[np.argsort(-cosines)[:40]]
        assert {*_hex(nearest.tolist())} <= {*kept}


def test_most_of_the_others_are_excluded() -> None:
    random = np.random.default_rng(1)
    vectors = random.standard_normal((1000, 256)).astype(np.float32)
    query = random.standard_normal(256).astype(np.float32)
    near = np.argsort(-_cosines(vectors, query))[:200]
    assert len(_rounded(vectors).narrow(_hex(near.tolist()), query, 40)) < 80


def test_what_is_not_known_is_not_excluded() -> None:
    vectors = np.eye(50, dtype=np.float32)
    rounded = _rounded(vectors)
    near = _hex([*range(49), 77])
    assert rounded.narrow(near, vectors[0], 5) == near
    near = _hex([*range(50)])
    assert rounded.narrow(near, np.zeros(50, np.float32), 5) == near
    assert rounded.narrow(near[:5], vectors[0], 5) == near[:5]
    assert _rounded(vectors[:0]).narrow(near, vectors[0], 5) == near


def test_vectors_of_zeros_are_never_excluded() -> None:
    vectors = np.eye(50, dtype=np.float32)
    vectors[9] = 0
    kept = _rounded(vectors).narrow(_hex([*range(50)]), vectors[0], 1)
    assert list(kept) == _hex([0, 9])
