"""A query is checked and searched for in one view of the index."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from outcrop.store.database import Database

TEXT = "# Guide\n\n## Memory\n\nLimit the memory of a container by its owner.\n"


class WatchingReranker:
    """Notes which connections are lent while it works."""

    name = "watching"

    def __init__(self, lent):
        self.lent = lent
        self.seen = []

    def score(self, question, texts):
        self.seen.append(len(self.lent))
        return [0.0] * len(texts)


@pytest.fixture
def filled(index, project):
    (project / "guide.md").write_text(TEXT)
    index.index("guide.md")
    return index


@pytest.fixture
def lent(monkeypatch):
    """Return the views that are open now, and count all in the attribute `total`."""

    class Lent(list):
        total = 0

    open_views = Lent()
    view = Database.view

    @contextmanager
    def noted(*arguments):
        with view(*arguments) as connection:
            open_views.append(connection)
            open_views.total += 1
            try:
                yield connection
            finally:
                open_views.remove(connection)

    monkeypatch.setattr(Database, "view", noted)
    return open_views


@pytest.mark.parametrize("query", ["limit the memory", "limt the memmory of owners"])
@pytest.mark.parametrize("mode", ["hybrid", "text", "vector"])
def test_one_view_gives_the_same_answer_as_two(filled, lent, query, mode):
    spelling = filled.check_spelling(query)
    hits = filled.search(spelling.query, mode=mode)
    assert lent.total == 2
    with filled.one_view() as view:
        assert view.check_spelling(query) == spelling
        assert view.search(spelling.query, mode=mode) == hits
    assert lent.total == 3
    assert hits
    assert not lent


def test_no_connection_is_held_while_hits_are_reranked(filled, lent):
    reranker = WatchingReranker(lent)
    with filled.one_view() as view:
        view.check_spelling("limit the memory")
        view.search("limit the memory", rerank=reranker)
    with filled.one_view() as view:
        view.search("limit the memory", rerank=reranker)
    assert reranker.seen == [0, 0]


def test_no_connection_is_held_while_a_remote_embedder_works(filled, lent):
    local = filled.embedder
    seen = []

    class Remote:
        name, dimension = local.name, local.dimension

        def embed(self, texts):
            seen.append(len(lent))
            return local.embed(texts)

    filled.embedder = Remote()
    with filled.one_view() as view:
        view.check_spelling("limit the memory")
        assert view.search("limit the memory")
    assert seen == [0]


def test_a_view_is_given_back_if_nothing_is_searched(filled, lent):
    with filled.one_view() as view:
        view.check_spelling("limit the memory")
        assert len(lent) == 1
    assert not lent
