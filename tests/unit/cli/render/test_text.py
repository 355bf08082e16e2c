"""Values printed as JSON, and rows in columns."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime

from outcrop.cli.render.text import align, write_json
from outcrop.model.run import Run, RunState


def test_a_run_is_printed_with_all_its_fields_and_times_in_iso_8601(capfdbinary):
    started = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
    run = Run(id=7, kind="index", state=RunState.DONE, started_at=started)
    write_json(asdict(run))
    values = json.loads(capfdbinary.readouterr().out)
    assert values["started_at"] == "2026-03-01T09:30:00+00:00"
    assert values["state"] == "done"
    assert set(values) == set(Run.__dataclass_fields__)


def test_cells_are_in_columns_with_numbers_on_the_right():
    rows = [("name", "size", "folder"), ("a", "1,204", "/a long folder")]
    assert list(align(rows, numbers=[1])) == [
        "name   size  folder",
        "a     1,204  /a long folder",
    ]
