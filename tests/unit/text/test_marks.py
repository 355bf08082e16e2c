"""A mark occurs in none of the texts it is chosen for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from outcrop.text.marks import choose_mark, on_one_line


@given(st.lists(st.text(), max_size=5))
def test_a_mark_is_a_number_that_no_text_holds(texts):
    mark = choose_mark(texts)
    assert mark.isdecimal()
    assert not any(mark in text for text in texts)
    assert choose_mark(texts) == mark


def test_a_text_that_holds_every_short_number_makes_the_mark_longer():
    every = "".join(f"{number:06}," for number in range(1_000_000))
    mark = choose_mark([every])
    assert len(mark) == 9
    assert mark not in every


def test_texts_are_told_apart():
    assert choose_mark(["ab", "c"]) != choose_mark(["a", "bc"])


def test_a_lone_surrogate_has_a_mark_too():
    assert choose_mark(["\ud800"])


@given(st.text())
def test_whatever_a_name_holds_it_stays_on_one_line(text):
    line = on_one_line(text)
    assert line.isprintable()
    assert len(line.splitlines()) <= 1
    assert text.isprintable() <= (line == text)
