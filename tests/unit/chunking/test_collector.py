"""The garbage collector is paused while a document is cut, and only then."""

from __future__ import annotations

import gc
from threading import Barrier, Thread

import pytest

from outcrop import ChunkConfig, MarkdownChunker
from outcrop.chunking.strategies import StructuralStrategy
from outcrop.collector import call_uncollected

TEXT = "# Title\n\nSome text.\n\n## Part\n\nMore text.\n"


@pytest.fixture(autouse=True)
def _restored_collector():
    was_enabled = gc.isenabled()
    gc.enable()
    yield
    (gc.enable if was_enabled else gc.disable)()


def test_it_is_paused_during_the_call_alone():
    assert call_uncollected(gc.isenabled) is False
    assert gc.isenabled()


def test_it_is_resumed_after_an_exception():
    def fail() -> None:
        raise KeyError("no chunk")

    with pytest.raises(KeyError, match="no chunk"):
        call_uncollected(fail)
    assert gc.isenabled()


def test_a_collector_that_is_switched_off_stays_off():
    gc.disable()
    call_uncollected(lambda: None)
    assert not gc.isenabled()


def test_calls_that_overlap_in_threads_leave_it_enabled():
    both_run = Barrier(2, timeout=30)
    threads = [Thread(target=call_uncollected, args=(both_run.wait,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert gc.isenabled()


@pytest.mark.parametrize("method", ["chunk", "chunk_hierarchical"])
def test_code_of_the_caller_runs_with_the_collector(method):
    seen: list[bool] = []

    def length(text: str) -> int:
        seen.append(gc.isenabled())
        return len(text)

    getattr(MarkdownChunker(ChunkConfig(length=length)), method)(TEXT)
    assert seen
    assert all(seen)


@pytest.mark.parametrize("method", ["chunk", "chunk_hierarchical"])
@pytest.mark.parametrize(("is_own", "is_enabled"), [(True, True), (False, False)])
def test_strategies_of_the_caller_run_with_the_collector(
    method, is_own, is_enabled, monkeypatch
):
    seen: list[bool] = []
    usual = StructuralStrategy.boundaries

    def boundaries(strategy: StructuralStrategy, layout):
        seen.append(gc.isenabled())
        return usual(strategy, layout)

    monkeypatch.setattr(StructuralStrategy, "boundaries", boundaries)
    own = [StructuralStrategy()] if is_own else []
    chunker = MarkdownChunker(ChunkConfig(strategy="structural"), own)
    getattr(chunker, method)(TEXT)
    assert seen == [is_enabled]
    assert gc.isenabled()
