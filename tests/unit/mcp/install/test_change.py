"""Settings files are changed whole or not at all, and the old file is kept."""

from __future__ import annotations

import json
import os
import stat

import pytest

from outcrop.errors import InputError
from outcrop.mcp.install.clients import CLIENTS
from outcrop.mcp.install.plan import plan_change

CURSOR, CODEX = CLIENTS["cursor"], CLIENTS["codex"]
ENTRY = {"command": "outcrop", "args": ["mcp"]}


@pytest.fixture
def file(tmp_path):
    return tmp_path / "folder" / "mcp.json"


def install(path, client=CURSOR):
    return plan_change(path, client, "outcrop", ENTRY).write()


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_and_its_folder_are_made(file):
    assert install(file) is None
    assert json.loads(file.read_text()) == {"mcpServers": {"outcrop": ENTRY}}
    assert names(file.parent) == ["mcp.json"]


def test_planning_writes_nothing(file):
    change = plan_change(file, CURSOR, "outcrop", ENTRY)
    assert change.is_needed
    assert not file.parent.exists()


def test_the_change_is_shown_as_a_diff(file):
    file.parent.mkdir()
    file.write_text('{\n  "mcpServers": {}\n}\n')
    shown = plan_change(file, CURSOR, "outcrop", ENTRY).show()
    assert shown.splitlines() == [
        f"--- {file}",
        f"+++ {file}",
        "@@ -1,3 +1,10 @@",
        " {",
        '-  "mcpServers": {}',
        '+  "mcpServers": {',
        '+    "outcrop": {',
        '+      "command": "outcrop",',
        '+      "args": [',
        '+        "mcp"',
        "+      ]",
        "+    }",
        "+  }",
        " }",
    ]


def test_a_second_time_nothing_is_needed(file):
    install(file)
    assert not plan_change(file, CURSOR, "outcrop", ENTRY).is_needed


def test_the_old_file_is_kept_under_a_name_that_is_free(file):
    file.parent.mkdir()
    for text in ("{}", '{"a": 1}', '{"b": 2}'):
        file.write_text(text)
        backup = install(file)
        assert backup is not None
        assert backup.read_text() == text
    assert names(file.parent) == [
        "mcp.json",
        "mcp.json.bak",
        "mcp.json.bak2",
        "mcp.json.bak3",
    ]


def test_mode_and_byte_order_mark_stay(file):
    file.parent.mkdir()
    file.write_bytes(b"\xef\xbb\xbf{}\n")
    file.chmod(0o640)
    backup = install(file)
    assert file.read_bytes().startswith(b"\xef\xbb\xbf{\n")
    for path in (file, backup):
        assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_link_stays_a_link_and_its_target_is_written(file, tmp_path):
    target = tmp_path / "dotfiles" / "cursor.json"
    target.parent.mkdir()
    target.write_text("{}")
    file.parent.mkdir()
    file.symlink_to(target)
    shown = plan_change(file, CURSOR, "outcrop", ENTRY).show()
    assert shown.startswith(f"--- {file} -> {target}\n")
    backup = install(file)
    assert file.is_symlink()
    assert "outcrop" in target.read_text()
    assert backup == target.with_name("cursor.json.bak")
    assert names(file.parent) == ["mcp.json"]


def test_a_link_to_nothing_yet_gets_its_target(file, tmp_path):
    file.parent.mkdir()
    file.symlink_to(tmp_path / "later" / "cursor.json")
    install(file)
    assert file.is_symlink()
    assert "outcrop" in (tmp_path / "later" / "cursor.json").read_text()


def test_a_link_to_itself_is_refused(file):
    file.parent.mkdir()
    file.symlink_to(file)
    with pytest.raises(InputError, match="cannot be read"):
        install(file)


def test_a_file_that_changed_meanwhile_is_left_alone(file):
    file.parent.mkdir()
    file.write_text("{}")
    change = plan_change(file, CURSOR, "outcrop", ENTRY)
    file.write_text('{"theirs": 1}')
    with pytest.raises(
        InputError, match="the file changed meanwhile; run the command again"
    ):
        change.write()
    assert file.read_text() == '{"theirs": 1}'
    assert names(file.parent) == ["mcp.json"]


def test_a_write_that_fails_leaves_the_file_as_it_was(file, monkeypatch):
    file.parent.mkdir()
    file.write_text("{}")

    def fail(_descriptor):
        raise OSError(28, "No space left on device")

    change = plan_change(file, CURSOR, "outcrop", ENTRY)
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(InputError, match=r"cannot be written: .*No space left"):
        change.write()
    assert file.read_text() == "{}"
    assert names(file.parent) == ["mcp.json"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"{broken", "cannot be read as plain JSON (Expecting property name"),
        (b"{} // mine\n", "cannot be read as plain JSON (Extra data"),
        (b"[]", "is not a JSON object"),
        (b"\xff\xfe{}", "is not UTF-8"),
        (b'{"mcpServers": []}', "'mcpServers' is not a table of servers"),
        (b'{"a": 1e999}', "cannot be written again (Out of range float"),
        (b'{"a": "\\ud800"}', "cannot be written again ('utf-8' codec"),
        (b'{"a": 1, "a": 2}', "cannot be read as plain JSON (two members"),
    ],
)
def test_a_file_that_cannot_be_read_is_named_and_left_alone(file, data, message):
    file.parent.mkdir()
    file.write_bytes(data)
    with pytest.raises(InputError) as caught:
        install(file)
    assert f"{file}: the file {message}" in str(caught.value)
    by_hand = '"mcpServers": {"outcrop": {"command": "outcrop", "args": ["mcp"]}}'
    assert str(caught.value).endswith(f"; add this by hand: {by_hand}")
    assert file.read_bytes() == data


def test_a_folder_in_the_place_of_the_file_is_refused(file):
    file.mkdir(parents=True)
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        install(file)


def test_one_of_two_entries_of_one_name_is_not_removed(file):
    file.parent.mkdir()
    text = '{"mcpServers": {"outcrop": {"command": "a"}, "outcrop": {"command": "b"}}}'
    file.write_text(text)
    with pytest.raises(InputError, match="remove 'outcrop' from 'mcpServers' by hand"):
        plan_change(file, CURSOR, "outcrop", None)


@pytest.mark.parametrize("client", [CURSOR, CODEX])
def test_what_was_installed_is_uninstalled(file, client):
    install(file, client)
    change = plan_change(file, client, "outcrop", None)
    assert change.is_needed
    change.write()
    assert not plan_change(file, client, "outcrop", None).is_needed


@pytest.mark.parametrize("client", [CURSOR, CODEX])
def test_where_nothing_is_installed_nothing_is_removed(file, client):
    assert not plan_change(file, client, "outcrop", None).is_needed


def test_toml_that_cannot_be_changed_safely_is_refused(file):
    file.parent.mkdir()
    text = 'mcp_servers.docs.command = "x"\nother = 1 # note\n'
    file.write_text(text)
    with pytest.raises(InputError) as caught:
        install(file, CODEX)
    assert "the file cannot be changed safely; add this by hand:" in str(caught.value)
    by_hand = 'mcp_servers.outcrop = {command = "outcrop", args = ["mcp"]}'
    assert str(caught.value).endswith(by_hand)
    assert file.read_text() == text


def test_an_entry_that_exists_keeps_what_the_user_added(file):
    file.parent.mkdir()
    theirs = {"command": "old", "env": {"OUTCROP_DATABASE_URL": "postgresql:///x"}}
    file.write_text(json.dumps({"mcpServers": {"outcrop": theirs}}))
    install(file)
    entry = json.loads(file.read_text())["mcpServers"]["outcrop"]
    assert entry == {**theirs, **ENTRY}
