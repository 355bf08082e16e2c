"""JSON with comments is read as JSON is, and every value knows its place."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outcrop.errors import InputError
from outcrop.mcp.install.jsonc import parse
from unit.mcp.settings_texts import SETTINGS, jsonc


@given(st.data(), SETTINGS)
def test_comments_and_trailing_commas_change_nothing(data, value):
    assert parse(data.draw(jsonc(value))).data == value


@given(SETTINGS)
def test_plain_json_is_read_as_json_reads_it(value):
    assert parse(json.dumps(value)).data == value


def test_a_value_knows_its_place():
    text = '{"a": [1, 2], /* , */ "b": "x" }'
    root = parse(text)
    assert [text[m.value.start : m.value.end] for _, m in root.members] == [
        "[1, 2]",
        '"x"',
    ]
    assert [m.comma for _, m in root.members] == [12, None]


@pytest.mark.parametrize("text", ["", "  \n", "// only a note", "/* a */\n// b\n"])
def test_a_text_without_a_value_is_an_empty_object(text):
    assert parse(text).data == {}


def test_of_equal_names_the_last_counts():
    root = parse('{"a": 1, "a": 2}')
    assert root.data == {"a": 2}
    assert root.find("a") == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1\n "b": 2}', "line 2: a comma or } is expected"),
        ("{a: 1}", "line 1: a name in quotes is expected"),
        ('{"a" 1}', "line 1: a colon is expected"),
        ('{"a": }', "line 1: a value is expected"),
        ('{"a": [1,,2]}', "line 1: a value is expected"),
        ('{"a": 1} x', "line 1: there is more behind the end"),
        ('{"a": 1', "line 1: a comma or } is expected"),
        ('{"a', "line 1: a value is expected"),
        ("{} /* never", "line 1: a comment is not closed"),
        ("[" * 5_000, "line 1: values are nested too deeply"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(text, message):
    with pytest.raises(InputError) as caught:
        parse(text)
    assert str(caught.value) == message
