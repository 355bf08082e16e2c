"""How far a run is, as people see it who have no terminal."""

from __future__ import annotations

from outcrop.cli.render.progress import show_progress
from outcrop.cli.render.reports import write_report
from outcrop.indexing.report import WAITING, IndexReport, Problem, Progress


def test_it_is_said_at_once_that_a_run_waits_and_counted_later(capsys):
    with show_progress() as tell:
        tell(Progress.of(WAITING))
        tell(Progress.of("code graph"))
        tell(Progress.of("mentions", total_files=3))
    assert capsys.readouterr().err == "waiting for another run\n"


def test_each_step_of_a_long_run_has_its_line(capsys, monkeypatch):
    now = 0.0
    monkeypatch.setattr("outcrop.cli.render.progress.time.monotonic", lambda: now)
    with show_progress() as tell:
        for seconds, step in [(1, "code graph"), (6, ""), (7, "mentions"), (8, "indexes"),
                              (9, "indexes")]:  # fmt: skip
            now = float(seconds)
            tell(Progress.of(step, total_files=3))
    lines = capsys.readouterr().err.splitlines()
    assert [line.rpartition("MB/s")[2] for line in lines] == [
        "",
        ", mentions",
        ", indexes",
    ]


def test_no_name_and_no_reason_steers_the_terminal(capsys):
    evil = "a\x1b[31m\nb.md"
    report = IndexReport(
        added=[evil],
        problems=[Problem(path=evil, reason=evil)],
        notes=[evil],
        skipped={"links outside": 1, "secrets": 1},
        outside_links=[evil],
        secrets=[evil],
        dry_run=True,
    )
    write_report(report, as_json=False)
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    assert printed.count("a\\x1b[31m\\nb.md") == 6
    assert len(printed.splitlines()) == 7
