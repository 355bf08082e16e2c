"""Sizes in characters, and in whatever a function counts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outcrop.chunking.sizing import CharacterSizer, MeasuredSizer, measure_all
from outcrop.markdown import parse

TEXT = "# Title\n\nfirst paragraph here\n\nsecond one\n\n- item\n"


class Recorder:
    """Counts words and remembers what it was asked to measure."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def __call__(self, text: str) -> int:
        self.texts.append(text)
        return len(text.split())


def test_characters_are_code_points():
    sizer = CharacterSizer(parse(TEXT))
    assert sizer.of("e\u0301👩") == 3
    assert sizer.of("") == 0


def test_a_stretch_of_blocks_is_the_distance_of_their_starts():
    sizer = CharacterSizer(parse(TEXT))
    assert sizer.span(0, 4) == len(TEXT)
    assert sizer.span(1, 2) == len("first paragraph here\n\n")


def test_a_budget_of_characters_reaches_as_far_as_it_is():
    sizer = CharacterSizer(parse(TEXT))
    assert sizer.reach(3, 40, 10) == 13
    assert sizer.reach(3, 8, 10) == 8
    assert sizer.reach_inside(3, 40, 10) == 13


def test_a_function_measures_texts():
    sizer = MeasuredSizer(parse(TEXT), Recorder())
    assert sizer.of("three words here") == 3


def test_an_empty_text_is_not_measured():
    recorder = Recorder()
    sizer = MeasuredSizer(parse(TEXT), recorder)
    recorder.texts.clear()
    assert sizer.of("") == 0
    assert recorder.texts == []


def test_every_block_is_measured_once_at_the_start():
    recorder = Recorder()
    MeasuredSizer(parse(TEXT), recorder)
    assert "".join(recorder.texts) == TEXT
    assert len(recorder.texts) == 4


def test_a_measured_stretch_is_the_sum_of_its_blocks():
    recorder = Recorder()
    sizer = MeasuredSizer(parse(TEXT), recorder)
    recorder.texts.clear()
    assert sizer.span(0, 4) == len(TEXT.split())
    assert sizer.span(1, 3) == 5
    assert recorder.texts == []


def test_a_measured_budget_reaches_to_the_edge_of_a_block():
    sizer = MeasuredSizer(parse(TEXT), Recorder())
    starts = parse(TEXT).blocks.starts
    assert sizer.reach(0, len(TEXT), 5) == starts[2]
    assert sizer.reach(0, len(TEXT), 6) == starts[2]
    assert sizer.reach(0, len(TEXT), 7) == starts[3]
    assert sizer.reach(0, len(TEXT), 99) == len(TEXT)


def test_a_measured_budget_reaches_into_a_block_that_is_too_large():
    text = "one two three four five six seven eight nine ten\n"
    sizer = MeasuredSizer(parse(text), Recorder())
    reach = sizer.reach(0, len(text), 4)
    assert len(text[:reach].split()) <= 4
    assert reach > 0


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(["a", "bb ", " ", "\n\n", "- c\n", "ddd eee "]), min_size=1
    ),
    st.integers(1, 20),
    st.data(),
)
def test_what_is_reached_fits(
    pieces: list[str], budget: int, data: st.DataObject
) -> None:
    text = "".join(pieces)
    sizer = MeasuredSizer(parse(text), lambda piece: len(piece.split()))
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    reach = sizer.reach_inside(start, end, budget)
    assert start <= reach <= end
    assert len(text[start:reach].split()) <= budget


@pytest.mark.parametrize("size", [10, 100])
def test_homing_in_measures_no_more_than_a_few_budgets(size):
    text = "word " * 20_000
    recorder = Recorder()
    sizer = MeasuredSizer(parse(text), recorder)
    recorder.texts.clear()
    start = 0
    while start < len(text):
        start = sizer.reach_inside(start, len(text), size)
    longest = max(map(len, recorder.texts))
    assert longest <= 8 * size * len("word ")
    assert len(recorder.texts) <= 20 * (20_000 // size)


def test_a_function_that_measures_in_batches_is_asked_once():
    class Batches:
        calls = 0

        def __call__(self, text: str) -> int:
            raise AssertionError("texts were measured one by one")

        def count_batch(self, texts: list[str]) -> list[int]:
            self.calls += 1
            return [len(text) for text in texts]

    batches = Batches()
    assert measure_all(batches, ["a", "bb", ""]) == [1, 2, 0]
    assert batches.calls == 1


def test_a_plain_function_is_asked_for_each_text():
    assert measure_all(len, ["a", "bb"]) == [1, 2]
