"""Cursors: what was written is read, anything else is refused."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outcrop.http.problems import ProblemError
from outcrop.http.requests import read_cursor, write_cursor

KEYS = st.text(
    st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=50
)


@given(KEYS)
def test_what_was_written_is_read(key):
    assert read_cursor(write_cursor(key)) == key


@given(st.text(max_size=30))
def test_nothing_else_is_taken_for_one(text):
    with suppress(ProblemError):
        key = read_cursor(text)
        assert key == "" or write_cursor(key) == text


@pytest.mark.parametrize("cursor", [None, ""])
def test_without_a_cursor_a_list_starts(cursor):
    assert read_cursor(cursor) == ""
