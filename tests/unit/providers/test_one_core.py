"""Computing on one core with NumPy."""

from threading import Barrier, Thread

import pytest

from outcrop.providers import one_core
from outcrop.providers.one_core import on_one_core

pytest.importorskip("numpy")


@pytest.fixture
def threads():
    found = one_core._find_threads()
    if found is None:
        pytest.skip("NumPy has no OpenBLAS that can be reached")
    before = found.get()
    found.set(2)
    yield found
    found.set(before)


def test_matrices_are_multiplied_on_one_core_inside_and_as_before_after(threads):
    with on_one_core():
        assert threads.get() == 1
        with on_one_core():
            assert threads.get() == 1
        assert threads.get() == 1
    assert threads.get() == 2


def test_an_error_inside_does_not_keep_it(threads):
    with pytest.raises(ValueError, match="inside"), on_one_core():
        raise ValueError("inside")
    assert threads.get() == 2


def test_the_last_of_several_threads_restores_the_number(threads):
    entered, left = Barrier(2), Barrier(2)

    def stay():
        with on_one_core():
            entered.wait(10)
            left.wait(10)

    thread = Thread(target=stay)
    thread.start()
    with on_one_core():
        entered.wait(10)
    assert threads.get() == 1
    left.wait(10)
    thread.join(10)
    assert threads.get() == 2


def test_nothing_changes_where_the_library_cannot_be_reached(monkeypatch, threads):
    monkeypatch.setattr(one_core, "_find_threads", lambda: None)
    with on_one_core():
        assert threads.get() == 2


def test_the_local_reranker_computes_on_one_core(monkeypatch, threads):
    from outcrop.providers.local_reranker import _load_network
    from outcrop.providers.reranker_network import RerankerNetwork

    seen = []
    score = RerankerNetwork._score

    def scored(network, *given):
        seen.append(threads.get())
        return score(network, *given)

    monkeypatch.setattr(RerankerNetwork, "_score", scored)
    assert len(RerankerNetwork(_load_network().weights).score([1, 2], [[3, 4]])) == 1
    assert seen == [1]
