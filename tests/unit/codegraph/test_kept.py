"""Facts survive being kept as bytes; what is damaged or foreign is parsed again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outcrop.codegraph import build
from outcrop.codegraph.kept import facts_from_bytes, facts_to_bytes

CASES = Path(__file__).parents[2] / "integration" / "codegraph" / "cases"
LANGUAGES = sorted(folder.name for folder in CASES.iterdir())


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_graph_on_kept_facts_equals_the_graph_they_came_from(lang):
    root = CASES / lang
    graph = build(root, workers=1)

    kept = {
        path: facts_from_bytes(facts_to_bytes(facts))
        for path, facts in graph.facts.items()
    }
    again = build(root, previous=replace(graph, facts=kept), workers=1)

    assert again.report.parsed == 0
    assert again.report.reused == len(graph.facts)
    assert (graph.nodes, graph.edges) == (again.nodes, again.edges)


def test_facts_of_another_version_are_not_used(tmp_path):
    (tmp_path / "a.py").write_text("def f(): pass\n")
    facts = build(tmp_path, workers=1).facts["a.py"]
    _, packed = msgpack.unpackb(facts_to_bytes(facts), strict_map_key=False)

    assert facts_from_bytes(msgpack.packb(("another version", packed))) is None


@given(st.binary(max_size=200))
def test_bytes_that_are_no_facts_are_not_used(data):
    assert facts_from_bytes(data) is None


def test_facts_that_were_cut_off_are_not_used(tmp_path):
    (tmp_path / "a.py").write_text("def f(): g()\ndef g(): pass\n")
    data = facts_to_bytes(build(tmp_path, workers=1).facts["a.py"])

    assert facts_from_bytes(data) is not None
    assert all(facts_from_bytes(data[:end]) is None for end in range(len(data)))
