"""`outcrop index` on a project without an index: what it does while the server is made."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from integration.indexing.code_trees import write_tree
from integration.indexing.states import state_of
from integration.store.processes import wait_until_stopped
from outcrop.indexing.index import Index

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="forks are used on Linux alone"),
    pytest.mark.timeout(180),
]
DOCUMENTS = sorted((Path(__file__).parents[2] / "documents").glob("*.md"))
# The command itself, with workers however small the project is. Forks inherit what is
# changed here, those that create the server and those that write.
COMMAND = """
import os, signal, sys, time
from pathlib import Path
from outcrop.cli.main import main
from outcrop import process_pool
from outcrop.indexing import first_load, workers
from outcrop.store.server import embedded

notes = Path(os.environ["NOTES"])
workers.MIN_SHARED_BYTES = first_load.MIN_SHARED_BYTES = 2
first_load._BYTES_PER_WORKER = 1
fork, run, create = (
    first_load.fork_processes, workers.WritingJob.run, embedded.create_data
)

def fork_and_note(count):
    fork(count)
    (notes / "forked").touch()
    {after_fork}

def run_and_note(job, group):
    (notes / f"writer-{{os.getpid()}}").touch()
    return run(job, group)

def create_and_note(home):
    {before_creation}
    create(home)

first_load.fork_processes = fork_and_note
workers.WritingJob.run = run_and_note
embedded.create_data = create_and_note
main(["index", sys.argv[1], "--project", sys.argv[1], "--workers", sys.argv[2]])
"""
WAIT_FOR_FORKS = """
    end = time.monotonic() + 60
    while not (notes / "forked").exists():
        assert time.monotonic() < end, "the workers are not started before the server"
        time.sleep(0.01)
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """Return a folder that the server's user can reach."""
    folder = Path(tempfile.mkdtemp(prefix="outcrop-test-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def project(folder: Path) -> Iterator[Path]:
    """Return a project of documents and code without an index."""
    project = folder / "tea"
    write_project(project)
    (folder / "notes").mkdir()
    yield project
    assert wait_until_stopped(project / ".outcrop")


def write_project(project: Path) -> None:
    project.mkdir()
    for file in DOCUMENTS[:6]:
        shutil.copy(file, project)
    write_tree(project)


def start(
    project: Path, *, workers: int = 2, after_fork: str = "", before_creation: str = ""
) -> subprocess.Popen[str]:
    script = COMMAND.format(
        after_fork=after_fork or "pass", before_creation=before_creation or "pass"
    )
    return subprocess.Popen(
        [sys.executable, "-c", script, str(project), str(workers)],
        env={**os.environ, "NOTES": str(project.parent / "notes")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def processes_of(project: Path) -> list[str]:
    """Return the processes that have the project in their command."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes()
            state = (process / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if os.fsencode(project) in command and state != "Z":
            found.append(f"{process.name} {command!r}")
    return found


def wait_for_end_of_processes(project: Path) -> None:
    deadline = time.monotonic() + 60
    while left := processes_of(project):
        assert time.monotonic() < deadline, left
        time.sleep(0.05)


def wait_for(file: Path) -> None:
    deadline = time.monotonic() + 60
    while not file.exists():
        assert time.monotonic() < deadline, file
        time.sleep(0.01)


def test_workers_that_are_forked_before_the_server_exists_store_what_one_process_does(
    project,
):
    process = start(project, before_creation=WAIT_FOR_FORKS)
    _, said = process.communicate()
    assert process.returncode == 0, said
    assert processes_of(project) == []
    writers = [file.name for file in (project.parent / "notes").glob("writer-*")]
    assert f"writer-{process.pid}" not in writers
    assert 1 <= len(writers) <= 2
    alone = project.parent / "alone" / "tea"
    alone.parent.mkdir()
    write_project(alone)
    with Index.open(project) as index, Index.open(alone) as other:
        other.index()
        assert state_of(index) == state_of(other)


def test_workers_that_are_killed_while_they_wait_are_replaced(project):
    kill = (
        "for one in process_pool._idle_processes._idle:"
        " os.kill(one.pid, signal.SIGKILL)"
    )
    process = start(project, after_fork=kill)
    _, said = process.communicate()
    assert process.returncode == 0, said
    assert processes_of(project) == []
    with Index.open(project) as index:
        report = index.index()
        assert (report.problems, report.wrote) == ([], False)
        assert len(index.documents()) == report.unchanged > len(DOCUMENTS[:6])


def test_a_server_that_cannot_be_created_leaves_no_process(project):
    (project / ".outcrop").write_text("in the way")
    process = start(project)
    _, said = process.communicate()
    assert process.returncode == 4
    assert said.startswith(f"error: cannot keep a database in {project}/.outcrop")
    assert processes_of(project) == []
    (project / ".outcrop").unlink()


@pytest.mark.parametrize("moment", ["forked", "creation"])
def test_an_interrupt_during_the_start_leaves_no_process(project, moment):
    mark = "(notes / 'creating').touch(); time.sleep(1)"
    process = start(project, before_creation=mark)
    wait_for(
        project.parent / "notes" / ("forked" if moment == "forked" else "creating")
    )
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate()
    assert process.returncode == 130, said
    wait_for_end_of_processes(project)


def test_an_interrupt_while_the_server_is_created_leaves_no_half_of_its_data(project):
    home = project / ".outcrop"
    process = start(project)
    deadline = time.monotonic() + 60
    while not list(home.glob("data.new-*/global")):
        assert time.monotonic() < deadline
        time.sleep(0.001)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate()
    assert process.returncode == 130, said
    wait_for_end_of_processes(project)
    # None of it, or all, where its last step was about to end.
    assert list(home.glob("data.new-*")) == []
    with Index.open(project) as index:
        report = index.index()
        assert report.problems == []
        assert len(report.added) > len(DOCUMENTS[:6])


def test_a_kill_during_the_start_leaves_no_process_and_the_next_run_does_it_all(
    project,
):
    mark = "(notes / 'creating').touch(); time.sleep(1)"
    process = start(project, before_creation=mark)
    wait_for(project.parent / "notes" / "forked")
    wait_for(project.parent / "notes" / "creating")
    process.kill()
    process.communicate()
    wait_for_end_of_processes(project)
    with Index.open(project) as index:
        report = index.index()
        assert report.problems == []
        assert len(report.added) > len(DOCUMENTS[:6])


def test_a_server_whose_creator_was_killed_is_created_by_whoever_waits_for_it(project):
    kill = (
        "mark = notes / 'killed'; is_first = not mark.exists(); mark.touch();"
        " is_first and os.kill(os.getpid(), signal.SIGKILL)"
    )
    process = start(project, before_creation=kill)
    _, said = process.communicate()
    assert process.returncode == 0, said
    assert (project.parent / "notes" / "killed").exists()
    assert processes_of(project) == []
    with Index.open(project) as index:
        assert not index.index().wrote


def test_with_one_worker_the_process_itself_writes(project):
    process = start(project, workers=1)
    _, said = process.communicate()
    assert process.returncode == 0, said
    assert list((project.parent / "notes").iterdir()) == []
    with Index.open(project) as index:
        assert not index.index().wrote


def test_a_run_that_is_killed_while_workers_write_is_completed_by_the_next(project):
    notes = project.parent / "notes"
    process = start(project)
    deadline = time.monotonic() + 60
    while not list(notes.glob("writer-*")):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.kill()
    process.communicate()
    wait_for_end_of_processes(project)
    with Index.open(project) as index:
        assert index.index().problems == []
        grown = state_of(index)
        index.store.delete_documents([each.path for each in index.documents()])
        index.index()
        assert state_of(index) == grown


def test_a_run_that_finds_nothing_to_do_starts_no_worker(project):
    with Index.open(project) as index:
        index.index()
    process = start(project)
    process.communicate()
    assert process.returncode == 0
    assert list((project.parent / "notes").iterdir()) == []
