"""Names of symbols, and their words."""

from __future__ import annotations

import pytest

from outcrop.search.names import is_symbol, spelled_out


@pytest.mark.parametrize(
    "text", ["parse", "JsonWriter", "get_chunk", "Store.get", "a::b::C", "f(int, str)"]
)
def test_a_name_is_a_symbol(text: str):
    assert is_symbol(text)


@pytest.mark.parametrize("text", ["how is it parsed", "json writer", "2 cups", "a, b"])
def test_a_sentence_is_no_symbol(text: str):
    assert not is_symbol(text)


def test_a_name_is_spelled_out():
    assert spelled_out("HTTPServer get_all") == "http server get all"
