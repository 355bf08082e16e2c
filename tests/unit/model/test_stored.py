"""Ids of documents and chunks, and chunks with other values."""

from __future__ import annotations

import re
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outcrop.model.stored import StoredChunk, altered, document_id, store_id


@given(st.text(st.characters(codec="utf-8")), st.text(st.characters(codec="utf-8")))
def test_ids_are_16_hexadecimal_digits(path: str, chunk_id: str) -> None:
    assert re.fullmatch("[0-9a-f]{16}", document_id(path))
    assert re.fullmatch("[0-9a-f]{16}", store_id(path, chunk_id))


def test_ids_never_change() -> None:
    # Stored ids must be found again by every later version.
    assert document_id("docs/a.md") == "ad311d9dab800abe"
    assert store_id("docs/a.md", "0011aabb") == "05498b279ac6bac6"


def test_path_and_chunk_id_are_told_apart() -> None:
    assert store_id("ab", "c") != store_id("a", "bc")


_CHUNK = StoredChunk(
    path="a.md", chunk_id="b", source="doc", kind="section", content="c", chunk_index=3
)


@pytest.mark.parametrize("name", [field.name for field in fields(StoredChunk)])
def test_an_altered_chunk_is_what_replace_makes_of_it(name: str) -> None:
    value = 7 if isinstance(getattr(_CHUNK, name), int) else "other"
    new, expected = altered(_CHUNK, {name: value}), replace(_CHUNK, **{name: value})
    for field in fields(StoredChunk):
        assert getattr(new, field.name) == getattr(expected, field.name)
    assert getattr(_CHUNK, name) != value


def test_a_chunk_without_a_place_gets_its_index() -> None:
    assert altered(_CHUNK, {"place": -1, "chunk_index": 5}).place == 5


def test_a_value_that_chunks_do_not_have_is_rejected() -> None:
    with pytest.raises(KeyError, match="colour"):
        altered(_CHUNK, {"colour": "red"})
