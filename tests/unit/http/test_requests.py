"""Requests: cursors that were written are read, and every setting is passed on."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outcrop import ChunkConfig, TokenCounter
from outcrop.chunking.config import STRATEGY_NAMES
from outcrop.http.problems import ProblemError
from outcrop.http.requests import ChunkBody, read_cursor, write_cursor

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


# A value other than the default for each setting of the chunker.
SETTINGS = {
    "max_chunk_size": 50,
    "min_chunk_size": 7,
    "overlap_size": 9,
    "code_threshold": 0.5,
    "structure_threshold": 2,
    "oversize_tolerance": 0.25,
    "oversize_blocks": "split",
    "strategy": "blocks",
    "include_document_summary": False,
    "unit": "tokens",
}


def test_row_1_38_every_setting_of_the_chunker_can_be_sent():
    names = {field.name for field in fields(ChunkConfig)}
    assert set(SETTINGS) == names - {"length"} | {"unit"}
    config = ChunkBody(text="text", **SETTINGS).config()
    expected = {**SETTINGS, "length": TokenCounter()}
    del expected["unit"]
    assert {name: getattr(config, name) for name in names} == expected


def test_row_1_38_the_defaults_are_those_of_the_chunker():
    assert ChunkBody(text="text").config() == ChunkConfig()


@pytest.mark.parametrize("name", STRATEGY_NAMES)
def test_row_1_38_every_strategy_can_be_sent(name):
    assert ChunkBody(text="text", strategy=name).config().strategy == name
