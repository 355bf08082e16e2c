"""Worker processes that run a job over tasks."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import pytest

from outcrop import process_pool
from outcrop.process_pool import (
    Failure,
    fork_processes,
    keep_processes,
    may_fork,
    run_tasks,
    running_tasks,
    waiting_processes,
)

FATAL = 3


class Doubling(NamedTuple):
    """A job that ends its process at one task."""

    factor: int = 2

    def prepare(self) -> None:
        pass

    def run(self, task: int) -> int:
        if task == FATAL:
            os.kill(os.getpid(), signal.SIGKILL)
        return task * self.factor


@pytest.mark.parametrize("forks", [True, False])
def test_a_task_that_ends_its_worker_is_named_and_the_others_have_results(forks):
    if forks and not may_fork():
        pytest.skip("another thread runs, so that a fork is not safe")
    answers = list(run_tasks(Doubling(), range(1, 7), 2, forks=forks))

    failures = [one for one in answers if isinstance(one, Failure)]
    reason = "ended its worker process (SIGKILL)"
    assert failures == [Failure(FATAL, reason, worker_ended=True)]
    assert sorted(set(answers) - set(failures)) == [2, 4, 8, 10, 12]


@dataclass
class Naming:
    """A job that tells which process runs it, and how often it was prepared."""

    name: str
    prepared: int = field(default=0, compare=False)

    def prepare(self) -> None:
        self.prepared += 1

    def run(self, _task: int) -> tuple[int, int]:
        return os.getpid(), self.prepared


def run_once(name: str) -> tuple[int, int]:
    (answer,) = run_tasks(Naming(name), [1], 1)
    assert not isinstance(answer, Failure)
    return answer


def test_kept_processes_run_the_next_job_and_go_on_with_an_earlier_one():
    with keep_processes():
        answers = [run_once(name) for name in ("first", "second", "first")]
        process = answers[0][0]
        assert answers == [(process, 1), (process, 1), (process, 2)]
        assert is_running(process)

    assert not is_running(process)


def test_a_kept_process_that_was_killed_is_replaced():
    with keep_processes():
        process, _ = run_once("job")
        os.kill(process, signal.SIGKILL)
        while is_running(process):
            time.sleep(0.01)
        assert run_once("job")[0] != process


def test_without_a_keeper_processes_end_with_their_tasks():
    process, _ = run_once("job")
    assert not is_running(process)


@pytest.mark.skipif(sys.platform != "linux", reason="forks are used on Linux alone")
def test_forks_end_with_a_caller_that_is_killed():
    script = """
import os, signal
from outcrop.process_pool import run_tasks

class Job:
    def prepare(self): pass
    def run(self, task): return os.getpid()

answers = run_tasks(Job(), range(100_000), 2, forks=True)
workers = set()
while len(workers) < 2:
    workers.add(next(answers))
print(*workers, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    workers = [int(word) for word in done.stdout.split()]
    assert len(workers) == 2
    deadline = time.monotonic() + 20
    while any(map(is_running, workers)):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def is_running(process: int) -> bool:
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


forks_alone = pytest.mark.skipif(
    not may_fork(), reason="another thread runs, so that a fork is not safe"
)


@forks_alone
def test_processes_forked_in_advance_take_the_first_job():
    with keep_processes():
        fork_processes(2)
        assert waiting_processes() == 2
        process, _ = run_once("job")
        parent = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1]
        assert int(parent) == os.getpid()
        assert waiting_processes() == 2

    assert waiting_processes() == 0
    assert not is_running(process)


@forks_alone
def test_a_fork_that_was_killed_while_it_waited_is_replaced():
    with keep_processes():
        fork_processes(1)
        (waiting,) = process_pool._idle_processes._idle
        os.kill(waiting.pid, signal.SIGKILL)
        while is_running(waiting.pid):
            time.sleep(0.01)
        assert run_once("job")[0] != waiting.pid


@forks_alone
def test_without_a_keeper_no_fork_waits():
    fork_processes(1)
    assert waiting_processes() == 0


@dataclass
class Touching:
    """A job that makes files."""

    def prepare(self) -> None:
        pass

    def run(self, task: Path) -> Path:
        task.touch()
        return task


def test_tasks_run_before_their_results_are_asked_for(tmp_path):
    file = tmp_path / "made"
    with running_tasks(Touching(), [file], 1) as results:
        deadline = time.monotonic() + 30
        while not file.exists():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert list(results) == [file]


def test_tasks_end_with_their_block(tmp_path):
    files = [tmp_path / str(number) for number in range(1000)]
    with running_tasks(Touching(), files, 1) as results:
        next(results)
    made = len(list(tmp_path.iterdir()))
    assert made < len(files)
    time.sleep(0.2)
    assert len(list(tmp_path.iterdir())) == made
