"""The drawing of a symbol: nothing overlaps, and what is left out is counted."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outcrop.model.edge import EdgeKind, Resolution
from outcrop.model.graph import Link, SymbolView
from outcrop.model.node import Node, NodeKind
from outcrop.web.graph_layout import HEIGHT, SIDES, WIDTH, draw, draw_tall

NAMES = [name for names in SIDES.values() for name in names]


def make_node(name):
    return Node(
        id=name,
        application_id="app",
        kind=NodeKind.FUNCTION,
        lang="python",
        name=name,
        package_name="pkg",
        fqn=f"pkg.{name}",
        signature=None,
        doc_comment=None,
        source_code=None,
        file_path="pkg.py",
        line_start=1,
        line_end=2,
    )


def make_view(counts, *, external=False):
    links = {
        relation: tuple(
            Link(
                node=None if external else make_node(f"{relation}{number}"),
                name=f"other.{relation}{number}",
                kind=EdgeKind.CALLS,
                resolution=Resolution.FLOW,
                confidence=0.8,
                external=external,
            )
            for number in range(count)
        )
        for relation, count in counts.items()
    }
    return SymbolView(node=make_node("middle"), **links)


@pytest.mark.parametrize("lay_out", [draw, draw_tall])
@given(st.fixed_dictionaries({name: st.integers(0, 14) for name in NAMES}))
def test_boxes_do_not_overlap_and_lie_in_the_view(lay_out, counts):
    drawing = lay_out(make_view(counts))
    for a, b in combinations(drawing.boxes, 2):
        assert abs(a.x - b.x) >= WIDTH or abs(a.y - b.y) >= HEIGHT
    left, top, width, height = map(float, drawing.view.split())
    for box in drawing.boxes:
        assert left < box.left < box.left + WIDTH < left + width
        assert top < box.top < box.top + HEIGHT < top + height


def test_what_does_not_fit_is_counted():
    drawing = draw(make_view({"callers": 30, "callees": 2}))
    names = [box.name for box in drawing.boxes if box.side == "left"]
    assert names[-1] == "22 more"
    assert len(names) == 9
    assert len(drawing.lines) == 11


def test_an_edge_says_how_it_was_found_and_a_box_where_it_leads():
    drawing = draw(make_view({"callees": 1}))
    assert drawing.lines[0].resolution == "flow"
    assert drawing.lines[0].title == "called: pkg.callees0 (flow, 80%)"
    assert [box.target for box in drawing.boxes] == [None, "callees0"]


def test_what_lies_outside_the_project_leads_nowhere():
    drawing = draw(make_view({"callees": 1}, external=True))
    assert drawing.boxes[1].target is None
    assert drawing.boxes[1].note == "outside the project"


def test_the_tall_drawing_is_narrow_and_counts_the_rest_too():
    drawing = draw_tall(make_view({"callers": 30, "callees": 2, "parents": 1}))
    names = [box.name for box in drawing.boxes if box.side == "top"]
    assert names[0] == "parents0"
    assert names[-1] == "24 more"
    assert float(drawing.view.split()[2]) < 500
    assert [line.is_inward for line in drawing.lines[:2]] == [False, True]
