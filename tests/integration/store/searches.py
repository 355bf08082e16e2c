"""Searches of a store by words alone and by vectors alone, as search makes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outcrop.model.candidate import LexicalQuery, NameQuery, VectorQuery
from outcrop.store.search_source import open_source
from outcrop.text.analysis import count_terms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from outcrop.model.candidate import Match
    from outcrop.model.filter import Filter
    from outcrop.search.source import CandidateSource
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
        return lexical_matches(source, terms, limit=limit, **options)


def search_vectors(
    store: PostgresStore,
    embedding: NDArray[np.float32],
    limit: int = 10,
    **options: Any,
) -> list[Match]:
    """Return the chunks whose embedding is nearest, by cosine."""
    with open_source(store._database) as source:
        return vector_matches(source, embedding, limit=limit, **options)


def lexical_matches(
    source: CandidateSource,
    terms: Mapping[str, int],
    *,
    limit: int,
    restriction: Filter | None = None,
    **options: Any,
) -> list[Match]:
    """Search a source by words alone."""
    query = LexicalQuery(terms, limit, **options)
    return [*source.matches(lexical=[query], restriction=restriction).lexical[0]]


def vector_matches(
    source: CandidateSource,
    embedding: NDArray[np.float32],
    *,
    limit: int,
    restriction: Filter | None = None,
) -> list[Match]:
    """Search a source by a vector alone."""
    query = VectorQuery(embedding, limit)
    return [*source.matches(vector=query, restriction=restriction).nearest]


def definitions(
    source: CandidateSource,
    names: Sequence[str],
    *,
    limit: int,
    restriction: Filter | None = None,
) -> list[str]:
    """Search a source by names alone."""
    query = NameQuery(names, limit)
    return [*source.matches(names=query, restriction=restriction).definitions]
