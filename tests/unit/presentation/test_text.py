"""Text for people is short, on one line, and has its units."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from outcrop.presentation.text import megabytes, shorten


@given(st.text(), st.integers(2, 50))
def test_what_is_shortened_is_one_short_line(text, length):
    line = shorten(text, length)
    assert len(line) <= length
    assert "\n" not in line


def test_a_text_that_is_cut_ends_with_an_ellipsis():
    assert shorten("north  quay\nis deep", 12) == "north quay …"
    assert shorten("north  quay", 12) == "north quay"


def test_bytes_are_shown_in_megabytes():
    assert megabytes(1_500_000) == "1.5 MB"
    assert megabytes(2_345_600_000) == "2,345.6 MB"
