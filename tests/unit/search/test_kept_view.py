"""Two readers of an index share a view."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager

import pytest

from outcrop.search.source import KeptView


class Views:
    """Counts the views that are opened and closed."""

    def __init__(self):
        self.opened = []
        self.closed = 0

    @contextmanager
    def __call__(self, *, terms=()):
        self.opened.append(terms)
        try:
            yield f"view {len(self.opened)}"
        finally:
            self.closed += 1


@pytest.fixture
def views():
    return Views()


def test_the_second_reader_takes_the_view_of_the_first_and_closes_it(views):
    with ExitStack() as stack:
        view = KeptView(views, stack)
        with view.keep(terms=["word"]) as first:
            assert first == "view 1"
        assert views.closed == 0
        with view.take(terms=["word", "other"]) as second:
            assert second == first
        assert views.closed == 1
    assert views.opened == [["word"]]
    assert views.closed == 1


def test_a_view_that_is_taken_without_one_kept_is_closed_at_its_end(views):
    with ExitStack() as stack:
        view = KeptView(views, stack)
        for number in (1, 2):
            with view.take(terms=["word"]) as found:
                assert found == f"view {number}"
            assert views.closed == number
    assert views.opened == [["word"], ["word"]]


def test_a_view_that_nobody_takes_is_closed_in_the_end(views):
    with ExitStack() as stack:
        with KeptView(views, stack).keep():
            pass
        assert views.closed == 0
    assert views.closed == 1


def test_a_view_is_closed_when_its_reader_fails(views):
    def fail(view):
        with view.keep():
            pass
        with view.take():
            raise ValueError("x")

    with ExitStack() as stack:
        with pytest.raises(ValueError, match="x"):
            fail(KeptView(views, stack))
        assert views.closed == 1
