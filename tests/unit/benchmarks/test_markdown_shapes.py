"""The documents that growth is measured on are what their titles say."""

from __future__ import annotations

import pytest
from _markdown_shapes import FACTORS, HOSTILE, MAIN, SHAPES

from outcrop.markdown import Kind, parse


@pytest.mark.parametrize("shape", MAIN, ids=lambda shape: shape.name)
def test_main_shapes_are_a_megabyte_and_grow_by_their_factor(shape):
    small, large = (len(shape.make(factor).encode()) for factor in FACTORS[:2])
    assert 0.99e6 < small <= 1.01e6
    assert abs(large / small - 4) < 0.01


@pytest.mark.parametrize("shape", HOSTILE, ids=lambda shape: shape.name)
def test_hostile_shapes_grow_by_their_factor(shape):
    small, large = (len(shape.make(factor)) for factor in FACTORS[:2])
    assert abs(large / small - 4) < 0.1


def test_a_shape_is_the_same_every_time():
    assert all(shape.make(1) == shape.make(1) for shape in MAIN)


def test_prose_has_headings_and_paragraphs_only():
    document = parse(SHAPES["prose"].make(1))
    assert set(document.blocks.kinds) == {Kind.HEADING, Kind.PARAGRAPH}
    assert len(document.headings) > 100


def test_the_list_is_one_list_of_items():
    document = parse(SHAPES["list"].make(1))
    assert set(document.blocks.kinds) == {Kind.PARAGRAPH}
    assert len(document.blocks) > 5000


def test_the_table_is_one_block():
    assert list(parse(SHAPES["table"].make(1)).blocks.kinds) == [Kind.TABLE]


def test_the_line_is_one_line_of_many_sentences():
    text = SHAPES["line"].make(1)
    assert "\n" not in text
    assert text.count(". ") > 5000


def test_titles_of_hostile_shapes_hold_at_the_largest_factor():
    assert SHAPES["quotes"].make(FACTORS[-1]).count(">") == 80_000
    assert SHAPES["markers"].make(FACTORS[-1]).count("- ") == 1_000_000
    assert SHAPES["nested-list"].make(FACTORS[-1]).count("- ") == 2_800
    assert SHAPES["long-title"].make(FACTORS[-1]).count("\n## ") == 36_000
    assert SHAPES["nested-functions"].make(FACTORS[-1]).count("function") == 8_000
    assert 49e6 < len(SHAPES["long-line"].make(FACTORS[-1])) <= 50e6
