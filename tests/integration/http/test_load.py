"""Fifty clients at a time: nobody gets an error, nobody is left waiting."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("chunks", "seconds"),
    [(1_500, 10), pytest.param(10_000, 60, marks=pytest.mark.full)],
)
@pytest.mark.timeout(900)
def test_many_clients_are_borne(chunks, seconds):
    done = subprocess.run(
        [
            *(sys.executable, "benchmarks/serve.py", "--json", "--clients", "50"),
            *("--chunks", str(chunks), "--seconds", str(seconds)),
            *("--health-seconds", "2"),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)
    assert found["chunks"]["chunks"] >= chunks * 0.9
    for load in (found["mixed searches"], found["`/health`"]):
        assert load["requests"] > 50
        assert load["errors"] == 0
        assert load["p99"] <= 20 * load["p50"]
        assert load["growth"] < 40
