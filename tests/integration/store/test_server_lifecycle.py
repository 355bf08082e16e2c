"""The embedded server: started on demand, shared, stopped with its last client."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import psycopg
import pytest

from integration.store.processes import (
    Client,
    client,
    is_running,
    keeper_pid,
    kill,
    server_pid,
    wait_until,
    wait_until_stopped,
)
from outcrop.errors import StorageError
from outcrop.store.server.early import started_early
from outcrop.store.server.embedded import EmbeddedServer

if TYPE_CHECKING:
    from pathlib import Path


def _connect(server: EmbeddedServer) -> psycopg.Connection:
    """Connect as `Database` does: a server that was just killed refuses at first."""
    for _ in range(200):
        try:
            return psycopg.connect(**server.ensure_running())
        except psycopg.OperationalError:
            time.sleep(0.02)
    return psycopg.connect(**server.ensure_running())


def _count(project: Path) -> int:
    with EmbeddedServer(project / ".outcrop") as server:
        connection = _connect(server)
        with connection:
            row = connection.execute("SELECT count(*) FROM t").fetchone()
        connection.close()
    assert row is not None
    return int(row[0])


@pytest.mark.parametrize(
    "name",
    [
        "with space",
        'it\'s "quoted", with $HOME and `tick`',
        "документы 文書",
        "line\nend",
        "-D",
        "/".join(["a-long-folder-name-of-forty-one-characters"] * 5),
        os.fsdecode(b"no text \xff\xfe"),
    ],
    ids=["space", "quotes", "non-ascii", "newline", "dash", "over-107-bytes", "bytes"],
)
def test_any_folder_name_works(open_folder: Path, name: str) -> None:
    project = open_folder / name
    with EmbeddedServer(project / ".outcrop") as server:
        parameters = server.ensure_running()
        connection = psycopg.connect(**parameters)
        assert connection.execute("SELECT 1").fetchone() == (1,)
        connection.close()
        assert len(f"{parameters['host']}/.s.PGSQL.5432".encode()) <= 107
    assert not is_running(project / ".outcrop")


def test_server_listens_on_its_socket_alone(project: Path) -> None:
    with EmbeddedServer(project / ".outcrop") as server:
        parameters = server.ensure_running()
        connection = psycopg.connect(**parameters)
        shown = connection.execute("SHOW listen_addresses").fetchone()
        connection.close()
        assert shown == ("",)


def test_socket_folder_is_closed_to_others_and_removed(project: Path) -> None:
    from pathlib import Path as P  # noqa: N817 - the other one is for types only

    with EmbeddedServer(project / ".outcrop") as server:
        sockets = P(server.ensure_running()["host"])
        assert sockets.stat().st_mode & 0o077 == 0
    assert wait_until(lambda: not sockets.exists())


def test_project_folder_is_ignored_by_git(new_project: Path) -> None:
    with EmbeddedServer(new_project / ".outcrop"):
        assert (new_project / ".outcrop" / ".gitignore").read_text() == "*\n"


def test_settings_of_the_environment_do_not_reach_the_server(
    new_project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {
        "PGDATA": "/nowhere",
        "PGHOST": "203.0.113.1",
        "PGOPTIONS": "-c no.such=1 -c foo",
        "PGCHANNELBINDING": "require",
        "PGSSLMODE": "verify-full",
        "PGUSER": "somebody",
        "LC_ALL": "xx_XX.nonsense",
    }.items():
        monkeypatch.setenv(name, value)
    with EmbeddedServer(new_project / ".outcrop") as server:
        connection = psycopg.connect(**server.ensure_running())
        assert connection.execute("SELECT current_user").fetchone() == ("outcrop",)
        connection.close()


def test_two_leases_of_one_process_are_independent(project: Path) -> None:
    home = project / ".outcrop"
    first, second = EmbeddedServer(home), EmbeddedServer(home)
    assert first.ensure_running() == second.ensure_running()
    first.close()
    assert is_running(home)
    second.close()
    assert not is_running(home)


def test_closing_twice_does_nothing(project: Path) -> None:
    server = EmbeddedServer(project / ".outcrop")
    server.close()
    server.ensure_running()
    server.close()
    server.close()
    assert not is_running(project / ".outcrop")


def test_processes_share_one_server_and_the_last_one_stops_it(project: Path) -> None:
    home = project / ".outcrop"
    with client(project) as first, client(project) as second:
        assert first.socket_folder == second.socket_folder
        pid = server_pid(home)
        first.end()
        assert is_running(home)
        assert server_pid(home) == pid
        assert second.run("SELECT 1") == "[(1,)]"
    # The last client waited for the stop: the folder could be deleted now.
    assert not is_running(home)


def test_server_stops_after_a_client_that_only_exits(project: Path) -> None:
    with client(project, "--no-close"):
        assert is_running(project / ".outcrop")
    assert wait_until_stopped(project / ".outcrop")


def test_server_stops_after_its_only_client_is_killed(project: Path) -> None:
    with client(project) as opened:
        opened.kill()
        assert wait_until_stopped(project / ".outcrop")


def test_killed_client_takes_no_server_from_another(project: Path) -> None:
    home = project / ".outcrop"
    with client(project) as victim, client(project) as other:
        victim.kill()
        time.sleep(0.2)
        assert other.run("SELECT 1") == "[(1,)]"
        assert is_running(home)
    assert not is_running(home)


def test_client_killed_while_starting_leaves_a_usable_folder(new_project: Path) -> None:
    home = new_project / ".outcrop"
    for delay in (0.05, 0.15, 0.3, 0.5, 0.6):
        starting = Client(new_project)
        time.sleep(delay)
        starting.kill()
    with client(new_project) as opened:
        assert opened.run("SELECT 1") == "[(1,)]"
    assert wait_until_stopped(home)


@pytest.mark.parametrize("name", ["data.new-01234567", ".probe-01234567"])
def test_what_a_killed_client_left_is_deleted(new_project: Path, name: str) -> None:
    left = new_project / ".outcrop" / name
    left.mkdir(parents=True)
    with EmbeddedServer(left.parent):
        assert not left.exists()


def test_data_that_was_written_after_its_maker_was_killed_is_deleted(
    project: Path,
) -> None:
    left = project / ".outcrop" / "data.new-01234567"
    left.mkdir()
    (left / "PG_VERSION").write_text("18\n")
    with EmbeddedServer(left.parent):
        assert not left.exists()


def test_committed_rows_survive_a_killed_server(project: Path) -> None:
    home = project / ".outcrop"
    with client(project) as opened:
        opened.run("CREATE TABLE t (x int)")
        opened.run("INSERT INTO t SELECT generate_series(1, 1000)")
        kill(server_pid(home))
        opened.kill()
    assert _count(project) == 1000


def test_open_client_can_start_a_killed_server_again(project: Path) -> None:
    home = project / ".outcrop"
    with EmbeddedServer(home) as server:
        before = server.ensure_running()
        kill(server_pid(home))
        assert wait_until_stopped(home)
        after = server.ensure_running()
        assert after["host"] != before["host"]
        connection = _connect(server)
        assert connection.execute("SELECT 1").fetchone() == (1,)
        connection.close()


def test_server_is_stopped_although_its_keeper_was_killed(project: Path) -> None:
    home = project / ".outcrop"
    with client(project) as first:
        pid = server_pid(home)
        kill(keeper_pid(home))
        assert first.run("SELECT 1") == "[(1,)]"
        with client(project) as second:
            assert server_pid(home) == pid
            assert second.run("SELECT 1") == "[(1,)]"
        assert is_running(home)
    assert not is_running(home)


def test_last_client_stops_a_server_without_a_keeper(project: Path) -> None:
    home = project / ".outcrop"
    with client(project):
        kill(keeper_pid(home))
    assert wait_until_stopped(home)


def test_left_over_pid_file_naming_a_living_process_is_no_obstacle(
    project: Path,
) -> None:
    home = project / ".outcrop"
    bystander = subprocess.Popen([sys.executable, "-c", "input()"], stdin=-1)
    try:
        with client(project) as opened:
            content = (home / "data" / "postmaster.pid").read_text()
            opened.run("CREATE TABLE t AS SELECT 1 AS x")
        lines = content.split("\n")
        lines[0] = str(bystander.pid)
        (home / "data" / "postmaster.pid").write_text("\n".join(lines))
        assert _count(project) == 1
        assert bystander.poll() is None
    finally:
        bystander.communicate(b"\n")


def test_copy_of_a_project_in_use_has_a_server_of_its_own(project: Path) -> None:
    copy = project.with_name("copy")
    with client(project) as original:
        original.run("CREATE TABLE t AS SELECT 1 AS x")
        original.run("CHECKPOINT")
        subprocess.run(["cp", "-a", str(project), str(copy)], check=True)
        with client(copy) as other:
            assert other.socket_folder != original.socket_folder
            assert other.run("SELECT count(*) FROM t") == "[(1,)]"
        assert original.run("SELECT count(*) FROM t") == "[(1,)]"


def test_project_renamed_while_in_use_keeps_its_server(project: Path) -> None:
    renamed = project.with_name("renamed")
    with client(project) as first:
        project.rename(renamed)
        with client(renamed) as second:
            assert second.socket_folder == first.socket_folder
    assert wait_until_stopped(renamed / ".outcrop")


def test_project_deleted_while_in_use_starts_afresh(project: Path) -> None:
    with client(project, "--no-close") as old:
        shutil.rmtree(project, ignore_errors=True)
        project.mkdir(exist_ok=True)
        with client(project) as new:
            assert new.socket_folder != old.socket_folder
            assert new.run("SELECT 1") == "[(1,)]"


@pytest.mark.parametrize("existing", [False, True], ids=["new", "existing"])
def test_processes_that_start_at_one_instant_share_one_server(
    new_project: Path, *, existing: bool
) -> None:
    home = new_project / ".outcrop"
    if existing:
        with client(new_project):
            pass
    racers = [Client(new_project) for _ in range(6)]
    try:
        sockets = {racer.wait_until_open().socket_folder for racer in racers}
        assert len(sockets) == 1
    finally:
        codes = [racer.end() for racer in racers]
    assert codes == [0] * 6
    assert not is_running(home)


def test_processes_that_come_and_go_never_fail(project: Path) -> None:
    # Opens fall into the stop of the previous server again and again.
    script = (
        "import sys, psycopg\n"
        "from pathlib import Path\n"
        "from outcrop.store.server.embedded import EmbeddedServer\n"
        "for _ in range(12):\n"
        "    with EmbeddedServer(Path(sys.argv[1])) as server:\n"
        "        psycopg.connect(**server.ensure_running()).close()\n"
    )
    home = project / ".outcrop"
    command = [sys.executable, "-c", script, str(home)]
    runs = [subprocess.Popen(command) for _ in range(3)]
    assert [run.wait(timeout=50) for run in runs] == [0, 0, 0]
    assert wait_until_stopped(home)


def test_nothing_is_run_when_somebody_connects(project: Path) -> None:
    with EmbeddedServer(project / ".outcrop") as server:
        connection = _connect(server)
        with connection:
            connection.execute("CREATE TABLE seen (n int)")
            connection.execute(
                "CREATE FUNCTION note() RETURNS event_trigger LANGUAGE plpgsql AS"
                " 'BEGIN INSERT INTO public.seen VALUES (1); END'"
            )
            connection.execute(
                "CREATE EVENT TRIGGER notes ON login EXECUTE FUNCTION note()"
            )
        connection.close()
        with _connect(server) as again:
            assert again.execute("SELECT count(*) FROM seen").fetchone() == (0,)
            shown = again.execute("SHOW shared_preload_libraries").fetchone()
        assert shown == ("",)


def test_a_stopped_server_keeps_no_log_and_no_templates(new_project: Path) -> None:
    folder = new_project / ".outcrop"
    with EmbeddedServer(folder) as server:
        connection = _connect(server)
        connection.autocommit = True
        connection.execute("CREATE TABLE t (n int, text text)")
        connection.execute(
            "INSERT INTO t SELECT n, repeat(md5(n::text), 8)"
            " FROM generate_series(1, 250000) AS n"
        )
        names = connection.execute("SELECT datname FROM pg_database").fetchall()
        written = connection.execute(
            "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/1000000')"
        ).fetchone()
        connection.close()
    assert wait_until_stopped(folder)
    assert written is not None
    assert written[0] > 64_000_000
    assert names == [("postgres",)]
    log = list((folder / "data" / "pg_wal").glob("0*"))
    assert len(log) <= 2
    assert sum(file.stat().st_size for file in log) <= 4 * 2**20


def test_a_server_started_early_is_up_for_whoever_opens_it(project: Path) -> None:
    folder = project / ".outcrop"
    with EmbeddedServer(folder):
        pass
    assert wait_until_stopped(folder)
    with started_early(folder):
        assert wait_until(lambda: is_running(folder))
        with EmbeddedServer(folder) as server, _connect(server) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
    assert wait_until_stopped(folder)


def test_no_server_is_created_early(new_project: Path) -> None:
    with started_early(new_project / ".outcrop"):
        pass
    assert not (new_project / ".outcrop").exists()


def test_a_failed_early_start_is_left_to_whoever_opens_the_index(project: Path) -> None:
    folder = project / ".outcrop"
    with EmbeddedServer(folder):
        pass
    assert wait_until_stopped(folder)
    (folder / "data" / "PG_VERSION").write_text("none\n")
    with started_early(folder), pytest.raises(StorageError, match="PG_VERSION"):
        EmbeddedServer(folder).ensure_running()
