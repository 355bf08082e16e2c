"""How far a run is, as people see it who have no terminal."""

from __future__ import annotations

from outcrop.cli.render_index import show_progress
from outcrop.indexing.report import WAITING, Progress


def test_it_is_said_at_once_that_a_run_waits_and_counted_later(capsys):
    with show_progress() as tell:
        tell(Progress.of(WAITING))
        tell(Progress.of("code graph"))
        tell(Progress.of("mentions", total_files=3))
    assert capsys.readouterr().err == "waiting for another run\n"
