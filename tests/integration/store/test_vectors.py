"""Vectors in the store: all compared while there are few, by sketches if there are many."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from integration.store.samples import chunk, document, vector
from integration.store.searches import search_vectors, search_words
from outcrop.errors import InputError, StorageError
from outcrop.model.embedder_identity import EmbedderIdentity
from outcrop.model.filter import Filter
from outcrop.store import vectors
from outcrop.store.store import PostgresStore

if TYPE_CHECKING:
    from collections.abc import Callable

    from outcrop.model.stored import StoredChunk
    from outcrop.store.database import Database

_NUMBER = 120


def _fill(store: PostgresStore, number: int = _NUMBER) -> list[StoredChunk]:
    """Store chunks of several documents, kinds, sources and levels."""
    given = [
        chunk(
            f"text {n}",
            f"docs{n % 4}/{n % 8}.md",
            n,
            kind=("section", "snippet", "summary")[n % 3],
            source="code" if n % 5 == 0 else "doc",
            level=n % 6,
        )
        for n in range(number)
    ]
    paths = {each.path for each in given}
    store.replace_documents(
        [(document(path), [c for c in given if c.path == path]) for path in paths]
    )
    return given


def _nearest(
    query: str, among: list[StoredChunk], limit: int = 10
) -> list[tuple[str, float]]:
    scored = [(each.id, float(vector(query) @ vector(each.content))) for each in among]
    return sorted(scored, key=lambda item: -item[1])[:limit]


def _check(
    store: PostgresStore, given: list[StoredChunk], restriction: Filter | None = None
) -> None:
    for query in ("one", "two", "three"):
        found = search_vectors(store, vector(query), restriction=restriction)
        expected = _nearest(query, given)
        assert [m.score for m in found] == pytest.approx(
            [s for _, s in expected], abs=1e-5
        )
        assert [m.id for m in found] == [chunk_id for chunk_id, _ in expected]


_FILTERS: list[tuple[Filter, Callable[[StoredChunk], bool]]] = [
    (Filter(path_globs=["docs1/*.md"]), lambda c: c.path.startswith("docs1/")),
    (
        Filter(path_globs=["docs1/**", "7.md"]),
        lambda c: c.path.startswith("docs1/") or c.path.endswith("/7.md"),
    ),
    (Filter(documents=["docs2/6.md"]), lambda c: c.path == "docs2/6.md"),
    (Filter(kinds=["snippet"]), lambda c: c.kind == "snippet"),
    (Filter(sources=["code"]), lambda c: c.source == "code"),
    (
        Filter(kinds=["snippet"], sources=["code"]),
        lambda c: c.kind == "snippet" or c.source == "code",
    ),
    (Filter(min_level=2, max_level=3), lambda c: 2 <= c.level <= 3),
    (Filter(max_level=0), lambda c: c.level == 0),
    (
        Filter(path_globs=["docs0/*"], kinds=["section"], min_level=1),
        lambda c: c.path.startswith("docs0/") and c.kind == "section" and c.level >= 1,
    ),
    (Filter(documents=["unknown.md"]), lambda _: False),
]


def test_nearest_chunks_are_found_exactly(store: PostgresStore) -> None:
    _check(store, _fill(store))


@pytest.fixture
def few_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let searches use sketches where otherwise all vectors are compared."""
    monkeypatch.setattr(vectors, "_MAX_COMPARED", 5)
    monkeypatch.setattr(vectors, "_MIN_COMPARED", 30)
    monkeypatch.setattr(vectors, "_COMPARED_PER_MATCH", 3)
    monkeypatch.setattr(vectors, "_COMPARED_WITH_FILTER", 1)


def test_filters_act_before_the_limit(store: PostgresStore) -> None:
    given = _fill(store)
    for restriction, passes in _FILTERS:
        _check(store, [each for each in given if passes(each)], restriction)


@pytest.mark.usefixtures("few_compared")
def test_filters_act_before_the_limit_of_sketches(store: PostgresStore) -> None:
    """A search that finds too few among the nearest sketches compares all vectors."""
    given = _fill(store)
    for restriction, passes in _FILTERS:
        passing = {each.id for each in given if passes(each)}
        found = search_vectors(store, vector("one"), restriction=restriction)
        assert {match.id for match in found} <= passing
        assert len(found) == min(10, len(passing))


@pytest.mark.parametrize("number", range(len(_FILTERS)))
def test_filters_of_words_and_of_vectors_agree(
    store: PostgresStore, number: int
) -> None:
    given = _fill(store)
    restriction, passes = _FILTERS[number]
    found = search_words(store, "text", limit=1000, restriction=restriction)
    assert {m.id for m in found} == {each.id for each in given if passes(each)}


@pytest.mark.usefixtures("few_compared")
@pytest.mark.parametrize("dimension", [1, 2, 3, 64, 300, 1500, 4001])
def test_vectors_of_any_length_are_searched(database: Database, dimension: int) -> None:
    store = PostgresStore(database)
    store.use_embedder(EmbedderIdentity(name="any", dimension=dimension))
    made = np.random.default_rng(1).standard_normal((60, dimension)).astype(np.float32)
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    given = [chunk(f"t{n}", index=n, emb=row) for n, row in enumerate(made)]
    store.replace_documents([(document(), given)])
    for number in (0, 7, 29):
        found = search_vectors(store, made[number], limit=3)
        assert found[0].score == pytest.approx(1, abs=1e-5)


def test_limits_are_kept(store: PostgresStore) -> None:
    _fill(store)
    assert search_vectors(store, vector("one"), limit=0) == []
    assert len(search_vectors(store, vector("one"), limit=3)) == 3
    assert len(search_vectors(store, vector("one"), limit=1000)) == _NUMBER


def test_vector_of_another_length_is_refused(store: PostgresStore) -> None:
    _fill(store, 3)
    with pytest.raises(StorageError, match="different vector dimensions 4 and 5"):
        search_vectors(store, np.ones(5, np.float32))
    with pytest.raises(InputError, match="0 dimensions"):
        store.change_embedder(EmbedderIdentity(name="none", dimension=0))


def test_empty_store_finds_nothing(store: PostgresStore) -> None:
    assert search_vectors(store, vector("one")) == []
    assert search_vectors(store, vector("one"), restriction=Filter(kinds=["x"])) == []


def test_glob_is_data_and_not_a_pattern_of_the_database(store: PostgresStore) -> None:
    _fill(store, 20)
    for glob in ("'; DROP TABLE chunks; --", "(", ")*", "\\", "[a", "%", "***:x"):
        assert (
            search_vectors(store, vector("one"), restriction=Filter(path_globs=[glob]))
            == []
        )
    assert store.status().chunks == 20
