"""The same few thousand cases every time, so that `make test` fuzzes a little."""

from __future__ import annotations

import pytest

from fuzz.cases import CaseMaker
from fuzz.check import try_case
from fuzz.findings import Finding

SEED = "slice"
# The first is always tried, the others by `make test-full`.
PARTS = [
    pytest.param(number, marks=[pytest.mark.full] if number else [])
    for number in range(4)
]


def broken(target: str, numbers: range) -> str:
    """Try cases; describe those that break a promise."""
    maker = CaseMaker(SEED, (target,))
    found = []
    for number in numbers:
        case = maker.case(number)
        failure = try_case(case, seconds=10)
        if failure is not None:
            found.append(Finding(failure, case, SEED, number).describe())
    return "\n".join(found)


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("target", ["grammar", "mutation"])
def test_made_up_documents_keep_every_promise(target, part):
    assert broken(target, range(part, 10_000, len(PARTS))) == ""


@pytest.mark.parametrize("part", PARTS)
def test_both_readers_see_the_same_blocks(part):
    assert broken("readers", range(part, 40_000, len(PARTS))) == ""


@pytest.mark.parametrize("part", PARTS)
def test_texts_have_the_same_words_in_c_and_in_python(part):
    assert broken("words", range(part, 8_000, len(PARTS))) == ""


@pytest.mark.parametrize("part", PARTS)
def test_damaged_programs_are_read_as_far_as_they_go(part):
    assert broken("code", range(part, 1600, len(PARTS))) == ""
