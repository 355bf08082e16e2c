"""Workers and servers that die: nothing is lost, and nothing is done twice."""

from __future__ import annotations

import os
import random
import shutil
import signal
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from integration.pipeline.planned import STAGES, begin, leftovers, plan, traces
from integration.pipeline.projects import (
    build,
    contents,
    frequencies,
    real_worker,
    start,
    write_project,
)
from integration.pipeline.worker_process import worker_process
from integration.store.created import give_database
from integration.store.processes import server_pid, wait_until, wait_until_stopped
from integration.store.servers import EVERY_SERVER
from outcrop.pipeline.jobs.queue import ensure_tables
from outcrop.pipeline.stage import STAGES as REAL_STAGES
from outcrop.store.database import Database
from outcrop.store.store import PostgresStore

if TYPE_CHECKING:
    from collections.abc import Iterator

ALL = "<first><second><third>"
TEXTS = [f"text {number}" for number in range(40)]
ROUNDS = [
    pytest.param(number, marks=[pytest.mark.full] if number >= 1 else [])
    for number in range(12)
]


@pytest.mark.parametrize("target", ["url"], indirect=True)
@pytest.mark.parametrize("stage", STAGES)
def test_what_a_killed_worker_had_begun_is_done_by_another(
    store, database, target, schema, stage
):
    run_id = begin(store, plan(store, TEXTS))
    with worker_process(target, schema, hold=stage) as victim:
        victim.wait_for(stage)
        victim.signal(signal.SIGKILL)
    with worker_process(target, schema) as heir:
        assert heir.wait() == 0
    assert traces(database) == dict.fromkeys(TEXTS, ALL)
    run = store.get_run(run_id)
    assert (run.state, run.errors) == ("done", [])
    assert run.statistics["stages"][stage] == {"total": 40, "done": 40, "failed": 0}
    assert leftovers(database)[:2] == [0, 0]


@pytest.mark.parametrize("target", ["embedded"], indirect=True)
@pytest.mark.parametrize("stage", list(REAL_STAGES))
def test_a_worker_may_be_killed_in_every_stage(
    database, target, schema, stage, tmp_path
):
    """What it found out is at hand, but not written."""
    project = write_project(tmp_path)
    strategy = "per-node" if stage == "render-doc" else "adaptive"
    build(database, project, strategy=strategy)
    undisturbed = contents(database), frequencies(database)
    store = PostgresStore(database)
    store.delete_documents([document.path for document in store.documents()])
    run_id = start(database, project, strategy=strategy).run_id
    with worker_process(target, schema, hold=stage, project=str(project)) as victim:
        victim.wait_for(stage)
        victim.signal(signal.SIGKILL)
    real_worker(database, project).run(run_id=run_id)
    assert (contents(database), frequencies(database)) == undisturbed
    assert store.get_run(run_id).errors == []
    assert leftovers(database)[:2] == [0, 0]


@EVERY_SERVER
def test_two_workers_share_a_run(store, database, target, schema):
    ensure_tables(database)
    with (
        worker_process(target, schema, slow=0.2, until_idle=False) as one,
        worker_process(target, schema, slow=0.2, until_idle=False) as other,
    ):
        one.wait_for("open")
        other.wait_for("open")
        run_id = begin(store, plan(store, TEXTS))
        one.wait_for("second")
        other.wait_for("second")  # so both had something to do
        assert wait_until(lambda: store.get_run(run_id).state == "done", 40)
        for worker in (one, other):
            worker.signal(signal.SIGTERM)
            assert worker.wait() == 0
    assert traces(database) == dict.fromkeys(TEXTS, ALL)
    assert store.get_run(run_id).statistics["chunks"]["done"] == 40
    assert leftovers(database) == [0, 0, 0]


@pytest.mark.parametrize("target", ["embedded"], indirect=True)
def test_workers_that_write_the_same_documents_do_not_stop_each_other(
    database, target, schema, tmp_path
):
    project = write_project(tmp_path)
    build(database, project, strategy="per-node", batch_size=1)
    alone = contents(database), frequencies(database)
    store = PostgresStore(database)
    store.delete_documents([document.path for document in store.documents()])
    run_id = start(database, project, strategy="per-node", batch_size=1).run_id
    options = {"project": str(project)}
    with (
        worker_process(target, schema, **options) as one,
        worker_process(target, schema, **options) as other,
    ):
        assert (one.wait(), other.wait()) == (0, 0)
    assert (contents(database), frequencies(database)) == alone
    assert store.get_run(run_id).errors == []


@pytest.mark.parametrize("target", ["embedded"], indirect=True)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_finishes_the_batch_and_leaves_the_rest(
    store, database, target, schema, number
):
    run_id = begin(store, plan(store, TEXTS))
    with worker_process(target, schema, slow=0.3, until_idle=False) as worker:
        worker.wait_for("first")
        worker.signal(number)
        worker.wait_for("interrupted")
        assert worker.wait() == 0
    done = [trace for trace in traces(database).values() if trace]
    assert 0 < len(done) < 40
    assert store.get_run(run_id).state == "running"
    with database.read() as connection:
        doing = "SELECT count(*) FROM procrastinate_jobs WHERE status = 'doing'"
        assert connection.execute(doing).fetchone() == (0,)
    with worker_process(target, schema) as heir:
        assert heir.wait() == 0
    assert traces(database) == dict.fromkeys(TEXTS, ALL)
    assert store.get_run(run_id).state == "done"


@pytest.mark.parametrize("target", ["url"], indirect=True)
def test_a_server_that_restarts_is_waited_for(store, database, target, schema):
    """A backend that is killed makes the server throw everybody out and recover."""
    run_id = begin(store, plan(store, TEXTS))
    with worker_process(target, schema, slow=0.05) as worker:
        for stage in ("first", "second"):
            worker.wait_for(stage)
            with database.read() as connection:
                backend = connection.info.backend_pid
            os.kill(backend, signal.SIGKILL)
        assert worker.wait() == 0
    assert traces(database) == dict.fromkeys(TEXTS, ALL)
    assert store.get_run(run_id).errors == []
    assert leftovers(database)[:2] == [0, 0]


@pytest.mark.parametrize("target", ["embedded"], indirect=True)
def test_a_chunk_that_kills_workers_is_found_out(store, database, target, schema):
    run_id = begin(store, plan(store, [*TEXTS[:6], "deadly"]))
    for _ in range(12):
        with worker_process(target, schema, deadly="deadly") as worker:
            if worker.wait() == 0:
                break
    found = traces(database)
    assert found.pop("deadly") is None
    assert found == dict.fromkeys(TEXTS[:6], ALL)
    run = store.get_run(run_id)
    assert run.state == "done"
    assert [error["message"] for error in run.errors] == ["workers died while doing it"]


@pytest.fixture
def lonely() -> Iterator[Path]:
    """Return a project with a server of its own, to be killed."""
    folder = Path(tempfile.mkdtemp(prefix="outcrop-test-"))
    folder.chmod(0o755)
    give_database(folder)
    yield folder
    assert wait_until_stopped(folder / ".outcrop")
    shutil.rmtree(folder)


@pytest.mark.parametrize("number", ROUNDS)
def test_kills_at_any_moment_change_nothing(lonely, number):
    choose = random.Random(number)  # noqa: S311 - a reproducible choice, no secret
    with Database.open(lonely) as database:
        store = PostgresStore(database)
        run_id = begin(store, plan(store, TEXTS))
        for _ in range(2):
            with worker_process(lonely, "outcrop", slow=0.02) as worker:
                worker.wait_for("open")
                time.sleep(choose.uniform(0.05, 0.6))
                if choose.random() < 0.5:
                    worker.signal(signal.SIGKILL)
                else:
                    os.kill(server_pid(lonely / ".outcrop"), signal.SIGKILL)
                    worker.wait()
        with worker_process(lonely, "outcrop") as last:
            assert last.wait() == 0
        assert traces(database) == dict.fromkeys(TEXTS, ALL)
        assert store.get_run(run_id).errors == []
        assert leftovers(database)[:2] == [0, 0]
