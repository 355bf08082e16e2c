"""Vectors of names that are kept from one search to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from outcrop.search import names as module
from outcrop.search.names import NameVectors

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest
    from numpy.typing import NDArray


class Embedder:
    """Embeds a name by its length, and notes which names it was asked for."""

    name = "length"
    dimension = 2

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row per text."""
        self.asked += texts
        return np.array([[len(text), 1] for text in texts], np.float32)


def _lengths(vectors: NameVectors, *names: str) -> list[float]:
    return vectors(names)[:, 0].tolist()


def test_each_name_is_embedded_once() -> None:
    embedder = Embedder()
    vectors = NameVectors(embedder)
    assert _lengths(vectors, "one", "three", "one") == [3, 5, 3]
    assert _lengths(vectors, "three", "seven") == [5, 5]
    assert embedder.asked == ["one", "three", "seven"]


def test_what_is_kept_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MAX_NAMES", 3)
    embedder = Embedder()
    vectors = NameVectors(embedder)
    assert _lengths(vectors, "a", "bb") == [1, 2]
    assert _lengths(vectors, "bb", "ccc", "dddd") == [2, 3, 4]
    assert _lengths(vectors, "a", "bb", "ccc", "dddd") == [1, 2, 3, 4]
    assert _lengths(vectors, "ccc") == [3]


def test_rows_stay_what_they_were_when_room_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_MAX_NAMES", 2)
    vectors = NameVectors(Embedder())
    before = vectors(["a", "bb"])
    assert _lengths(vectors, "ccc") == [3]
    assert before[:, 0].tolist() == [1, 2]
