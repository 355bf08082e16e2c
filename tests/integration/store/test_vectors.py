"""Vectors in the store: exact while there are few, by an index when there are many."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from integration.store.samples import chunk, document, vector
from integration.store.searches import search_vectors, search_words
from outcrop.errors import InputError, StorageError
from outcrop.model.candidate import VectorQuery
from outcrop.model.embedder_identity import EmbedderIdentity
from outcrop.model.filter import Filter
from outcrop.store import vector_index, vectors
from outcrop.store.filters import resolve
from outcrop.store.search_source import PostgresSource
from outcrop.store.store import PostgresStore
from outcrop.store.vectors import VectorSearch

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


@pytest.mark.parametrize("indexed", [False, True], ids=["exact", "indexed"])
def test_filters_act_before_the_limit(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch, *, indexed: bool
) -> None:
    given = _fill(store)
    if indexed:
        monkeypatch.setattr(vectors, "INDEX_FROM_ROWS", 10)
        store.maintain()
        assert store.status().vector_indexed
    for restriction, passes in _FILTERS:
        _check(store, [each for each in given if passes(each)], restriction)


@pytest.mark.parametrize("number", range(len(_FILTERS)))
def test_filters_of_words_and_of_vectors_agree(
    store: PostgresStore, number: int
) -> None:
    given = _fill(store)
    restriction, passes = _FILTERS[number]
    found = search_words(store, "text", limit=1000, restriction=restriction)
    assert {m.id for m in found} == {each.id for each in given if passes(each)}


def test_index_is_built_when_there_are_enough_vectors(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = _fill(store)
    store.maintain()
    assert not store.status().vector_indexed
    monkeypatch.setattr(vectors, "INDEX_FROM_ROWS", _NUMBER)
    store.maintain()
    assert store.status().vector_indexed
    _check(store, given)
    with store._database.read() as connection:
        connection.execute("SET LOCAL enable_seqscan = off")
        query = vectors._NEAREST.format(condition="true", dimension=4, limit=10)
        parameters = {"vector": "[1,2,3,4]"}
        plan = connection.execute(f"EXPLAIN {query}", parameters).fetchall()
    assert any("chunks_emb" in line for (line,) in plan)
    # It follows what is written later.
    more = chunk("one", "more.md")
    store.replace_documents([(document("more.md"), [more])])
    assert search_vectors(store, vector("one"))[0].id == more.id
    store.delete_documents(["more.md"])
    _check(store, given)


@pytest.mark.parametrize(
    ("large_from", "density"),
    [
        (_NUMBER + 1, "m='12', ef_construction='40'"),
        (_NUMBER, "m='16', ef_construction='64'"),
    ],
)
def test_a_small_index_is_built_with_half_the_work(
    store: PostgresStore,
    monkeypatch: pytest.MonkeyPatch,
    large_from: int,
    density: str,
) -> None:
    given = _fill(store)
    monkeypatch.setattr(vectors, "INDEX_FROM_ROWS", _NUMBER)
    monkeypatch.setattr(vector_index, "_LARGE_FROM_CHUNKS", large_from)
    store.maintain()
    with store._database.read() as connection:
        query = "SELECT indexdef FROM pg_indexes WHERE indexname = 'chunks_emb'"
        (definition,) = connection.execute(query).fetchone() or ("",)
    assert f"WITH ({density})" in definition
    _check(store, given)


def test_index_is_built_without_shared_memory(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asked for a terabyte of it, every machine says what a small container says."""
    given = _fill(store)
    with store._database.write() as connection:
        connection.execute("ALTER TABLE chunks SET (parallel_workers = 2)")
    monkeypatch.setattr(vectors, "INDEX_FROM_ROWS", _NUMBER)
    monkeypatch.setattr(vector_index, "_MIN_MEMORY_MB", 1_000_000)
    monkeypatch.setattr(vector_index, "_MAX_MEMORY_MB", 1_000_000)
    store.maintain()
    assert store.status().vector_indexed
    _check(store, given)


def test_index_survives_a_new_embedder(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "INDEX_FROM_ROWS", 10)
    _fill(store)
    store.maintain()
    store.change_embedder(EmbedderIdentity(name="other", dimension=4))
    assert not store.status().vector_indexed
    assert search_vectors(store, vector("one")) == []


@pytest.mark.parametrize(
    ("dimension", "indexed"),
    [(1500, True), (4000, True), (4001, False)],
)
def test_long_vectors_are_searched(
    database: Database,
    monkeypatch: pytest.MonkeyPatch,
    dimension: int,
    *,
    indexed: bool,
) -> None:
    monkeypatch.setattr(vectors, "INDEX_FROM_ROWS", 10)
    store = PostgresStore(database)
    store.use_embedder(EmbedderIdentity(name="long", dimension=dimension))
    made = np.random.default_rng(1).standard_normal((30, dimension)).astype(np.float32)
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    given = [chunk(f"t{n}", index=n, emb=row) for n, row in enumerate(made)]
    store.replace_documents([(document(), given)])
    store.maintain()
    assert store.status().vector_indexed == indexed
    for number in (0, 7, 29):
        found = search_vectors(store, made[number], limit=3)
        assert found[0].id == given[number].id
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


def _effort(store: PostgresStore, rows: int, min_effort: int = 10) -> int:
    """Return the effort that a search uses in an index of some size."""
    with store._database.write() as connection:
        connection.execute(
            "UPDATE pg_class SET reltuples = %s WHERE oid = 'chunks'::regclass", (rows,)
        )
        source = PostgresSource(connection)
        query = VectorQuery(vector("one"), 5, min_effort)
        resolved = resolve(connection, Filter())
        VectorSearch(query, resolved, source._vector_index).configure(connection)
        row = connection.execute("SELECT current_setting('hnsw.ef_search')").fetchone()
        connection.rollback()
    return int(row[0]) if row else 0


def test_effort_grows_with_the_index(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "INDEX_FROM_ROWS", 50)
    _fill(store)
    store.maintain()
    assert _effort(store, -1) == 10  # never analysed
    assert _effort(store, 30_000) == 150
    assert _effort(store, 30_000, min_effort=200) == 200
    assert 400 <= _effort(store, 1_000_000) < 500
    assert _effort(store, 10**12) == 1_000


@pytest.mark.parametrize(
    ("chunks", "free", "memory"),
    [
        (1_000, 100_000, 64),
        (100_000, 0, 123),
        (2_000_000, 0, 640),
        (2_000_000, 2_000, 640),
        (2_000_000, 4_000, 1_000),
        (2_000_000, 100_000, 2_464),
    ],
)
def test_the_build_takes_memory_that_is_free(
    chunks: int, free: int, memory: int
) -> None:
    assert vector_index._memory_mb(chunks, 256, free) == memory
