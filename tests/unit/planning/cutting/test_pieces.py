from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from outcrop.planning.cutting.pieces import cut_lines


def parts(text, limit):
    bounds = cut_lines(text, limit, len)
    return [text[a:b] for a, b in pairwise(bounds)]


def test_blocks_stay_together_while_they_fit():
    text = "a: 1\n\nb: 2\n\nc: 3\n"
    assert parts(text, 12) == ["a: 1\n\nb: 2\n\n", "c: 3\n"]


def test_an_indented_line_after_a_blank_one_belongs_to_its_block():
    text = "task x\n\n  step\n\ntask y\n"
    assert parts(text, 16) == ["task x\n\n  step\n\n", "task y\n"]


def test_a_block_over_the_limit_is_cut_at_lines():
    assert parts("aaa\nbbb\nccc\n", 8) == ["aaa\nbbb\n", "ccc\n"]


def test_a_line_over_the_limit_is_cut_between_characters():
    assert parts("abcdefg\n", 3) == ["abc", "def", "g\n"]


@given(st.text(alphabet="ab \n\té\r", max_size=80), st.integers(1, 12))
def test_the_parts_are_the_text_and_none_is_over_the_limit(text, limit):
    found = parts(text, limit)

    assert "".join(found) == text
    assert all(0 < len(part) <= limit for part in found)
