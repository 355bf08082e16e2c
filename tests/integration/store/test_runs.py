"""Runs in the store: followed by any process, counted by many workers."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from integration.store.servers import EVERY_SERVER
from outcrop.errors import NotFoundError
from outcrop.model.run import RunState
from outcrop.store.runs import MAX_ERRORS

if TYPE_CHECKING:
    from outcrop.store.store import PostgresStore


def test_a_run_is_followed_from_its_start_to_its_end(store: PostgresStore) -> None:
    begun = store.create_run(
        "chunk-build", application_id="app", strategy="adaptive", parameters={"n": 1}
    )
    assert (begun.state, begun.parameters) == (RunState.RUNNING, {"n": 1})
    store.update_run(
        begun.id,
        statistics={"written": 5},
        stages={"embed": {"total": 10, "done": 3}},
        errors=[{"chunk": "c", "error": "bad\0news"}],
    )
    going = store.get_run(begun.id)
    assert going.statistics == {
        "written": 5,
        "stages": {"embed": {"total": 10, "done": 3}},
    }
    assert going.errors == [{"chunk": "c", "error": "bad\ufffdnews"}]
    assert going.updated_at is not None
    done = store.finish_run(begun.id, statistics={"seconds": 1.5})
    assert (done.state, done.error) == (RunState.DONE, None)
    assert done.statistics["seconds"] == 1.5
    assert done.finished_at is not None


def test_a_run_ends_once(store: PostgresStore) -> None:
    run = store.create_run("index")
    failed = store.fail_run(run.id, "the disk is full")
    assert (failed.state, failed.error) == (RunState.FAILED, "the disk is full")
    assert store.finish_run(run.id) == failed


def test_runs_are_listed_newest_first(store: PostgresStore) -> None:
    made = [store.create_run("index", application_id=name).id for name in "aab"]
    assert [run.id for run in store.runs()] == made[::-1]
    assert [run.id for run in store.runs(1)] == made[-1:]
    assert [run.id for run in store.runs(application_id="a")] == made[1::-1]


def test_an_unknown_run_is_said_to_be_none(store: PostgresStore) -> None:
    for call in (store.get_run, store.update_run, store.finish_run):
        with pytest.raises(NotFoundError, match="there is no run 7"):
            call(7)
    with pytest.raises(NotFoundError):
        store.fail_run(7, "why")


@EVERY_SERVER
def test_counts_of_many_workers_add_up(store: PostgresStore) -> None:
    run = store.create_run("chunk-build")

    def work() -> None:
        for number in range(30):
            store.update_run(
                run.id,
                stages={"embed": {"done": 1}},
                errors=[{"number": number}],
            )

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    found = store.get_run(run.id)
    assert found.statistics["stages"] == {"embed": {"done": 120}}
    assert len(found.errors) == MAX_ERRORS
