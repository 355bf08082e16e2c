"""Hits on the page: the lines with the most marks, and bars that can be compared."""

from __future__ import annotations

from dataclasses import replace
from importlib import resources

from hypothesis import given
from hypothesis import strategies as st

from outcrop.presentation.text import Colours
from outcrop.search.signals import SIGNALS
from outcrop.web.search_pages import FAMILIES, OTHER, best_lines, mark, show_hits
from unit.hits import make_hit


def test_the_lines_with_the_most_marks_are_shown():
    lines = [f"line {number}\n" for number in range(60)]
    content = "".join(lines)
    marks = [(0, 4)]
    marks += [(at, at + 4) for at in map(content.index, ["line 40", "line 41"])]
    start, end = best_lines(content, marks)
    assert content[start:end].startswith("line 40\nline 41")


def test_a_line_without_end_is_shown_around_its_mark():
    content = "x" * 50_000 + " word " + "y" * 50_000
    start, end = best_lines(content, [(50_001, 50_005)])
    assert content[start:end].startswith("word")
    assert end - start <= 1_200


@given(st.text(alphabet="ab \n", max_size=300), st.data())
def test_segments_are_the_text_and_marks_are_the_ranges(content, data):
    ends = sorted(data.draw(st.sets(st.integers(0, len(content)), max_size=8)))
    ranges = list(zip(ends[::2], ends[1::2], strict=False))
    start, end = best_lines(content, ranges)
    segments = list(mark(Colours(content), ranges, start, end))
    joined = "".join(segment.text for segment in segments)
    assert content[start:end].startswith(joined)
    assert content[start:end].rstrip("\r\n") == joined.rstrip("\r\n")
    marked = "".join(segment.text for segment in segments if segment.is_marked)
    expected = "".join(
        content[max(low, start) : min(high, end)] for low, high in ranges
    )
    assert marked == expected


def test_every_part_of_a_score_has_a_name_and_a_colour():
    parts = {signal.name for signal in SIGNALS} | {"document", "graph"}
    assert FAMILIES.keys() == parts, "correct FAMILIES in web/search_pages.py"
    style = resources.files("outcrop.web").joinpath("static/outcrop.css").read_text()
    for family in {*FAMILIES.values(), OTHER}:
        assert f".share-{family} {{" in style, "give it a colour in outcrop.css"


def test_bars_are_shares_of_the_best_score():
    best, other = show_hits(
        [
            make_hit(lexical=1.0, title=0.5, vector=0.25, name_meaning=0.25),
            make_hit(lexical=0.5),
        ]
    )
    assert [(share.name, share.x, share.width) for share in best.shares] == [
        ("words", 0.0, 60.0),
        ("heading", 60.0, 30.0),
        ("meaning", 90.0, 30.0),
    ]
    assert [share.width for share in other.shares] == [30.0]


def test_a_reranker_is_the_whole_bar_or_no_part_of_it():
    ordered = replace(make_hit(lexical=1.0), scores={"lexical": 1.0, "rerank": 7.0})
    scored = replace(ordered, score=7.0)
    (shown,) = show_hits([ordered])
    assert [(share.name, share.width) for share in shown.shares] == [("words", 120.0)]
    (shown,) = show_hits([scored])
    assert [(share.name, share.width) for share in shown.shares] == [(OTHER, 120.0)]
