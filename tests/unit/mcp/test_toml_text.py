"""One entry of a TOML text changes, and nothing else."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

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


TABLES = st.lists(
    st.sampled_from(
        [
            "[a]\nx = 1 # one\n",
            '[a.b]\n# inside\ny = """\n[mcp_servers.outcrop]\n"""\n',
            '[[list]]\nz = {k = "v"} # two\n',
            "# alone\n\n",
            '[mcp_servers.other]\ncommand = "x" # three\nargs = [\n  "a", # four\n]\n',
            '[mcp_servers.other.env]\nT = "t"\n',
            '[mcp_servers."odd name"]\nurl = "u"\n',
            '[mcp_servers.outcrop]\ncommand = "old" # five\ntimeout = 3 # six\n',
            '[mcp_servers.outcrop.env]\nE = "e" # seven\n',
        ]
    ),
    unique=True,
    max_size=7,
)
HEADS = st.sampled_from(["", "# head\n", "top = true # eight\n\n"])


def is_part(shorter: list[str], longer: list[str]) -> bool:
    """Whether all lines of one text are in another, in order."""
    rest = iter(longer)
    return all(line in rest for line in shorter)


@given(HEADS, TABLES)
def test_in_any_order_of_tables_only_the_entry_changes(head, tables):
    text = head + "".join(tables)
    before = tomllib.loads(text)
    servers = before.get("mcp_servers", {})
    after = put(text)
    expected = {**servers.get("outcrop", {}), **ENTRY}
    assert tomllib.loads(after) == {
        **before,
        "mcp_servers": {**servers, "outcrop": expected},
    }
    kept = [line for line in text.splitlines() if not line.startswith('command = "old')]
    assert is_part(kept, after.splitlines())
    entry_tables = [table for table in tables if "[mcp_servers.outcrop" in table[:22]]
    rest = head + "".join(table for table in tables if table not in entry_tables)
    lines = [line for line in take(after).splitlines() if line]
    assert lines == [line for line in rest.splitlines() if line]
    gone = tomllib.loads(take(after))
    others = {name: value for name, value in servers.items() if name != "outcrop"}
    assert gone.get("mcp_servers", {}) == others
    assert {**gone, "mcp_servers": 0} == {**before, "mcp_servers": 0}
