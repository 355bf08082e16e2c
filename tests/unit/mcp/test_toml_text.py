"""One entry of a TOML text changes, and nothing else."""

from __future__ import annotations

import tomllib

import pytest

from outcrop.errors import InputError
from outcrop.mcp.install.toml_text import read_data, remove_entry, set_entry

ENTRY = {"command": "C:\\bin\\outcrop", "args": ["mcp", 'a "quoted" folder']}

SETTINGS = '''\
# Mine, all of it.
model = "large"   # aligned by hand

[mcp_servers.docs]
command = "docs"  # since May
args = [
    "serve",  # the first
]

[mcp_servers.docs.env]
TOKEN = "x"

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
    return set_entry(text, "mcp_servers", "outcrop", ENTRY)


def take(text: str) -> str:
    return remove_entry(text, "mcp_servers", "outcrop")


def test_an_entry_is_added_at_the_end_and_all_else_stays():
    assert put(SETTINGS) == SETTINGS + ADDED


def test_setting_twice_is_setting_once():
    assert put(put(SETTINGS)) == put(SETTINGS)


def test_what_was_added_is_removed_again():
    after = take(put(SETTINGS))
    assert after.rstrip() == SETTINGS.rstrip()


def test_an_empty_text_gets_the_entry_alone():
    assert put("") == ADDED.lstrip()
    assert take(put("")).strip() == ""


def test_line_ends_stay_those_of_the_file():
    text = SETTINGS.replace("\n", "\r\n")
    after = put(text)
    assert after == text + ADDED.replace("\n", "\r\n")
    assert take(after).rstrip() == text.rstrip()


def test_fields_that_the_user_added_stay_with_their_comments():
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
    server = tomllib.loads(after)["mcp_servers"]["outcrop"]
    assert server == {
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
        'mcp_servers.docs.command = "x"\nother = 1 # note\n',
        '[mcp_servers]\ndocs = { command = "x" } # note\n[other]\na = 1\n',
        '[mcp_servers.docs]\ncommand = "x"\n[other]\na = 1\n[mcp_servers.more]\nb = 2\n',
    ],
)
def test_an_entry_is_added_however_the_others_are_written(text):
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
def test_an_entry_is_removed_however_it_is_written(text):
    expected = tomllib.loads(text)
    del expected["mcp_servers"]["outcrop"]
    assert tomllib.loads(take(text)) == expected


def test_what_is_no_toml_is_refused_with_its_line():
    with pytest.raises(InputError, match=r"it is no TOML: .*line 2"):
        read_data("a = 1\nb = \n")


def test_servers_that_are_no_table_are_refused():
    with pytest.raises(InputError, match="'mcp_servers' is no table with servers"):
        put("mcp_servers = 7\n")
