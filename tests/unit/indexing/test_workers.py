"""Processes that chunk."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from outcrop import process_pool
from outcrop.indexing import workers
from outcrop.indexing.config import IndexConfig
from outcrop.indexing.documents.prepare import Task
from outcrop.indexing.workers import prepare_file, prepare_files

DOCUMENTS = sorted((Path(__file__).parents[2] / "documents").glob("*.md"))
CONFIG = IndexConfig(workers=2)


def task(file: Path, kind: str = "markdown") -> Task:
    return Task(path=file.name, file=str(file), kind=kind, modified_ns=1)


def test_processes_prepare_what_one_process_prepares():
    tasks = [task(file) for file in DOCUMENTS]
    there = prepare_files(tasks, CONFIG, size_bytes=workers.PARALLEL_BYTES)
    found = {prepared.path: prepared for prepared in there}
    here = {t.path: prepare_file(t, CONFIG) for t in tasks}
    assert found == here


def test_a_file_that_cannot_be_read_is_a_problem_of_its_own(tmp_path):
    tasks = [task(tmp_path / "missing.md"), task(DOCUMENTS[0])]
    found = list(prepare_files(tasks, CONFIG, size_bytes=workers.PARALLEL_BYTES))
    assert sorted(p.problem for p in found) == ["", "unreadable"]


# What a worker runs in place of its own command: the file named first fails.
FATAL = """
import os, signal, sys
import outcrop.indexing.workers as w
from outcrop import process_pool
real = w.prepare_bytes

class Panic(BaseException):
    pass

def fail(why):
    raise why

def prepare(task, data, config):
    if task.path == {name!r}:
        {deed}
    return real(task, data, config)

w.prepare_bytes = prepare
process_pool.main()
"""


def prepare_with(monkeypatch, deed: str) -> dict[str, str]:
    """Prepare files of which one does something; return the problems by path."""
    name = DOCUMENTS[2].name
    monkeypatch.setattr(process_pool, "_COMMAND", FATAL.format(name=name, deed=deed))
    tasks = [task(file) for file in DOCUMENTS[:6]]
    found = list(prepare_files(tasks, CONFIG, size_bytes=workers.PARALLEL_BYTES))
    assert sorted(p.path for p in found) == [t.path for t in tasks]
    assert all((p.document is None) == bool(p.problem) for p in found)
    assert all(p.keeps_stored for p in found if p.problem)
    return {p.path: p.problem for p in found if p.problem}


@pytest.mark.parametrize(
    ("deed", "problem"),
    [
        ("os._exit(3)", "ended its worker process (exit status 3)"),
        ("sys.exit(4)", "ended its worker process (exit status 4)"),
        (
            "os.kill(os.getpid(), signal.SIGKILL)",
            "ended its worker process (SIGKILL)",
        ),
        ("fail(MemoryError())", "out of memory"),
        (
            "fail(RecursionError('too deep\\nfar too deep'))",
            "RecursionError: too deep",
        ),
        ("fail(Panic('index out of range'))", "Panic: index out of range"),
        ("fail(Panic('x' * 1000))", f"Panic: {'x' * 193}..."),
    ],
)
def test_a_file_that_fails_is_named_and_the_others_are_prepared(
    monkeypatch, deed, problem
):
    assert prepare_with(monkeypatch, deed) == {DOCUMENTS[2].name: problem}


def test_a_file_whose_worker_was_killed_once_is_prepared_after_all(
    monkeypatch, tmp_path
):
    mark = tmp_path / "killed"
    deed = f"if os.path.exists({str(mark)!r}): return real(task, data, config)\n"
    deed += f"        open({str(mark)!r}, 'x').close()\n"
    deed += "        os.kill(os.getpid(), signal.SIGKILL)"
    assert prepare_with(monkeypatch, deed) == {}
    assert mark.exists()


def test_a_file_that_ends_workers_is_tried_twice(monkeypatch, tmp_path):
    tries = tmp_path / "tries"
    deed = f"open({str(tries)!r}, 'a').write('x'); os._exit(1)"
    assert len(prepare_with(monkeypatch, deed)) == 1
    assert tries.read_text() == "xx"


def test_an_answer_too_large_to_send_is_a_problem_of_its_file(monkeypatch):
    deed = "return type('Huge', (), {'__reduce__': lambda _: fail(MemoryError())})()"
    assert prepare_with(monkeypatch, deed) == {DOCUMENTS[2].name: "out of memory"}


def test_what_a_library_prints_does_not_get_between_the_answers(monkeypatch):
    assert prepare_with(monkeypatch, "os.write(1, b'noise')") == {}


@pytest.mark.parametrize("interrupt", [KeyboardInterrupt, SystemExit])
def test_an_interrupt_is_no_problem_of_the_file(monkeypatch, interrupt):
    def prepare(*_):
        raise interrupt

    monkeypatch.setattr(workers, "prepare_bytes", prepare)
    with pytest.raises(interrupt):
        prepare_file(task(DOCUMENTS[0]), CONFIG)


def test_processes_end_with_a_caller_that_stops_early(monkeypatch):
    started = []
    start = process_pool.subprocess.Popen

    def remember(*args, **kwargs):
        started.append(start(*args, **kwargs))
        return started[-1]

    monkeypatch.setattr(process_pool.subprocess, "Popen", remember)
    tasks = [task(file) for file in DOCUMENTS]
    results = prepare_files(tasks, CONFIG, size_bytes=workers.PARALLEL_BYTES)
    assert next(results)
    results.close()
    assert started
    assert all(process.poll() is not None for process in started)


def test_nothing_is_imported_from_the_folder_that_is_indexed(tmp_path, monkeypatch):
    (tmp_path / "json.py").write_text("raise SystemExit('the wrong json')")
    (tmp_path / "outcrop").mkdir()
    (tmp_path / "outcrop" / "__init__.py").write_text("raise SystemExit('not ours')")
    monkeypatch.chdir(tmp_path)
    tasks = [task(file) for file in DOCUMENTS[:2]]
    found = list(prepare_files(tasks, CONFIG, size_bytes=workers.PARALLEL_BYTES))
    assert [prepared.problem for prepared in found] == ["", ""]


def test_an_interrupt_at_the_terminal_is_for_the_caller_alone():
    # A session of its own stands for a terminal: the signal goes to all of its group.
    script = f"""
import os, signal
from pathlib import Path
from outcrop.indexing.config import IndexConfig
from outcrop.indexing.documents.prepare import Task
from outcrop.indexing.workers import prepare_files

signal.signal(signal.SIGINT, lambda *_: print("interrupted"))
files = sorted(Path({str(DOCUMENTS[0].parent)!r}).glob("*.md"))
tasks = [Task(path=f.name, file=str(f), kind="markdown", modified_ns=1) for f in files]
results = prepare_files(tasks, IndexConfig(workers=2), size_bytes=10**7)
next(results)
os.killpg(os.getpgrp(), signal.SIGINT)
print({{prepared.problem for prepared in results}})
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        start_new_session=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("interrupted\n{''}\n", "")
