"""Vectors of the names of files and definitions, kept from one search to the next.

Every hybrid search compares the question with the names of its candidates, and most of
them are those of an earlier search.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from outcrop.providers.embedder import Embedder

# Names per embedder: 10 MB of vectors with 256 dimensions.
_MAX_NAMES = 10_000
_MAX_EMBEDDERS = 4


class NameVectors:
    """Embeds names, each of them once.

    Vectors must not depend on what is embedded with them. Safe to use from several
    threads.
    """

    def __init__(self, embedder: Embedder) -> None:
        """Embed with an embedder of this machine."""
        self._embedder = embedder
        self._lock = Lock()
        self._known = _Known({}, np.empty((_MAX_NAMES, embedder.dimension), np.float32))

    def __call__(self, names: Sequence[str]) -> NDArray[np.float32]:
        """Return one row per name."""
        places, vectors = self._known
        try:
            return vectors[[places[name] for name in names]]
        except KeyError:
            pass
        if len(set(names)) > _MAX_NAMES:
            return self._embedder.embed(names)
        with self._lock:
            places, vectors = self._add(names)
            return vectors[[places[name] for name in names]]

    def _add(self, names: Sequence[str]) -> _Known:
        """Embed the names that are not known, and return what is known then."""
        places, vectors = self._known
        missing = [name for name in dict.fromkeys(names) if name not in places]
        if len(places) + len(missing) > _MAX_NAMES:
            # Others may be reading the rows of these.
            places, vectors = self._known = _Known({}, np.empty_like(vectors))
            missing = list(dict.fromkeys(names))
        start = len(places)
        if missing:
            vectors[start : start + len(missing)] = self._embedder.embed(missing)
            places |= {name: at for at, name in enumerate(missing, start)}
        return self._known


class _Known(NamedTuple):
    """Vectors that were made: a row each, of which the last ones are not used yet."""

    places: dict[str, int]
    vectors: NDArray[np.float32]


_by_embedder: dict[int, NameVectors] = {}


def name_vectors(embedder: Embedder) -> NameVectors:
    """Return the vectors of names of an embedder."""
    # By its id, as an embedder of the user's own may not be hashable. An embedder that
    # is kept here does not give its id to another one.
    vectors = _by_embedder.get(id(embedder))
    if vectors is None:
        if len(_by_embedder) >= _MAX_EMBEDDERS:
            _by_embedder.clear()
        vectors = _by_embedder[id(embedder)] = NameVectors(embedder)
    return vectors
