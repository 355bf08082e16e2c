"""Bounded threads: a maximum that runs, a maximum that waits, and no slot is lost."""

from __future__ import annotations

import asyncio
import threading
from contextvars import ContextVar

import pytest

from outcrop.errors import NotFoundError
from outcrop.thread_gate import BusyError, SlowError, ThreadGate


def make_gate(slots=1, max_waiting=1, seconds=5.0):
    return ThreadGate("jobs", slots=slots, max_waiting=max_waiting, max_seconds=seconds)


def test_work_is_done_in_another_thread():
    async def run():
        gate = make_gate()
        name = await gate.run(lambda: threading.current_thread().name)
        gate.close()
        return name

    assert asyncio.run(run()).startswith("outcrop-jobs")


def test_no_more_runs_than_there_are_slots_and_the_rest_is_refused():
    async def run():
        gate = make_gate(slots=2, max_waiting=3)
        hold = threading.Event()
        tasks = [asyncio.create_task(gate.run(hold.wait)) for _ in range(8)]
        await asyncio.sleep(0.05)
        seen = (gate.running, gate.waiting)
        hold.set()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        gate.close()
        return seen, results, (gate.running, gate.waiting)

    seen, results, after = asyncio.run(run())
    assert seen == (2, 3)
    assert after == (0, 0)
    refused = [result for result in results if isinstance(result, BusyError)]
    assert len(refused) == 3
    assert all("3 jobs are waiting already" in str(error) for error in refused)
    assert results.count(True) == 5


def test_a_slot_is_free_again_only_when_its_work_is_done():
    async def run():
        gate = make_gate(seconds=0.05)
        hold = threading.Event()
        with pytest.raises(SlowError, match=r"more than 0\.05 seconds"):
            await gate.run(hold.wait)
        with pytest.raises(BusyError, match="other jobs take too long"):
            await gate.run(lambda: None)
        running = gate.running
        hold.set()
        await asyncio.sleep(0.05)
        result = await gate.run(lambda: "free")
        gate.close()
        return running, result

    assert asyncio.run(run()) == (1, "free")


def test_work_that_fails_or_is_given_up_leaves_its_slot():
    async def run():
        gate = make_gate()
        with pytest.raises(ZeroDivisionError):
            await gate.run(lambda: 1 / 0)
        task = asyncio.create_task(gate.run(lambda: None))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await asyncio.sleep(0.05)
        result = await gate.run(lambda: "free")
        gate.close()
        return result

    assert asyncio.run(run()) == "free"


def test_work_sees_the_context_of_its_caller():
    name = ContextVar("name")

    async def run():
        gate = make_gate()
        name.set("mine")
        seen = await gate.run(name.get)
        gate.close()
        return seen

    assert asyncio.run(run()) == "mine"


def test_a_timeout_of_the_work_itself_is_not_taken_for_slowness():
    async def run():
        gate = make_gate()
        try:
            await gate.run(raising(TimeoutError("the socket's")))
        finally:
            gate.close()

    with pytest.raises(TimeoutError, match="the socket's"):
        asyncio.run(run())


def test_closing_can_wait_for_work_whose_caller_gave_up():
    done = []

    async def run():
        gate = make_gate(seconds=0.01)
        with pytest.raises(SlowError):
            await gate.run(lambda: done.append(threading.Event().wait(0.2)))
        gate.close(wait=True)

    asyncio.run(run())
    assert done


class NativePanic(BaseException):
    """What native code raises is not always an Exception."""


def raising(error):
    def work():
        raise error

    return work


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (NativePanic("a secret"), RuntimeError),
        (NotFoundError("nothing there"), NotFoundError),
        (SystemExit(3), SystemExit),
    ],
)
def test_only_a_base_exception_of_native_code_is_translated(raised, expected):
    async def run():
        gate = make_gate()
        try:
            await gate.run(raising(raised))
        finally:
            gate.close()

    with pytest.raises(expected) as caught:
        asyncio.run(run())
    if caught.value is not raised:
        assert "secret" not in str(caught.value)
        assert caught.value.__cause__ is raised
