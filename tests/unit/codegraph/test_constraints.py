"""Constraints of a file as plain tuples, and with the numbers of the program."""

from __future__ import annotations

import pytest

from outcrop.codegraph.flow import constraints as c
from outcrop.codegraph.flow.constraints import (
    FILE_CONSTRAINTS,
    LAYOUTS,
    NUMBERS,
    place_all,
)


def packed(constraint):
    return (NUMBERS[type(constraint)], *constraint)


@pytest.mark.parametrize(
    ("of_file", "of_program"),
    [
        (c.Copy(3), c.Copy(103)),
        (c.ReadAttribute(3, "name", 2), c.ReadAttribute(103, "name", 1002)),
        (c.WriteAttribute("name", None, 2), c.WriteAttribute("name", None, 1002)),
        (c.ReadItem(3, 7, 2), c.ReadItem(103, 7, 1002)),
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
    other = packed(c.Raise(7))
    placed, last = place_all([packed(of_file), other], 100, 1000, LAYOUTS)

    assert placed == of_program
    assert type(placed) is type(of_program)
    assert last == c.Raise(1007)


def test_the_number_of_a_kind_is_its_place_in_the_list():
    assert [FILE_CONSTRAINTS[NUMBERS[kind]] for kind in FILE_CONSTRAINTS] == list(
        FILE_CONSTRAINTS
    )
