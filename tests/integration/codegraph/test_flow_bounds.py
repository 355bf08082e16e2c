"""Following values ends, whatever the program, and says what it gave up."""

from __future__ import annotations

from outcrop.codegraph import build


def calls_of(graph):
    return {
        (graph.name_of(edge.src), graph.name_of(edge.dst))
        for edge in graph.edges
        if edge.kind == "CALLS"
    }


def test_classes_that_are_each_the_constructor_of_another_are_followed_once(tmp_path):
    (tmp_path / "ring.py").write_text(
        "class A:\n    def step(self): pass\n\n"
        "class B:\n    def step(self): pass\n\n"
        "A.__init__ = B\n"
        "B.__init__ = A\n\n"
        "def run():\n    A().step()\n    B().step()\n"
    )
    found = calls_of(build(tmp_path, workers=1))
    assert {("ring.run", "ring.A.step"), ("ring.run", "ring.B.step")} <= found
