"""Constraints of a file as numbers, and with the numbers of the program."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outcrop.codegraph.flow import constraints as c
from outcrop.codegraph.flow.constraints import FILE_CONSTRAINTS, LAYOUTS, NUMBERS
from outcrop.codegraph.flow.encoded import Encoder, encoded_file


def decoded(rows, variables, symbols):
    """Return (variable, constraint) of each row, written and read again."""
    encoder = Encoder()
    for variable, constraint in rows:
        encoder.add(variable, constraint)
    file = encoded_file(*encoder.finish(), variables, symbols, LAYOUTS)
    return [(variable, file.decode(at)) for variable, at in file.places()]


@pytest.mark.parametrize(
    ("of_file", "of_program"),
    [
        (c.Copy(3), c.Copy(103)),
        (c.ReadAttribute(3, "name", 2), c.ReadAttribute(103, "name", 1002)),
        (c.WriteAttribute("name", None, 2), c.WriteAttribute("name", None, 1002)),
        (c.ReadItem(3, 7, 2), c.ReadItem(103, 7, 1002)),
        (c.ReadItem(3, -1, 2), c.ReadItem(103, -1, 1002)),
        (c.ReadItem(3, None, 2), c.ReadItem(103, None, 1002)),
        (
            c.Call(3, (1, None), (("key", 4),), 5, 6, 2),
            c.Call(103, (101, None), (("key", 104),), 105, 106, 1002),
        ),
        (c.Call(None, (), (), None, None, 0), c.Call(None, (), (), None, None, 1000)),
        (c.Slice(3, 1, 2, 4), c.Slice(103, 1, 2, 1004)),
        (c.Super(3, 2), c.Super(103, 1002)),
        (c.Narrow(3, (4, 5)), c.Narrow(103, (104, 105))),
    ],
)
def test_only_variables_and_symbols_get_the_numbers_of_the_program(of_file, of_program):
    (place, placed), last = decoded([(8, of_file), (9, c.Raise(7))], 100, 1000)

    assert (place, placed) == (108, of_program)
    assert type(placed) is type(of_program)
    assert last == (109, c.Raise(1007))


numbers = st.integers(0, 2**31 - 1)
some = st.none() | numbers
names = st.text(max_size=5)
calls = st.builds(
    c.Call,
    some,
    st.lists(some, max_size=3).map(tuple),
    st.lists(st.tuples(names, numbers), max_size=3).map(tuple),
    some,
    some,
    numbers,
)
keys = st.none() | names | st.integers()
constraints = st.one_of(
    calls,
    st.builds(c.Copy, numbers),
    st.builds(c.ReadAttribute, numbers, names, numbers),
    st.builds(c.WriteItem, keys, some, numbers),
    st.builds(c.Narrow, numbers, st.lists(numbers, max_size=3).map(tuple)),
)


@given(st.lists(st.tuples(numbers, constraints), max_size=20))
def test_what_is_written_is_read_again(rows):
    assert decoded(rows, 0, 0) == rows


def test_the_number_of_a_kind_is_its_place_in_the_list():
    assert [FILE_CONSTRAINTS[NUMBERS[kind]] for kind in FILE_CONSTRAINTS] == list(
        FILE_CONSTRAINTS
    )
