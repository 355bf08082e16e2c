"""Call edges of small programs against what a reader says they call."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import pytest

from outcrop.codegraph import build
from outcrop.model.edge import EdgeKind

CASES = Path(__file__).parent / "cases"
LANGUAGES = sorted(folder.name for folder in CASES.iterdir())


def read_truth(case: Path) -> set[tuple[str, str]]:
    found = json.loads((case / "callgraph.json").read_text("utf-8"))
    return {(src, dst) for src, callees in found.items() for dst in callees}


def found_calls(case: Path) -> dict[str, set[tuple[str, str]]]:
    graph = build(case, workers=1)
    found: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for edge in graph.edges:
        if edge.kind == EdgeKind.CALLS:
            pair = (graph.name_of(edge.src), graph.name_of(edge.dst))
            found[edge.resolution].add(pair)
    return found


@pytest.mark.parametrize("lang", LANGUAGES)
def test_calls_of_small_programs_are_found(lang):
    cases = sorted(p.parent for p in (CASES / lang).rglob("callgraph.json"))
    assert len(cases) >= 25
    expected_count = found_count = right = exact_count = exact_right = 0
    for case in cases:
        expected, found = read_truth(case), found_calls(case)
        everything = set().union(*found.values())
        expected_count += len(expected)
        found_count += len(everything)
        right += len(everything & expected)
        exact_count += len(found["exact"])
        exact_right += len(found["exact"] & expected)
    assert exact_right / exact_count >= 0.98
    assert right / found_count >= 0.97
    assert right / expected_count >= 0.96


def test_an_edge_is_never_exact_because_its_name_is_unique(tmp_path):
    (tmp_path / "Main.java").write_text(
        "class Only { void oddlyNamed() {} }\n"
        "class Main { void run(Unknown u) { u.oddlyNamed(); } }\n"
    )
    graph = build(tmp_path, workers=1)
    calls = [e for e in graph.edges if e.kind == EdgeKind.CALLS]
    assert [str(e.resolution) for e in calls] == ["heuristic"]
