"""Processes that chunk."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from outcrop.indexing import workers
from outcrop.indexing.config import IndexConfig
from outcrop.indexing.prepare import Task
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


def test_a_worker_that_dies_costs_one_file(monkeypatch):
    # The process ends on the second file: an unknown kind is no task it can do.
    fatal = "import os, pickle, outcrop.indexing.workers as w; real = w.prepare_file\n"
    fatal += "w.prepare_file = lambda t, c: os._exit(3) if t.kind == 'fatal' else real(t, c)\n"
    monkeypatch.setattr(workers, "_COMMAND", fatal + "w.main()")
    tasks = [task(file) for file in DOCUMENTS[:4]]
    tasks.insert(1, task(DOCUMENTS[5], "fatal"))
    found = list(prepare_files(tasks, CONFIG, size_bytes=workers.PARALLEL_BYTES))
    problems = {p.path: p.problem for p in found if p.problem}
    assert problems == {DOCUMENTS[5].name: "brought a worker down"}
    assert len(found) == 5


def test_processes_end_with_a_caller_that_stops_early(monkeypatch):
    started = []
    start = workers.subprocess.Popen

    def remember(*args, **kwargs):
        started.append(start(*args, **kwargs))
        return started[-1]

    monkeypatch.setattr(workers.subprocess, "Popen", remember)
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
from outcrop.indexing.prepare import Task
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
