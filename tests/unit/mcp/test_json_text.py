"""One entry of a JSON text changes, and nothing else."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outcrop.errors import InputError
from outcrop.mcp.install.json_text import read_data, remove_entry, set_entry
from outcrop.mcp.install.jsonc import parse
from unit.mcp.settings_texts import ENTRIES, SETTINGS, jsonc, notes

ENTRY = {"command": "outcrop", "args": ["mcp", "--project", "."]}

COMMENTED = """\
{
    // servers of this project
    "inputs": [],
    "servers": {
        "other": { // works since May
            "command": "x",
        }, // keep
    },
}
"""


def bare(text: str) -> str:
    return "".join(text.split())


def is_part(shorter: str, longer: str) -> bool:
    """Whether all characters of one text are in another, in order."""
    rest = iter(longer)
    return all(character in rest for character in shorter)


def without_entry(text: str) -> str:
    """Cut an entry out of a text, however that looks."""
    root = parse(text)
    place = root.find("servers")
    if place is None:
        return text
    servers = root.members[place][1].value
    place = servers.find("outcrop")
    if place is None:
        return text
    member = servers.members[place][1]
    return f"{text[: member.start]} {text[member.value.end :]}"


@given(st.data(), SETTINGS, ENTRIES)
def test_an_entry_is_added_and_all_else_stays(data, settings, entry):
    text = data.draw(jsonc(settings))
    there = settings.get("servers", {}).get("outcrop")
    after = set_entry(text, "servers", "outcrop", entry)
    merged = {**there, **entry} if isinstance(there, dict) else entry
    servers = {**settings.get("servers", {}), "outcrop": merged}
    assert parse(after).data == {**settings, "servers": servers}
    if there is None and "outcrop" not in settings.get("servers", {}):
        assert notes(after) == notes(text)
        assert is_part(bare(text), bare(after))


@given(st.data(), SETTINGS)
def test_an_entry_is_removed_and_all_else_stays(data, settings):
    text = data.draw(jsonc(settings))
    after = remove_entry(text, "servers", "outcrop")
    servers = dict(settings.get("servers", {}))
    servers.pop("outcrop", None)
    expected = {**settings, "servers": servers} if "servers" in settings else settings
    assert parse(after).data == expected
    assert is_part(bare(after), bare(text))
    assert notes(after) == notes(without_entry(text))


@given(st.data(), SETTINGS, ENTRIES)
def test_setting_twice_is_setting_once(data, settings, entry):
    once = set_entry(data.draw(jsonc(settings)), "servers", "outcrop", entry)
    assert set_entry(once, "servers", "outcrop", entry) == once


@given(SETTINGS, st.sampled_from([None, 2, 4, "\t"]), st.sampled_from(["\n", "\r\n"]))
def test_what_was_added_is_removed_without_a_trace(settings, indent, line_end):
    settings.setdefault("servers", {}).pop("outcrop", None)
    text = json.dumps(settings, indent=indent).replace("\n", line_end)
    after = remove_entry(
        set_entry(text, "servers", "outcrop", ENTRY), "servers", "outcrop"
    )
    assert parse(after).data == settings
    if settings["servers"]:
        assert after == text


def test_an_entry_looks_like_its_neighbours():
    assert (
        set_entry(COMMENTED, "servers", "outcrop", ENTRY)
        == """\
{
    // servers of this project
    "inputs": [],
    "servers": {
        "other": { // works since May
            "command": "x",
        }, // keep
        "outcrop": {
            "command": "outcrop",
            "args": ["mcp", "--project", "."]
        },
    },
}
"""
    )


def test_a_file_that_is_one_line_stays_one():
    after = set_entry('{"a": 1, "mcpServers": {}}', "mcpServers", "o", {"command": "x"})
    assert after == '{"a": 1, "mcpServers": {"o": {"command": "x"}}}'


def test_line_ends_stay_those_of_the_file():
    after = set_entry('{\r\n\t"a": 1\r\n}\r\n', "servers", "o", {"command": "x"})
    assert after == (
        '{\r\n\t"a": 1,\r\n\t"servers": {\r\n\t\t"o": {\r\n\t\t\t"command": "x"'
        "\r\n\t\t}\r\n\t}\r\n}\r\n"
    )


def test_a_comment_behind_the_last_value_stays_with_it():
    after = set_entry('{\n  "a": 1 // one\n}\n', "s", "o", {})
    assert after == '{\n  "a": 1, // one\n  "s": {\n    "o": {}\n  }\n}\n'


def test_fields_that_the_user_added_stay():
    text = """\
{
  "s": {
    "o": {
      "command": "old", // mine
      "env": {"OUTCROP_DATABASE_URL": "postgresql:///x"}
    }
  }
}
"""
    after = set_entry(text, "s", "o", {"command": "new", "args": ["mcp"]})
    assert (
        after
        == """\
{
  "s": {
    "o": {
      "command": "new", // mine
      "env": {"OUTCROP_DATABASE_URL": "postgresql:///x"},
      "args": ["mcp"]
    }
  }
}
"""
    )


def test_an_empty_text_becomes_an_object():
    after = set_entry("// mine\n", "s", "o", {"command": "x"})
    assert (
        after
        == '// mine\n{\n  "s": {\n    "o": {\n      "command": "x"\n    }\n  }\n}\n'
    )


@pytest.mark.parametrize("text", ["[]", "1", '"x"', "null"])
def test_what_is_no_object_is_refused(text):
    with pytest.raises(InputError, match="no JSON object"):
        read_data(text)


@pytest.mark.parametrize("servers", ["[]", "null", "7"])
def test_servers_that_are_no_object_are_refused(servers):
    with pytest.raises(InputError, match="'s' is no object with servers"):
        set_entry(f'{{"s": {servers}}}', "s", "o", {})


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ('{"s":{"o":null// note\n,}}', '{"s":{// note\n}}'),
        ('{"s":{"o":1/* note */,"p":2}}', '{"s":{/* note */"p":2}}'),
        ('{"s": {"p": 2, "o": 1}}', '{"s": {"p": 2}}'),
        ('{"s": {"o": 1, "p": 2}}', '{"s": {"p": 2}}'),
        ('{"s": {"o": 1}}', '{"s": {}}'),
        (
            '{\n"s": {\n  "p": 2, // two\n  "o": 1\n}\n}',
            '{\n"s": {\n  "p": 2 // two\n}\n}',
        ),
    ],
)
def test_an_entry_is_removed_with_its_comma_alone(text, after):
    assert remove_entry(text, "s", "o") == after
