"""Searches of a store by words alone and by vectors alone, as search makes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outcrop.store.search_source import open_source
from outcrop.text.analysis import count_terms

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from outcrop.model.candidate import Match
    from outcrop.store.store import PostgresStore


def search_words(
    store: PostgresStore,
    query: str | Mapping[str, int],
    limit: int = 10,
    **options: Any,
) -> list[Match]:
    """Return the best chunks by BM25 for a text, or for terms with their counts."""
    terms = count_terms(query) if isinstance(query, str) else query
    with open_source(store._database) as source:
        return source.lexical_matches(terms, limit=limit, **options)


def search_vectors(
    store: PostgresStore,
    embedding: NDArray[np.float32],
    limit: int = 10,
    **options: Any,
) -> list[Match]:
    """Return the chunks whose embedding is nearest, by cosine."""
    with open_source(store._database) as source:
        return source.vector_matches(embedding, limit=limit, **options)
