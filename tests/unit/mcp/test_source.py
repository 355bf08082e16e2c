"""An index is opened once, by whichever thread comes first, and closed once."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from outcrop.errors import NotFoundError
from outcrop.mcp.source import IndexSource


class Opened:
    def __init__(self) -> None:
        self.closed = 0

    def close(self) -> None:
        self.closed += 1


def test_many_threads_open_one_index():
    opened = []

    def open_index():
        time.sleep(0.01)
        opened.append(Opened())
        return opened[-1]

    source = IndexSource(open_index)
    assert opened == []
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda _: source.get(), range(8)))
    assert found == opened * 8
    source.close()
    source.close()
    assert opened[0].closed == 1


def test_what_is_not_owned_is_not_closed():
    index = Opened()
    source = IndexSource(lambda: index, owned=False)
    source.get()
    source.close()
    assert index.closed == 0


def test_a_failure_is_tried_again():
    answers = iter([NotFoundError("none yet"), Opened()])

    def open_index():
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    source = IndexSource(open_index)
    with pytest.raises(NotFoundError):
        source.get()
    assert isinstance(source.get(), Opened)
