"""The embedded server and users: root, others, and folders closed to them."""

from __future__ import annotations

import json
import os
import pwd
import shutil
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

import outcrop
from integration.store.processes import CLIENT, client, is_running, wait_until_stopped
from outcrop.errors import ConfigError, StorageError
from outcrop.store.server._home import ServerUser, find_home, server_user, socket_root
from outcrop.store.server._wheel import Engine, engine_for, reachable_engine
from outcrop.store.server.embedded import EmbeddedServer

_SOURCES = Path(outcrop.__file__).parents[1]


def _nobody() -> ServerUser:
    entry = pwd.getpwnam("nobody")
    return ServerUser(name=entry.pw_name, uid=entry.pw_uid, gid=entry.pw_gid)


def _python_for(user: ServerUser) -> str:
    """Return an interpreter like this one that the user can run."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    for candidate in (sys.executable, f"/usr/bin/python{version}"):
        try:
            subprocess.run(
                [candidate, "-c", ""], check=True, cwd="/", **user.as_arguments()
            )
        except (OSError, subprocess.CalledProcessError):
            continue
        return candidate
    pytest.skip(f"no Python {version} that user {user.name} can run")


@pytest.mark.usefixtures("as_root")
def test_server_of_root_runs_as_another_user(new_project: Path) -> None:
    with EmbeddedServer(new_project / ".outcrop") as server:
        assert server.home is not None
        assert server.home.notice is None
        data = new_project / ".outcrop" / "data"
        assert data.stat().st_uid != 0
        pid = (data / "postmaster.pid").read_text().split("\n")[0]
        assert Path(f"/proc/{pid}").stat().st_uid == data.stat().st_uid


@pytest.mark.usefixtures("as_root")
def test_closed_project_keeps_its_data_in_the_state_folder(
    new_project: Path, state_folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    new_project.chmod(0o700)
    with EmbeddedServer(new_project / ".outcrop") as server:
        connection = psycopg.connect(**server.ensure_running())
        connection.execute("CREATE TABLE t AS SELECT 7 AS x")
        connection.commit()
        connection.close()
        home = server.home
    assert home is not None
    assert home.path.is_relative_to(state_folder)
    assert home.notice is not None
    assert "cannot reach" in home.notice
    assert home.notice in caplog.messages
    assert not (new_project / ".outcrop" / "data").exists()
    assert new_project.stat().st_mode & 0o777 == 0o700

    with client(new_project) as again:
        assert again.run("SELECT x FROM t") == "[(7,)]"
        assert is_running(home.path)
    assert not is_running(home.path)


@pytest.mark.usefixtures("as_root", "state_folder")
def test_closed_project_can_be_renamed_but_a_copy_is_new(new_project: Path) -> None:
    new_project.chmod(0o700)
    with client(new_project) as first:
        first.run("CREATE TABLE t AS SELECT 7 AS x")
    home = find_home(new_project / ".outcrop")
    assert home is not None

    renamed = new_project.with_name("renamed")
    new_project.rename(renamed)
    assert find_home(renamed / ".outcrop") == home

    copy = new_project.with_name("copy")
    shutil.copytree(renamed, copy)
    copy.chmod(0o700)
    assert find_home(copy / ".outcrop") is None
    with client(copy) as other:
        assert other.run("SELECT to_regclass('t') IS NULL") == "[(True,)]"


@pytest.mark.usefixtures("as_root")
def test_closed_project_and_closed_state_folder_say_what_to_do(
    new_project: Path, open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new_project.chmod(0o700)
    closed = open_folder / "closed"
    closed.mkdir(mode=0o700)
    monkeypatch.setenv("OUTCROP_STATE_DIR", str(closed / "state"))
    with pytest.raises(StorageError, match="set OUTCROP_STATE_DIR to a folder"):
        EmbeddedServer(new_project / ".outcrop").ensure_running()


@pytest.mark.usefixtures("as_root")
def test_project_closed_later_says_what_to_do(project: Path) -> None:
    with EmbeddedServer(project / ".outcrop"):
        pass
    project.chmod(0o700)
    with pytest.raises(StorageError, match=r"can no longer reach .*chmod o\+x"):
        EmbeddedServer(project / ".outcrop").ensure_running()


@pytest.mark.usefixtures("as_root")
def test_programs_in_a_closed_environment_are_copied_out(open_folder: Path) -> None:
    installed = engine_for(open_folder)
    package = installed.root.parent
    closed = open_folder / "closed"
    closed.mkdir(mode=0o700)
    shutil.copytree(installed.root, closed / package.name / installed.root.name)
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.exists():
        shutil.copytree(libraries, closed / libraries.name)
    unreachable = Engine(
        version=installed.version, root=closed / package.name / installed.root.name
    )
    state = open_folder / "state"
    state.mkdir(mode=0o755)

    copy = reachable_engine(unreachable, _nobody(), state)

    assert copy.root.is_relative_to(state)
    for program in (copy.initdb, copy.postgres):
        subprocess.run(
            [program, "--version"], check=True, cwd="/", **_nobody().as_arguments()
        )
    assert reachable_engine(unreachable, _nobody(), state) == copy
    assert reachable_engine(installed, None, state) == installed


@pytest.mark.usefixtures("as_root")
def test_server_runs_for_an_ordinary_user(open_folder: Path) -> None:
    user = _nobody()
    python = _python_for(user)
    project = open_folder / "theirs"
    project.mkdir()
    os.chown(project, user.uid, user.gid)
    environment = {
        "PYTHONPATH": os.pathsep.join([str(_SOURCES), *filter(None, sys.path)]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": str(project),
        "TMPDIR": "/tmp",  # noqa: S108 - only where to put the socket
    }
    command = [python, "-c", CLIENT, str(project)]
    options = {"env": environment, "cwd": "/", **user.as_arguments()}
    with client(project, command=command, **options) as opened:
        assert opened.run("CREATE TABLE t AS SELECT 7 AS x") == "done"
    home = project / ".outcrop"
    assert wait_until_stopped(home)
    assert (home / "data").stat().st_uid == user.uid

    # Root opens the project of another user: the server stays that user's.
    assert server_user(home / "data") == user
    with client(project) as opened:
        assert opened.run("SELECT x FROM t") == "[(7,)]"
    assert {path.stat().st_uid for path in (home / "data").rglob("*")} == {user.uid}


@pytest.mark.usefixtures("as_root")
def test_ordinary_user_is_told_whose_database_it_is(project: Path) -> None:
    user = _nobody()
    python = _python_for(user)
    with EmbeddedServer(project / ".outcrop"):
        pass
    script = (
        "import sys; from pathlib import Path\n"
        "from outcrop.errors import StorageError\n"
        "from outcrop.store.server.embedded import EmbeddedServer\n"
        "try: EmbeddedServer(Path(sys.argv[1])).ensure_running()\n"
        "except StorageError as error: print(error)\n"
    )
    done = subprocess.run(
        [python, "-c", script, str(project / ".outcrop")],
        env={"PYTHONPATH": os.pathsep.join([str(_SOURCES), *filter(None, sys.path)])},
        cwd="/",
        capture_output=True,
        text=True,
        check=True,
        **user.as_arguments(),
    )
    assert "belongs to another user" in done.stdout


@pytest.mark.usefixtures("as_root")
def test_server_user_can_be_chosen(
    new_project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OUTCROP_SERVER_USER", "nobody")
    assert server_user(new_project / "data") == _nobody()
    for wrong in ("root", "no-such-user"):
        monkeypatch.setenv("OUTCROP_SERVER_USER", wrong)
        with pytest.raises(ConfigError, match=wrong):
            server_user(new_project / "data")


def test_long_temporary_folder_is_not_used_for_sockets(
    open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = open_folder / ("x" * 90)
    long.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(long))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(long))
    assert len(socket_root(None)) < 60


def test_a_temporary_folder_with_a_comma_holds_no_socket(
    open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = open_folder / "one, two"
    named.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(named))
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    assert "," not in socket_root(None)  # clients would read two addresses


@pytest.mark.usefixtures("as_root")
def test_a_user_without_a_name_and_a_home_is_told_what_to_do(open_folder: Path) -> None:
    user = ServerUser(name="54321", uid=54321, gid=54321)
    with pytest.raises(KeyError):
        pwd.getpwuid(user.uid)
    project = open_folder / "theirs"
    project.mkdir()
    os.chown(project, user.uid, user.gid)
    done = subprocess.run(
        [_python_for(user), "-m", "outcrop", "index", str(project)],
        env={"PYTHONPATH": os.pathsep.join([str(_SOURCES), *filter(None, sys.path)])},
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
        **user.as_arguments(),
    )
    assert done.returncode == 4
    assert done.stderr == (
        "error: PostgreSQL needs an entry in /etc/passwd for user id 54321; add one, run"
        " as another user, or set OUTCROP_DATABASE_URL\n"
    )


def test_folder_that_cannot_be_created_is_named(open_folder: Path) -> None:
    (open_folder / "file").write_text("")
    with pytest.raises(StorageError, match=r"cannot keep a database in .*file"):
        EmbeddedServer(open_folder / "file" / ".outcrop").ensure_running()


def test_damaged_data_folder_reports_the_words_of_the_server(project: Path) -> None:
    home = project / ".outcrop"
    with EmbeddedServer(home):
        pass
    (home / "data" / "global" / "pg_control").unlink()
    with pytest.raises(StorageError, match=r"cannot start the server(.|\n)*pg_control"):
        EmbeddedServer(home).ensure_running()


def test_data_of_an_unknown_version_is_refused(project: Path) -> None:
    home = project / ".outcrop"
    with EmbeddedServer(home):
        pass
    (home / "data" / "PG_VERSION").write_text("11\n")
    with pytest.raises(StorageError, match="written by PostgreSQL 11"):
        EmbeddedServer(home).ensure_running()


def test_damaged_data_is_named(project: Path) -> None:
    home = project / ".outcrop"
    with EmbeddedServer(home):
        pass
    (home / "data" / "PG_VERSION").write_text("junk\n")
    with pytest.raises(StorageError, match="is damaged: PG_VERSION is not a version"):
        EmbeddedServer(home).ensure_running()


def test_a_folder_that_cannot_be_made_is_told_so(new_project: Path) -> None:
    """Nobody may write below a file, root included."""
    (new_project / "file").write_text("")
    with pytest.raises(StorageError, match="cannot keep a database in"):
        EmbeddedServer(new_project / "file" / ".outcrop").ensure_running()


def test_edited_state_file_cannot_name_a_folder_to_delete(project: Path) -> None:
    home = project / ".outcrop"
    with EmbeddedServer(home):
        pass
    precious = project / "precious"
    precious.mkdir()
    (home / "server.json").write_text(json.dumps({"socket_folder": str(precious)}))
    with EmbeddedServer(home):
        assert precious.is_dir()
