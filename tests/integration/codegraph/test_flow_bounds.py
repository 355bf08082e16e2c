"""Following values ends, whatever the program, and says what it gave up."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from outcrop.codegraph import build
from outcrop.codegraph.flow import heuristics, solver

CALM = (
    "class Shelf:\n"
    "    def put(self, book): book.open()\n\n"
    "class Book:\n"
    "    def open(self): pass\n\n"
    "def apply(function, value): function(value)\n\n"
    "def run(): apply(Shelf().put, Book())\n"
)


def calls_of(graph):
    return {
        (graph.name_of(edge.src), graph.name_of(edge.dst))
        for edge in graph.edges
        if edge.kind == "CALLS"
    }


def wide_program(classes, functions):
    """Return a program whose classes all reach each other through many functions."""
    parts = ["class Base:\n    def visit(self, other): return other.visit(self)\n"]
    parts += [
        f"class C{n}(Base):\n"
        "    def visit(self, other):\n"
        "        other.peer = self\n"
        f"        return route{n % functions}(self, other.peer)\n"
        for n in range(classes)
    ]
    for n in range(functions):
        calls = "".join(
            f"    route{(n * k + k) % functions}(two, one.last)\n" for k in range(1, 12)
        )
        parts.append(
            f"def route{n}(one, two):\n    one.last = two\n    two.last = one\n{calls}"
            "    one.visit(two)\n    return one.last or two.last\n"
        )
    made = ", ".join(f"C{n}()" for n in range(classes))
    parts.append(f"for one in [{made}]:\n    one.visit(one)\n")
    return "\n".join(parts)


@pytest.fixture
def wide(tmp_path):
    (tmp_path / "wide.py").write_text(wide_program(800, 80))
    (tmp_path / "calm.py").write_text(CALM)
    return tmp_path


def test_classes_that_are_each_the_constructor_of_another_are_followed_once(tmp_path):
    count = 300
    classes = "".join(f"class C{n}:\n    def step(self): pass\n" for n in range(count))
    ring = "".join(f"C{n}.__init__ = C{(n + 1) % count}\n" for n in range(count))
    table = ", ".join(f"C{n}" for n in range(count))
    (tmp_path / "ring.py").write_text(
        f"{classes}{ring}ALL = [{table}]\n\n"
        "def run():\n    C0().step()\n    for each in ALL:\n        each()\n"
    )
    assert ("ring.run", "ring.C0.step") in calls_of(build(tmp_path, workers=1))


def test_a_wide_program_stops_at_its_budget_and_counts_what_is_left(wide):
    report = build(wide, workers=1).report
    budget = solver.WORK_PER_VARIABLE * solver.MIN_VARIABLES
    [fallback] = report.fallbacks
    steps = re.search(r"stopped after ([\d,]+) steps", fallback.reason)
    assert steps is not None
    assert budget < int(steps[1].replace(",", "")) < 1.1 * budget
    assert report.unfollowed > 0
    assert report.saturated > 0


def test_code_beside_a_wide_program_is_followed_all_the_same(wide):
    found = {pair for pair in calls_of(build(wide, workers=1)) if "calm" in pair[0]}
    assert found == {
        ("calm.run", "calm.apply"),
        ("calm.apply", "calm.Shelf.put"),
        ("calm.Shelf.put", "calm.Book.open"),
    }


def test_what_is_given_up_does_not_depend_on_hashes(wide):
    script = (
        "import sys\nfrom outcrop.codegraph import build\n"
        "graph = build(sys.argv[1], 'x', workers=1)\n"
        "print([(e.src, e.kind, e.dst, e.resolution) for e in graph.edges])\n"
        "print(graph.report)\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script, str(wide)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


def test_a_program_without_any_budget_is_resolved_at_the_local_level(
    tmp_path, monkeypatch
):
    (tmp_path / "calm.py").write_text(CALM)
    monkeypatch.setattr(solver, "WORK_PER_VARIABLE", 0)
    graph = build(tmp_path, workers=1)
    assert [item.path for item in graph.report.fallbacks] == ["python"]
    assert calls_of(graph) == calls_of(build(tmp_path, level="local", workers=1))


def test_a_method_that_hundreds_of_classes_override_is_not_fanned_out(tmp_path):
    count = heuristics.MAX_OVERRIDES + 1
    classes = "".join(
        f"class C{n}(Base):\n    def step(self): pass\n" for n in range(count)
    )
    (tmp_path / "plugins.py").write_text(
        "class Base:\n    def run(self): self.step()\n    def step(self): pass\n"
        + classes
    )
    graph = build(tmp_path, workers=1)
    assert calls_of(graph) == {("plugins.Base.run", "plugins.Base.step")}
    assert graph.report.saturated == 1
