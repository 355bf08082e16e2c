"""Small chunks join a neighbour they belong to."""

from __future__ import annotations

import pytest

from outcrop.chunking.merge import merge_small
from outcrop.chunking.strategies import StructuralStrategy


@pytest.fixture
def merged(lay_out):
    """First lines of the sections that stand alone after merging."""

    def run(text: str, **settings) -> list[list[str]]:
        layout = lay_out(text, **settings)
        drafts = merge_small(StructuralStrategy().drafts(layout), layout)
        pieces = [text[draft.start : draft.end] for draft in drafts]
        assert "".join(pieces) == text
        return [
            [line for line in piece.splitlines() if line.startswith("#")]
            for piece in pieces
        ]

    return run


def _section(level: int, title: str, words: int = 3) -> str:
    return f"{'#' * level} {title}\n\n{'word ' * words}\n\n"


def test_small_neighbours_under_one_parent_join(merged):
    text = _section(1, "A") + _section(2, "B") + _section(2, "C") + _section(2, "D")
    assert merged(text, max_chunk_size=1000, min_chunk_size=200) == [
        ["# A", "## B", "## C", "## D"]
    ]


def test_nothing_joins_that_is_large_enough(merged):
    text = _section(2, "B", 20) + _section(2, "C", 20)
    assert merged(text, max_chunk_size=1000, min_chunk_size=50) == [["## B"], ["## C"]]


def test_nothing_joins_that_does_not_fit(merged):
    text = _section(2, "B", 20) + _section(2, "C", 5)
    assert merged(text, max_chunk_size=120, min_chunk_size=100) == [["## B"], ["## C"]]


def test_one_small_neighbour_is_enough(merged):
    text = _section(2, "B", 40) + _section(2, "C", 1)
    assert merged(text, max_chunk_size=1000, min_chunk_size=100) == [["## B", "## C"]]


def test_small_ones_join_until_the_chunk_is_full(merged):
    text = "".join(_section(2, title, 8) for title in "ABCD")  # 48 characters each
    assert merged(text, max_chunk_size=110, min_chunk_size=60) == [
        ["## A", "## B"],
        ["## C", "## D"],
    ]


def test_a_section_joins_its_own_subsections(merged):
    for level in (2, 3):
        text = _section(1, "A", 1) + _section(2, "B", 1) + _section(level, "C", 1)
        assert merged(text, max_chunk_size=1000, min_chunk_size=100) == [
            ["# A", "## B", f"{'#' * level} C"]
        ]


def test_text_of_different_parents_stays_apart(merged):
    text = (
        _section(1, "A", 40)
        + _section(2, "A1", 30)
        + _section(1, "B", 40)
        + _section(2, "B1", 2)
        + _section(1, "C", 40)
    )
    groups = merged(text, max_chunk_size=230, min_chunk_size=25)
    assert ["# A"] in groups
    assert not any("## B1" in group and "# C" in group for group in groups)


def test_a_last_subsection_does_not_join_the_next_chapter(merged):
    text = _section(1, "A", 40) + _section(2, "A1", 1) + _section(1, "B", 40)
    assert merged(text, max_chunk_size=230, min_chunk_size=100) == [
        ["# A", "## A1"],
        ["# B"],
    ]


def test_a_small_section_waits_for_its_own_subsections(merged):
    text = _section(2, "A", 5) + _section(2, "B", 2) + _section(3, "B1", 2)
    assert merged(text, max_chunk_size=60, min_chunk_size=50) == [
        ["## A"],
        ["## B", "### B1"],
    ]


def test_a_small_preamble_joins_the_first_section_of_the_top_level(merged):
    text = "Intro.\n\n" + _section(1, "A", 10)
    assert merged(text, max_chunk_size=1000, min_chunk_size=50) == [["# A"]]


def test_a_small_preamble_joins_a_section_that_opens_with_a_run_of_headings(merged):
    text = "Intro words here.\n\n# A\n\n## B\n\nword\n"
    assert merged(text, max_chunk_size=1000, min_chunk_size=500) == [["# A", "## B"]]


def test_a_heading_waits_for_its_body(merged):
    text = _section(1, "A", 2) + "# B\n\n" + _section(2, "B1", 6)
    assert merged(text, max_chunk_size=48, min_chunk_size=40) == [
        ["# A"],
        ["# B", "## B1"],
    ]


def test_sizes_are_counted_as_the_user_counts(merged):
    text = _section(2, "A", 8) + _section(2, "B", 8)

    def words(piece: str) -> int:
        return len(piece.split())

    assert merged(text, max_chunk_size=15, min_chunk_size=11, length=words) == [
        ["## A"],
        ["## B"],
    ]
    assert merged(text, max_chunk_size=20, min_chunk_size=11, length=words) == [
        ["## A", "## B"]
    ]


def test_text_does_not_join_an_oversize_block(cut):
    text = f"## A\n\n```\n{'x' * 300}\n```\n\n## B\n\nshort\n"
    first, second = cut(text, max_chunk_size=200, min_chunk_size=100)
    assert first.metadata["oversize_reason"] == "code_block_integrity"
    assert second.content == "## B\n\nshort"


def test_the_boundary_of_the_first_is_kept(lay_out):
    text = _section(2, "A") + _section(2, "B")
    layout = lay_out(text, max_chunk_size=1000)
    (draft,) = merge_small(StructuralStrategy().drafts(layout), layout)
    assert (draft.stage, draft.rule) == ("strategy", "heading")
