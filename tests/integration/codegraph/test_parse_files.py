"""Parsing over several processes."""

from __future__ import annotations

import os
import signal
from threading import Event, Thread

import pytest

from outcrop import process_pool
from outcrop.codegraph import build, parse_files


def lay_out(folder, count):
    for number in range(count):
        (folder / f"m{number}.py").write_text(
            f"from m{(number + 1) % count} import f{(number + 1) % count}\n"
            f"def f{number}():\n    f{(number + 1) % count}()\n"
        )


@pytest.mark.parametrize("forks", [True, False])
def test_many_processes_give_the_graph_of_one(tmp_path, monkeypatch, forks):
    lay_out(tmp_path, 12)
    alone = build(tmp_path, "x", workers=1)
    monkeypatch.setattr(parse_files, "MIN_PARALLEL_BYTES", 0)
    monkeypatch.setattr(parse_files, "MIN_FORK_BYTES", 0)
    monkeypatch.setattr(parse_files, "may_fork", lambda: forks)
    together = build(tmp_path, "x", workers=3)
    assert together.nodes == alone.nodes
    assert together.edges == alone.edges
    assert together.report.parsed == 12


def test_a_crash_of_the_parser_costs_one_file(tmp_path, monkeypatch):
    lay_out(tmp_path, 6)
    command = (
        "import os\n"
        "from outcrop.codegraph import parse_files\n"
        "from outcrop.process_pool import main\n"
        "real = parse_files.parse_file\n"
        "def parse(path, lang, raw):\n"
        "    return os.abort() if path == 'm3.py' else real(path, lang, raw)\n"
        "parse_files.parse_file = parse\n"
        "main()\n"
    )
    monkeypatch.setattr(parse_files, "may_fork", lambda: False)
    monkeypatch.setattr(process_pool, "_COMMAND", command)
    monkeypatch.setattr(parse_files, "MIN_PARALLEL_BYTES", 0)
    monkeypatch.setattr(parse_files, "MIN_FORK_BYTES", 0)
    report = build(tmp_path, "x", workers=2).report
    reason = "ended its worker process (SIGABRT)"
    assert [(item.path, item.reason) for item in report.failed] == [("m3.py", reason)]
    assert report.parsed == 5


def test_a_fork_that_ends_early_is_tried_again(tmp_path, monkeypatch):
    lay_out(tmp_path, 6)
    parse = parse_files._parse

    def crash(root, path, lang):
        if path == "m3.py":
            os.kill(os.getpid(), signal.SIGKILL)
        return parse(root, path, lang)

    monkeypatch.setattr(parse_files, "_parse", crash)
    monkeypatch.setattr(parse_files, "may_fork", lambda: True)
    monkeypatch.setattr(parse_files, "MIN_PARALLEL_BYTES", 0)
    monkeypatch.setattr(parse_files, "MIN_FORK_BYTES", 0)

    report = build(tmp_path, "x", workers=2).report

    assert report.parsed == 6
    assert not report.failed


class Panic(BaseException):
    """What a native parser raises; no Exception."""


@pytest.mark.parametrize("forks", [True, False])
@pytest.mark.parametrize(
    ("error", "reason"),
    [(Panic("out of range"), "Panic: out of range"), (MemoryError(), "out of memory")],
)
def test_whatever_a_parser_raises_costs_one_file(
    tmp_path, monkeypatch, forks, error, reason
):
    lay_out(tmp_path, 6)
    parse_file = parse_files.parse_file

    def fail(path, lang, raw):
        if path == "m3.py":
            raise error
        return parse_file(path, lang, raw)

    monkeypatch.setattr(parse_files, "parse_file", fail)
    if forks:
        monkeypatch.setattr(parse_files, "may_fork", lambda: True)
        monkeypatch.setattr(parse_files, "MIN_FORK_BYTES", 0)

    report = build(tmp_path, "x", workers=2).report

    assert [(item.path, item.reason) for item in report.failed] == [("m3.py", reason)]
    assert report.parsed == 5


def test_an_interrupt_leaves_no_process_behind(tmp_path, monkeypatch):
    lay_out(tmp_path, 6)
    fork, started = process_pool._fork, []

    def note():
        started.append(fork())
        return started[-1]

    def interrupt(answer):
        raise KeyboardInterrupt

    monkeypatch.setattr(process_pool, "_fork", note)
    monkeypatch.setattr(parse_files, "_unpack", interrupt)
    monkeypatch.setattr(parse_files, "may_fork", lambda: True)
    monkeypatch.setattr(parse_files, "MIN_FORK_BYTES", 0)

    with pytest.raises(KeyboardInterrupt):
        build(tmp_path, "x", workers=3)

    assert len(started) == 3
    for process in started:
        with pytest.raises(ChildProcessError):
            os.waitpid(process.pid, os.WNOHANG)


def test_a_process_with_several_threads_is_not_forked():
    done = Event()
    thread = Thread(target=done.wait)
    thread.start()
    with_another = process_pool.may_fork()
    done.set()
    thread.join()

    assert with_another is False


def test_the_local_level_stays_within_functions(tmp_path):
    (tmp_path / "a.py").write_text("def run(f):\n    f()\ndef g():\n    pass\nrun(g)\n")
    graph = build(tmp_path, "x", level="local", workers=1)
    calls = [
        (graph.name_of(e.src), graph.name_of(e.dst))
        for e in graph.edges
        if e.kind == "CALLS"
    ]
    assert calls == [("a", "a.run")]
