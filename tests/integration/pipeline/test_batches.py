"""What becomes of a batch: done once, tried again, cut in two, or given up."""

from __future__ import annotations

import threading
import time
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest

from integration.pipeline.planned import (
    QUICK,
    begin,
    leftovers,
    make_worker,
    plan,
    traces,
)
from outcrop.errors import EmbeddingError, StageError
from outcrop.pipeline.jobs import job_runs
from outcrop.pipeline.jobs.queue import Batch, defer, ensure_tables

ALL = "<first><second><third>"


@pytest.fixture(params=["embedded"])
def target(request):
    """One kind of server: what differs between them is tested elsewhere."""
    return request.getfixturevalue("embedded_project")


def test_every_chunk_goes_through_its_stages_once(database, store):
    texts = [f"text {number}" for number in range(50)]
    run_id = begin(store, plan(store, texts))
    make_worker(database).run(run_id=run_id)
    assert traces(database) == dict.fromkeys(texts, ALL)
    run = store.get_run(run_id)
    assert (run.state, run.errors) == ("done", [])
    assert run.statistics["stages"] == {
        stage: {"total": 50, "done": 50, "failed": 0}
        for stage in ("first", "second", "third")
    }
    assert leftovers(database) == [0, 0, 0]


def test_urgent_chunks_come_first(database, store):
    seen: list[int] = []
    begin(store, plan(store, [str(number) for number in range(30)]))

    def look(stage, batch):
        seen.extend(int(chunk.content) % 3 for chunk in batch if stage == "first")

    make_worker(database, look).run(until_idle=True)
    assert seen == [2] * 10 + [1] * 10 + [0] * 10


def test_a_run_with_nothing_to_do_is_done(database, store):
    application = plan(store, ["a"])
    make_worker(database).run(run_id=begin(store, application))
    run = store.get_run(begin(store, application))
    assert run.state == "done"
    assert run.statistics["stages"] == {}


def test_one_bad_chunk_does_not_stop_the_others(database, store):
    texts = [*(f"text {number}" for number in range(40)), "poison"]

    def trouble(stage, batch):
        if stage == "second" and any(chunk.content == "poison" for chunk in batch):
            raise ValueError("no bishop on the board")

    run_id = begin(store, plan(store, texts))
    make_worker(database, trouble).run(run_id=run_id)
    found = traces(database)
    assert found.pop("poison") == "<first>"
    assert set(found.values()) == {ALL}
    run = store.get_run(run_id)
    assert [(e["stage"], e["message"]) for e in run.errors] == [
        ("second", "ValueError: no bishop on the board")
    ]
    assert run.statistics["stages"]["second"] == {"total": 41, "done": 40, "failed": 1}
    assert run.statistics["stages"]["third"] == {"total": 40, "done": 40, "failed": 0}


def test_what_failed_is_tried_by_the_next_run(database, store):
    application = plan(store, ["good", "bad"])

    def trouble(stage, batch):
        if stage == "third" and any(chunk.content == "bad" for chunk in batch):
            raise ValueError("not today")

    make_worker(database, trouble).run(run_id=begin(store, application))
    assert traces(database) == {"good": ALL, "bad": "<first><second>"}
    make_worker(database).run(run_id=begin(store, application))
    assert traces(database) == {"good": ALL, "bad": ALL}


def test_what_may_pass_is_tried_again_after_a_pause(database, store):
    calls: Counter[str] = Counter()
    times: list[float] = []

    def trouble(stage, batch):
        calls[stage] += 1
        if stage == "first":
            times.append(time.monotonic())
            if calls[stage] < 4:
                raise EmbeddingError("the model does not answer", stage=stage)

    settings = replace(QUICK, retry_seconds=0.1, poll_seconds=0.02)
    run_id = begin(store, plan(store, ["only"]))
    make_worker(database, trouble, settings).run(run_id=run_id)
    assert traces(database) == {"only": ALL}
    pauses = [after - before for before, after in pairwise(times)]
    assert all(
        pause >= least for pause, least in zip(pauses, (0.1, 0.2, 0.4), strict=True)
    )
    assert store.get_run(run_id).errors == []


def test_what_never_passes_is_given_up(database, store):
    def trouble(stage, batch):
        if stage == "first":
            raise StageError("the model is closed on Sundays", stage=stage)

    settings = replace(QUICK, most_tries=2)
    run_id = begin(store, plan(store, ["a", "b", "c"]))
    make_worker(database, trouble, settings).run(run_id=run_id)
    run = store.get_run(run_id)
    assert run.state == "done"
    assert [e["message"] for e in run.errors] == ["the model is closed on Sundays"] * 3
    assert run.statistics["chunks"]["failed"] == 3


def test_a_chunk_that_is_gone_is_dropped(database, store):
    run_id = begin(store, plan(store, ["a"]))
    store.delete_documents(["demo.py"])
    make_worker(database).run(run_id=run_id)
    run = store.get_run(run_id)
    assert run.state == "done"
    assert run.statistics["chunks"]["dropped"] == 1


def test_a_job_that_comes_twice_is_done_once(database, store):
    run_id = begin(store, plan(store, ["a", "b"]))
    ids = tuple(chunk.id for chunk in store.chunks_of("demo.py"))
    with database.write() as connection:
        for stage in ("first", "second"):
            twin = Batch(run_id=run_id, stage=stage, chunk_ids=ids, priority=99)
            defer(connection, [twin, twin])
    make_worker(database, settings=replace(QUICK, concurrency=3)).run(run_id=run_id)
    assert traces(database) == {"a": ALL, "b": ALL}


def test_two_that_do_the_same_at_once_write_it_once(database, store):
    """Both have read the chunk and run the stage before either writes."""
    both = threading.Barrier(2)
    run_id = begin(store, plan(store, ["a"]))
    ids = tuple(chunk.id for chunk in store.chunks_of("demo.py"))
    with database.write() as connection:
        defer(connection, [Batch(run_id=run_id, stage="first", chunk_ids=ids)])

    def meet(stage, batch):
        if stage == "first":
            both.wait(timeout=20)

    settings = replace(QUICK, concurrency=2)
    make_worker(database, meet, settings).run(run_id=run_id)
    assert traces(database) == {"a": ALL}


def test_a_later_run_takes_over_what_an_earlier_one_left(database, store):
    application = plan(store, ["a", "b"])
    earlier = begin(store, application)
    later = begin(store, application)
    run = store.get_run(earlier)
    assert run.state == "done"
    assert run.statistics["chunks"]["dropped"] == 2
    make_worker(database).run(run_id=later)
    assert traces(database) == {"a": ALL, "b": ALL}
    assert store.get_run(later).statistics["chunks"]["done"] == 2
    make_worker(database).run(until_idle=True)
    assert leftovers(database)[1:] == [0, 0]


def test_what_no_job_stands_for_is_found_again(database, store):
    run_id = begin(store, plan(store, ["a", "b"]))
    with database.write() as connection:
        connection.execute("DELETE FROM procrastinate_jobs")
    make_worker(database).run(run_id=run_id)
    assert traces(database) == {"a": ALL, "b": ALL}


def test_a_job_that_nobody_does_is_found_again(database, store):
    """As where a job was fetched, but the answer never arrived."""
    run_id = begin(store, plan(store, ["a"]))
    taken = threading.Event()

    def take(stage, batch):
        if not taken.is_set():
            taken.set()
            with database.write() as connection:
                application = plan(store, ["b"], name="other")
                other = store.create_run("chunk-build", application_id=application)
                job_runs.start_work(connection, other.id, application, batch_size=8)
                connection.execute(
                    "UPDATE procrastinate_jobs SET status = 'doing', worker_id = "
                    "(SELECT id FROM procrastinate_workers) WHERE status = 'todo'"
                )

    worker = make_worker(database, take)
    worker.run(until_idle=True)
    assert traces(database) == {"a": ALL, "b": ALL}
    assert store.get_run(run_id).state == "done"


def test_a_worker_that_was_taken_for_dead_goes_on(database, store):
    run_id = begin(store, plan(store, [str(number) for number in range(24)]))
    struck = threading.Event()

    def strike(stage, batch):
        if not struck.is_set():
            struck.set()
            with database.write() as connection:
                connection.execute("DELETE FROM procrastinate_workers")

    make_worker(database, strike).run(run_id=run_id)
    assert set(traces(database).values()) == {ALL}


def test_a_stage_that_this_version_lacks_is_a_failure(database, store):
    run_id = begin(store, plan(store, ["a"]))
    with database.write() as connection:
        connection.execute("UPDATE run_chunks SET stages = '{fourth}'")
        connection.execute("DELETE FROM procrastinate_jobs")
    make_worker(database, settings=replace(QUICK, most_tries=1)).run(run_id=run_id)
    assert "no stage 'fourth'" in store.get_run(run_id).errors[0]["message"]


def test_an_idle_worker_ends_at_once_where_that_is_asked(database):
    ensure_tables(database)
    started = time.monotonic()
    make_worker(database).run(until_idle=True)
    assert time.monotonic() - started < 5


def test_a_worker_waits_for_work_until_it_is_stopped(database, store):
    worker = make_worker(database)
    thread = threading.Thread(target=worker.run)
    ensure_tables(database)
    thread.start()
    run_id = begin(store, plan(store, ["a"]))
    deadline = time.monotonic() + 20
    while store.get_run(run_id).state == "running" and time.monotonic() < deadline:
        time.sleep(0.02)
    worker.stop()
    thread.join(timeout=20)
    assert not thread.is_alive()
    assert traces(database) == {"a": ALL}
    assert leftovers(database) == [0, 0, 0]
