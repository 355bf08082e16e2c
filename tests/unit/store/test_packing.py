"""Text and JSON as PostgreSQL can hold them."""

from __future__ import annotations

import json

import pytest

from outcrop.store.packing import clean_row, clean_text, to_json


@pytest.mark.parametrize("text", ["", "plain", "é 文 🎉", "\x01\x7f\ufffd", "\\u0000"])
def test_text_that_can_be_stored_stays_the_same_object(text: str) -> None:
    assert clean_text(text) is text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\0b", "a\ufffdb"),
        ("\0\0", "\ufffd\ufffd"),
        ("\ud800", "\ufffd"),
        ("é\udfff\0文", "é\ufffd\ufffd文"),
    ],
)
def test_what_cannot_be_stored_becomes_the_replacement_character(
    text: str, expected: str
) -> None:
    assert clean_text(text) == expected
    assert clean_row((text, 1, None, b"\0")) == (expected, 1, None, b"\0")


def test_json_is_cleaned_in_keys_and_values_alone() -> None:
    value = {"a\0": ["\\u0000", "\0", {"\ud800": "\\\0"}], "n": [1, 1.5, None, True]}
    assert json.loads(to_json(value)) == {
        "a\ufffd": ["\\u0000", "\ufffd", {"\ufffd": "\\\ufffd"}],
        "n": [1, 1.5, None, True],
    }


def test_json_without_such_characters_is_written_once() -> None:
    value = {"path": "C:\\users\\u0000", "é": ["文"]}
    assert json.loads(to_json(value)) == value


def test_values_that_json_does_not_know_are_made_of_the_default() -> None:
    assert to_json({"error": ValueError("a\0b")}, default=str) == '{"error":"a\ufffdb"}'


def test_numbers_and_keys_of_any_kind_are_written_as_by_the_standard_library() -> None:
    value = {"large": 2**70, "pair": (1, 2), "keys": {1: "a", 2: "b"}, "\ud800": 0}
    assert json.loads(to_json(value)) == {
        "large": 2**70,
        "pair": [1, 2],
        "keys": {"1": "a", "2": "b"},
        "\ufffd": 0,
    }
