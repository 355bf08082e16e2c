"""The gate: so much at a time, so much waiting, and no slot is ever lost."""

from __future__ import annotations

import asyncio
import threading

import pytest

from outcrop.http.gate import Gate
from outcrop.http.problems import ProblemError


def make_gate(slots=1, max_waiting=1, seconds=5.0):
    return Gate("jobs", slots=slots, max_waiting=max_waiting, seconds=seconds)


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
    refused = [result for result in results if isinstance(result, ProblemError)]
    assert len(refused) == 3
    assert all(problem.status == 503 for problem in refused)
    assert all(problem.headers["Retry-After"] for problem in refused)
    assert results.count(True) == 5


def test_a_slot_is_free_again_only_when_its_work_is_done():
    async def run():
        gate = make_gate(seconds=0.05)
        hold = threading.Event()
        with pytest.raises(ProblemError) as slow:
            await gate.run(hold.wait)
        with pytest.raises(ProblemError) as waited:
            await gate.run(lambda: None)
        running = gate.running
        hold.set()
        await asyncio.sleep(0.05)
        result = await gate.run(lambda: "free")
        gate.close()
        return slow.value.status, waited.value.status, running, result

    assert asyncio.run(run()) == (504, 503, 1, "free")


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
