"""Line numbers of offsets."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outcrop.text.offsets import LineCounter

_TEXT = st.text(st.sampled_from("ab\r\n\u2028\x0b\x0c\x85"), max_size=40)


def _line_at(text: str, offset: int) -> int:
    """The definition: one more than the line ends that lie wholly before."""
    return 1 + sum(1 for end in re.finditer(r"\r\n|\r|\n", text) if end.end() <= offset)


def test_lines_are_counted_from_one():
    assert LineCounter("abc").line_at(0) == 1


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_every_kind_of_line_end_counts_once(newline):
    text = newline.join(["one", "two", "", "four"])
    counter = LineCounter(text)
    assert counter.line_at(text.index("two")) == 2
    assert counter.line_at(text.index("four")) == 4


def test_a_line_end_belongs_to_the_line_it_ends():
    counter = LineCounter("a\nb")
    assert counter.line_at(1) == 1
    assert counter.line_at(2) == 2


def test_both_halves_of_a_crlf_are_on_one_line():
    counter = LineCounter("a\r\nb")
    assert [counter.line_at(offset) for offset in range(5)] == [1, 1, 1, 2, 2]


def test_mixed_line_ends():
    counter = LineCounter("a\rb\r\nc\nd")
    assert counter.line_at(2) == 2
    assert counter.line_at(5) == 3
    assert counter.line_at(7) == 4


@pytest.mark.parametrize("char", ["\u2028", "\u2029", "\x0b", "\x0c", "\x85", "\x1e"])
def test_what_commonmark_calls_no_line_end_counts_for_nothing(char):
    assert LineCounter(f"a{char}b").line_at(2) == 1


def test_an_offset_before_the_last_one_may_be_asked_for():
    counter = LineCounter("a\nb\nc\nd")
    assert counter.line_at(6) == 4
    assert counter.line_at(2) == 2
    assert counter.line_at(0) == 1


@given(_TEXT, st.lists(st.integers(0, 40), max_size=8))
def test_any_order_of_questions_gives_the_same_answers(
    text: str, offsets: list[int]
) -> None:
    counter = LineCounter(text)
    offsets = [min(offset, len(text)) for offset in offsets]
    expected = [_line_at(text, offset) for offset in offsets]
    assert [counter.line_at(offset) for offset in offsets] == expected
