"""The reader of front matter agrees with a full parser of YAML."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from outcrop.text.simple_yaml import read_simple_yaml


@pytest.mark.parametrize(
    "text",
    [
        "title: Rootless mode",
        "title:   Rootless mode   # with a comment",
        "title: 'It''s here'",
        'title: "A \\"quoted\\" title: with \\u00e9" # comment',
        "'title': x",
        '"title": x',
        "title: C# in depth",
        "title: http://example.org/a:b",
        "title: one\n  two\n  three",
        "title:\n  on the next line",
        "title: 'one\n  two'",
        "description: >\n  folded\n  lines\n",
        "description: >-\n  folded\n\n  twice\n",
        "description: |-\n  kept\n    as they\n  are",
        "tags: [a, 'b, c', \"d\", e f]",
        "tags: [\n  a,\n  b\n]",
        "tags: []",
        "tags:\n  - a\n  - 'b c'  # why\n  - \"d: e\"\n",
        "tags:\n- a\n- b\ntitle: T",
        "weight: 3\ntitle: T\n\n# comment\nmenu:\n  main:\n    title: not this one\n",
        "title: ~\nname: N",
        "title: null",
        "title: ''",
        "a: b\r\ntags:\r\n- c\r\n",
    ],
)
def test_a_value_is_what_a_full_parser_says(text):
    whole = yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506 - makes texts alone
    expected = {
        key: _one_line(value)
        for key, value in whole.items()
        if value and not isinstance(value, dict) and value not in ("~", "null")
    }
    found = read_simple_yaml(text)
    assert {key: _one_line(value) for key, value in found.items()} == expected


def _one_line(value):
    return " ".join(value.split()) if isinstance(value, str) else value


@pytest.mark.parametrize(
    "text",
    [
        "title: {a: b}",
        "title: *anchor",
        "title: [a, [b]]",
        "title: 'never closed",
        "title: [never, closed",
        "- a\n- b",
        ": x",
        "title:nothing",
        "%TAG ! x",
        "\0",
        "",
    ],
)
def test_what_is_malformed_or_nested_is_left_out(text):
    assert read_simple_yaml(text) == {}


_WORDS = st.text(
    st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=9
)
_VALUES = _WORDS | st.lists(_WORDS, max_size=3) | st.dictionaries(_WORDS, _WORDS)


@given(
    st.dictionaries(st.sampled_from(["title", "tags", "name"]), _VALUES),
    st.booleans(),
)
@settings(deadline=None)
def test_what_a_full_writer_writes_is_read_again(values, flow):
    parts = [
        yaml.safe_dump(
            {key: value}, allow_unicode=True, default_flow_style=flow, width=10_000
        )
        for key, value in values.items()
    ]
    # In flow style the writer puts braces around the mapping.
    lines = [part.strip()[1:-1] if flow else part for part in parts]
    expected = {
        key: value
        for key, value in values.items()
        if value and not isinstance(value, dict)
    }
    assert read_simple_yaml("\n".join(lines)) == expected


def test_only_the_keys_asked_for_are_read():
    text = "a: 1\nTitle: T\nb:\n  - c\ntitle: t\n"
    assert read_simple_yaml(text, {"title"}) == {"Title": "T", "title": "t"}
    assert read_simple_yaml(text, ()) == {}


@given(st.text(alphabet=st.sampled_from("ab:-#'\"[]{},|>&*!~ \n\t\r\\")))
@settings(deadline=None)
def test_no_text_is_too_odd(text):
    read_simple_yaml(text)


@pytest.mark.parametrize(
    "text",
    [
        "title" + " " * 60_000,
        "title: [" + " " * 60_000 + "x",
        "title: [x" + " " * 60_000,
    ],
    ids=[
        "a key without a colon",
        "a list that does not end",
        "an item without a comma",
    ],
)
@pytest.mark.timeout(5)
def test_a_long_run_of_spaces_is_read_in_linear_time(text):
    assert read_simple_yaml(text) == {}
