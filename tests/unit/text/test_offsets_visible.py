"""The next visible character."""

from __future__ import annotations

import sys

from hypothesis import given
from hypothesis import strategies as st

from outcrop.text.offsets import first_visible

_SPACED = st.text(st.sampled_from(" \t\r\n\u00a0\u2028\u3000\x1cab"), max_size=30)


def test_finds_the_first_visible_character():
    assert first_visible("  \t\n x y", 0, 8) == 5


def test_starts_where_it_is_told_to():
    assert first_visible("a  b", 1, 4) == 3


def test_gives_the_end_where_all_is_white():
    assert first_visible("a   b", 1, 4) == 4


def test_never_looks_behind_the_end():
    assert first_visible("    b", 0, 2) == 2


def test_gives_the_end_of_an_empty_stretch():
    assert first_visible("abc", 2, 2) == 2


def test_a_zero_width_space_and_a_byte_order_mark_are_visible():
    assert first_visible(" \u200b", 0, 2) == 1
    assert first_visible(" \ufeff", 0, 2) == 1


def test_agrees_with_isspace_on_every_code_point():
    different = [
        char
        for char in map(chr, range(sys.maxunicode + 1))
        if (first_visible(char, 0, 1) == 1) != char.isspace()
    ]
    assert different == []


@given(_SPACED, st.integers(0, 30), st.integers(0, 30))
def test_agrees_with_stripping(text: str, start: int, end: int) -> None:
    start, end = min(start, len(text)), min(end, len(text))
    start = min(start, end)
    expected = end - len(text[start:end].lstrip())
    assert first_visible(text, start, end) == expected
