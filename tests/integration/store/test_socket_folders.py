"""The folder of the socket: nothing but our own is removed, and its loss is noticed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import psycopg
import pytest

from integration.store.processes import client, server_pid
from integration.store.samples import chunks, document
from outcrop.errors import StorageError
from outcrop.store.database import Database
from outcrop.store.server._home import find_home
from outcrop.store.server._keeper import Task
from outcrop.store.server._launch import _run_keeper
from outcrop.store.server._sockets import (
    SocketFolder,
    make_socket_folder,
    recorded_socket_folder,
    remove_socket_folder,
)
from outcrop.store.server.embedded import EmbeddedServer
from outcrop.store.store import PostgresStore

if TYPE_CHECKING:
    from pathlib import Path


def _status(project: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "outcrop", "status", "--project", str(project)],
        capture_output=True,
        text=True,
        check=False,
        timeout=50,
    )


def _thesis(folder: Path) -> Path:
    thesis = folder / "outcrop-thesis"
    thesis.mkdir(parents=True)
    (thesis / "chapter.md").write_text("three years of work")
    (thesis / "owner").write_text("somebody")
    return thesis


@pytest.mark.parametrize("how", ["directory", "link", "nested"])
def test_a_prepared_record_deletes_no_folder(
    new_project: Path, open_folder: Path, how: str
) -> None:
    named = thesis = _thesis(
        open_folder / "a" / "b" if how == "nested" else new_project
    )
    if how == "link":
        named = open_folder / "outcrop-link"
        named.symlink_to(thesis)
    home = new_project / ".outcrop"
    home.mkdir()
    record = {"socket_folder": str(named), "token": "somebody"}
    (home / "server.json").write_text(json.dumps(record))
    with EmbeddedServer(home):
        pass
    assert named.exists()
    assert {path.name for path in thesis.iterdir()} == {"chapter.md", "owner"}


def test_only_the_files_of_the_server_are_deleted(open_folder: Path) -> None:
    made = make_socket_folder(str(open_folder), open_folder, None)
    folder = open_folder / made.path
    (folder / ".s.PGSQL.5432.lock").write_text("1")
    (folder / "notes.txt").write_text("put here by somebody else")
    remove_socket_folder(made, open_folder)
    assert [path.name for path in folder.iterdir()] == ["notes.txt"]


def test_a_folder_is_removed_only_with_its_token_and_for_its_home(
    open_folder: Path, new_project: Path
) -> None:
    made = make_socket_folder(str(open_folder), open_folder, None)
    remove_socket_folder(SocketFolder(path=made.path, token="guess"), open_folder)  # noqa: S106 - a wrong one
    assert (open_folder / made.path).is_dir()
    remove_socket_folder(made, new_project)
    assert (open_folder / made.path).is_dir()
    remove_socket_folder(made, open_folder)
    assert not (open_folder / made.path).exists()


def test_the_folder_of_a_killed_server_is_removed_by_the_next(project: Path) -> None:
    home = project / ".outcrop"
    with EmbeddedServer(home):
        stale = make_socket_folder("/tmp", home, None)  # noqa: S108 - as a keeper does
    record = {"socket_folder": stale.path, "token": stale.token}
    (home / "server.json").write_text(json.dumps(record))
    with EmbeddedServer(home):
        assert not project.joinpath(stale.path).exists()


@pytest.mark.parametrize(
    "record",
    [
        "", "[]", "7", '{"socket_folder": 7}', '{"socket_folder": ["a"]}', "[" * 100_000,
        r'{"socket_folder": "/tmp/outcrop-\u0000"}',
        r'{"socket_folder": "/tmp/outcrop-\ud800"}',
    ],
)  # fmt: skip
def test_a_damaged_record_names_no_folder(new_project: Path, record: str) -> None:
    (new_project / "server.json").write_text(record)
    assert recorded_socket_folder(new_project) is None


@pytest.mark.parametrize("name", ["server.json", "location.json"])
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_a_server_starts_beside_a_record_that_has_no_end(
    new_project: Path, name: str, kind: str
) -> None:
    home = new_project / ".outcrop"
    home.mkdir()
    if kind == "pipe":
        os.mkfifo(home / name)
    else:
        (home / name).symlink_to("/dev/zero")
    with EmbeddedServer(home):
        pass


@pytest.mark.parametrize("record", ["[]", "[" * 100_000, '{"path": 7}', '{"path": ""}'])
def test_a_damaged_location_names_no_home(new_project: Path, record: str) -> None:
    (new_project / "location.json").write_text(record)
    assert find_home(new_project) is None


def test_a_keeper_that_fails_reports_why(project: Path, open_folder: Path) -> None:
    home = project / ".outcrop"
    with EmbeddedServer(home):
        pass
    task = Task(
        home=str(home),
        socket_root=str(open_folder),
        command=["no\0program"],
        user=None,
        group=None,
    )
    assert "null byte" in _run_keeper(task, home / "server.log")
    with EmbeddedServer(home):
        assert not list(open_folder.glob("outcrop-*"))


def test_files_are_not_written_through_prepared_links(new_project: Path) -> None:
    precious = new_project / "precious"
    precious.write_text("precious")
    home = new_project / ".outcrop"
    home.mkdir()
    (home / "server.json.new").symlink_to(precious)
    with EmbeddedServer(home):
        pass
    (home / "server.log").unlink()
    (home / "server.log").symlink_to(precious)
    with pytest.raises(StorageError):
        EmbeddedServer(home).ensure_running()
    assert precious.read_text() == "precious"


def test_data_behind_a_link_is_refused(project: Path) -> None:
    """Two homes with a link to the same data would both start a server on it."""
    home = project / ".outcrop"
    with EmbeddedServer(home):
        pass
    (home / "data").rename(project / "elsewhere")
    (home / "data").symlink_to(project / "elsewhere")
    with pytest.raises(StorageError, match="data is a link"):
        EmbeddedServer(home).ensure_running()


def test_opening_a_copy_leaves_the_running_original_usable(project: Path) -> None:
    copy = project.with_name("copy")
    with client(project) as original:
        original.run("CREATE TABLE t AS SELECT 1 AS x")
        original.run("CHECKPOINT")
        pid = server_pid(project / ".outcrop")
        subprocess.run(["cp", "-a", str(project), str(copy)], check=True)
        with client(copy) as other:
            assert other.socket_folder != original.socket_folder
        # A new process, which has to find the socket of the original.
        with client(project) as another:
            assert another.socket_folder == original.socket_folder
            assert another.run("SELECT count(*) FROM t") == "[(1,)]"
        assert server_pid(project / ".outcrop") == pid


def test_a_server_that_lost_its_socket_is_restarted_within_seconds(
    project: Path,
) -> None:
    with PostgresStore(Database.open(project)) as store:
        store.replace_documents([(document(), chunks(["kept"]))])
        server = EmbeddedServer(project / ".outcrop")
        before = server.ensure_running()["host"]
        shutil.rmtree(before)
        started = time.monotonic()
        done = _status(project)
        assert done.returncode == 0, done.stderr
        assert time.monotonic() - started < 30  # of which most is Python's start
        assert server.ensure_running()["host"] != before
        server.close()
        # The store that was open all the time goes on.
        assert store.status().chunks == 1
        store.replace_documents([(document(), chunks(["kept", "added"]))])
        assert store.status().chunks == 2


def test_an_open_lease_alone_restarts_a_server_without_a_socket(project: Path) -> None:
    with EmbeddedServer(project / ".outcrop") as server:
        before = server.ensure_running()["host"]
        shutil.rmtree(before)
        parameters = server.ensure_running()
        assert parameters["host"] != before
        psycopg.connect(**parameters).close()
