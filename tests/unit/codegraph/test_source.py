"""Bytes to characters."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from outcrop.codegraph.source import Source


@given(st.text())
def test_byte_offsets_become_character_offsets(text):
    source = Source(text.encode("utf-8", "replace"))
    byte = 0
    for position, character in enumerate(source.text):
        assert source.character(byte) == position
        byte += len(character.encode())
    assert source.character(byte) == len(source.text)


@given(st.binary())
def test_any_bytes_can_be_read(raw):
    source = Source(raw)
    assert source.character(len(source.data)) == len(source.text)
    assert source.data.decode("utf-8") == source.text
