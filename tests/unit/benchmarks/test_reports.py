"""How the benchmark of reports compares two revisions."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

pytest.importorskip("numpy")

import reports

VALUES = {
    "a-1": {"package": "Alpha", "file@1": 1.0},
    "a-2": {"package": "Alpha", "file@1": 0.0},
    "b-1": {"package": "beta", "file@1": 1.0, "function@10": 1.0},
    "c-1": {"package": "gamma", "file@1": 1.0},
}


def test_a_package_is_in_one_half_alone():
    assert reports.halves(VALUES) == {
        "all": ["a-1", "a-2", "b-1", "c-1"],
        "half 1": ["a-1", "a-2", "c-1"],
        "half 2": ["b-1"],
    }


def test_the_difference_is_over_reports_with_both_values():
    before = {key: value | {"file@1": 0.0} for key, value in VALUES.items()}
    del before["c-1"]
    found = reports.difference(VALUES, before, sorted(VALUES), "file@1")
    assert found.startswith("+0.667 [")
    assert reports.difference(VALUES, before, ["a-1"], "function@10") == ""


def test_the_list_names_each_report_once_with_its_answer():
    file = Path(reports.__file__).with_name("reports.tsv")
    with file.open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    assert len({row["url"] for row in rows}) == len(rows) > 80
    assert len({row["package"] for row in rows}) >= 30
    assert all(row["version"] and (row["files"] or row["functions"]) for row in rows)
