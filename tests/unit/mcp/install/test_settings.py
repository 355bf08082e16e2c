"""One entry of JSON or TOML settings changes, and nothing else."""

from __future__ import annotations

import json
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outcrop.errors import InputError
from outcrop.mcp.install.settings import JsonSettings, TomlSettings
from unit.mcp.install.settings_data import ENTRIES, SETTINGS

JSON, TOML = JsonSettings(), TomlSettings()
ENTRY = {"command": "C:\\bin\\outcrop", "args": ["mcp", 'a "quoted" folder']}

SERVERS = """\
# Mine, all of it.
model = "large"   # aligned by hand

[mcp_servers.docs]
command = "docs"  # since May
args = [
    "serve",  # the first
]

[mcp_servers.docs.env]
TOKEN = "x"
"""
NOTES = '''
[notes]
text = """
[mcp_servers.outcrop]
this is only text
"""
'''
ADDED = """
[mcp_servers.outcrop]
command = "C:\\\\bin\\\\outcrop"
args = ["mcp", "a \\"quoted\\" folder"]
"""


def put(text: str) -> str:
    return TOML.edit(text, "mcp_servers", "outcrop", ENTRY)


def take(text: str) -> str:
    return TOML.edit(text, "mcp_servers", "outcrop", None)


@given(SETTINGS, ENTRIES, st.sampled_from([None, 2, 4, "\t"]))
def test_a_json_entry_is_set_and_removed_and_all_other_data_stays(
    settings, entry, indent
):
    text = json.dumps(settings, indent=indent)
    servers = settings.get("servers", {})
    there = servers.get("outcrop")
    merged = {**there, **entry} if isinstance(there, dict) else entry
    after = JSON.edit(text, "servers", "outcrop", entry)
    assert json.loads(after) == {**settings, "servers": {**servers, "outcrop": merged}}
    gone = json.loads(JSON.edit(after, "servers", "outcrop", None))
    others = {name: value for name, value in servers.items() if name != "outcrop"}
    assert gone == {**settings, "servers": others}


@given(SETTINGS, ENTRIES)
def test_setting_a_json_entry_twice_is_setting_it_once(settings, entry):
    once = JSON.edit(json.dumps(settings), "servers", "outcrop", entry)
    assert JSON.edit(once, "servers", "outcrop", entry) == once


@pytest.mark.parametrize("indent", ["  ", "    ", "\t"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_json_keeps_its_indentation_order_and_line_ends(indent, line_end):
    data = {"z": "é", "servers": {"other": {"command": "x"}}, "a": 1}
    text = json.dumps(data, indent=indent, ensure_ascii=False) + "\n"
    after = JSON.edit(text.replace("\n", line_end), "servers", "outcrop", ENTRY)
    data["servers"]["outcrop"] = ENTRY
    expected = json.dumps(data, indent=indent, ensure_ascii=False) + "\n"
    assert after == expected.replace("\n", line_end)


def test_json_without_the_entry_is_left_as_it_is():
    text = '{"servers":{"a":{}} }'
    assert JSON.edit(text, "servers", "outcrop", None) == text


@pytest.mark.parametrize("text", ["{'a': 1}", '{"a": NaN, "a": 1}', "[" * 100_000])
def test_text_that_is_not_json_is_refused(text):
    with pytest.raises(InputError, match="cannot be read as plain JSON"):
        JSON.read(text)


def test_a_toml_entry_is_added_after_the_other_servers():
    assert put(SERVERS + NOTES) == SERVERS + ADDED + NOTES
    assert take(put(SERVERS + NOTES)) == SERVERS + NOTES


def test_setting_a_toml_entry_twice_is_setting_it_once():
    assert put(put(SERVERS)) == put(SERVERS) == SERVERS + ADDED


def test_an_empty_text_gets_the_entry_alone():
    assert put("") == ADDED.lstrip()
    assert take(put("")) == ""


def test_toml_keeps_its_line_ends():
    text = SERVERS.replace("\n", "\r\n")
    assert put(text) == text + ADDED.replace("\n", "\r\n")
    assert take(put(text)) == text


def test_toml_fields_that_the_user_added_stay_with_their_comments():
    text = """\
[mcp_servers.outcrop]
command = "old" # mine
startup_timeout_sec = 20 # it is a slow machine

[mcp_servers.outcrop.env]
OUTCROP_DATABASE_URL = "postgresql:///x"

# The end.
[other]
a = 1
"""
    after = put(text)
    assert tomllib.loads(after)["mcp_servers"]["outcrop"] == {
        **ENTRY,
        "startup_timeout_sec": 20,
        "env": {"OUTCROP_DATABASE_URL": "postgresql:///x"},
    }
    for comment in ("# mine", "# it is a slow machine", "# The end."):
        assert comment in after


@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers = { docs = { command = "x" } }\n',
        '[mcp_servers]\ndocs = { command = "x" } # note\n[other]\na = 1\n',
        '[mcp_servers.docs]\ncommand = "x"\n[other]\na = 1\n[mcp_servers.more]\nb = 2\n',
    ],
)
def test_a_toml_entry_is_added_however_the_others_are_written(text):
    after = put(text)
    servers = tomllib.loads(text)["mcp_servers"]
    assert tomllib.loads(after)["mcp_servers"] == {**servers, "outcrop": ENTRY}
    assert tomllib.loads(take(after)) == tomllib.loads(text)
    assert after.count("# note") == text.count("# note")


@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers = { outcrop = { command = "x" }, docs = { a = 1 } }\n',
        '[mcp_servers]\noutcrop.command = "x"\ndocs.a = 1\n',
        '[mcp_servers.outcrop]\ncommand = "x"\n[z]\n[mcp_servers.docs]\na = 1\n',
    ],
)
def test_a_toml_entry_is_removed_however_it_is_written(text):
    expected = tomllib.loads(text)
    del expected["mcp_servers"]["outcrop"]
    assert tomllib.loads(take(text)) == expected


def test_text_that_is_not_toml_is_refused_with_its_line():
    with pytest.raises(InputError, match=r"cannot be read as TOML .*line 2"):
        TOML.read("a = 1\nb = \n")


def test_servers_that_are_not_a_table_are_refused():
    with pytest.raises(InputError, match="'mcp_servers' is not a table of servers"):
        put("mcp_servers = 7\n")
