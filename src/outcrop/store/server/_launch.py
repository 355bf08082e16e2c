"""Creating a data folder, starting its server, and reading the server's log."""

from __future__ import annotations

import json
import logging
import os
import re
import secrets
import select
import shutil
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import BinaryIO

from outcrop.errors import StorageError
from outcrop.store.schema import creating_statements
from outcrop.store.server import _keeper
from outcrop.store.server._home import (
    Home,
    ServerUser,
    may_write,
    server_user,
    socket_root,
    state_folder,
)
from outcrop.store.server._sockets import PORT
from outcrop.store.server._sync import sync, sync_folder
from outcrop.store.server._wheel import Engine, engine_for, reachable_engine
from outcrop.store.server.disk import disk_full, is_nearly_full, says_full

_log = logging.getLogger(__name__)

DATABASE_USER = "outcrop"
DATABASE = "postgres"  # always exists; the index is a schema in it

# Given on the command line, not written into the data folder, so that a new version
# of Outcrop brings its own.
_SETTINGS = {
    "listen_addresses": "",  # this machine only, and only through the socket
    "port": PORT,
    "max_connections": "300",  # up to eight for each worker of a server
    "shared_buffers": "256MB",  # taken when touched
    "io_method": "sync",  # no workers: most projects fit into memory
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "512MB",
    # A stopped server leaves one segment of the log, rather than all it ever needed.
    "wal_recycle": "off",
    "jit": "off",  # compiling costs more than any of our queries
    "max_parallel_workers_per_gather": "0",
    # Builds the index of words after a first load, as fast as there are cores.
    "max_parallel_maintenance_workers": str(min(8, os.cpu_count() or 1)),
    # A run cleans up after itself; before it ends there is nothing to free, and a first
    # load would be scanned every minute.
    "autovacuum_naptime": "15min",
    "log_min_messages": "warning",
    "log_checkpoints": "off",
    "timezone": "UTC",
    # A copied data folder must not load or run anything at the start.
    "shared_preload_libraries": "",
    "session_preload_libraries": "",
    "local_preload_libraries": "",
    "archive_mode": "off",
    "archive_library": "",
    "restore_command": "",
    "recovery_end_command": "",
    "archive_cleanup_command": "",
    "ssl": "off",
    "event_triggers": "off",
}
# A stopped server keeps one or two segments of its log, whatever the index takes.
_LOG_SEGMENT_MB = 2
_SINCE = {"io_method": 18, "event_triggers": 17}
# Without a server, objects get the numbers that are reserved for PostgreSQL's own, which
# its tools leave out of a copy: these are used up.
_USE_UP_RESERVED = (
    "SELECT count(pg_nextoid('pg_class', 'oid', 'pg_class_oid_index'))"
    " FROM generate_series(12000, 16383)"
)
# The databases that others would be copied from take 15 MB of each project.
_DROP_TEMPLATES = (
    "UPDATE pg_database SET datistemplate = false, datallowconn = true",
    "DROP DATABASE template0",
    "DROP DATABASE template1",
)
_MAX_BYTES = 1_000_000
_MAX_READ_BYTES = 100_000
# `2026-11-15 22:40:52.123 UTC [4711] FATAL:  the rest`
_COMPLAINT = re.compile(r"\b(?:FATAL|PANIC|ERROR): +(.*)")


def create_data(home: Home) -> None:
    """Make the data folder beside its place and move it there when complete."""
    _delete_left_overs(home)
    user = server_user(home.data)
    engine = _engine(home, user)
    fresh = home.path / f"data.new-{secrets.token_hex(4)}"
    fresh.mkdir(mode=0o700)
    try:
        _fill(fresh, home, engine, user)
    except BaseException:  # an interrupt, too
        shutil.rmtree(fresh, ignore_errors=True)
        raise
    fresh.rename(home.data)
    sync(home.path)


def _engine(home: Home, user: ServerUser | None) -> Engine:
    engine = engine_for(home.data)
    return engine if user is None else reachable_engine(engine, user, state_folder())


def _delete_left_overs(home: Home) -> None:
    """Delete what was made by processes that were killed."""
    for left_over in home.path.glob("data.new-*"):
        shutil.rmtree(left_over, ignore_errors=True)


def _fill(fresh: Path, home: Home, engine: Engine, user: ServerUser | None) -> None:
    """Create the data of a server in an empty folder."""
    if user is not None:
        os.chown(fresh, user.uid, user.gid)
    create = [
        str(engine.initdb),
        f"--pgdata={fresh}",
        f"--username={DATABASE_USER}",
        "--auth=trust",
        "--encoding=UTF8",
        "--locale=C",
        f"--wal-segsize={_LOG_SEGMENT_MB}",
        "--no-instructions",
        "--no-sync",  # done once, when all is there
    ]
    problem = _run_program(create, user)
    if problem:
        # Raised before the folder is deleted, which frees some space.
        raise _creation_problem(home, problem)
    statements = [_USE_UP_RESERVED, *creating_statements(), *_DROP_TEMPLATES]
    problem = _run_statements(statements, engine, fresh, user)
    if problem:
        raise _creation_problem(home, last_complaint(problem))
    sync_folder(fresh)


def _run_statements(
    statements: list[str], engine: Engine, data: Path, user: ServerUser | None
) -> str:
    """Run statements without a server; return what is complained about if one fails.

    Nothing is synced, and there is no exchange of messages for each of them.
    """
    settings = {**_SETTINGS, "fsync": "off", "exit_on_error": "on"}
    command = [str(engine.postgres), "--single", "-j", "-D", str(data)]
    command += [*_as_options(settings, engine), DATABASE]
    # With -j, an empty line after a semicolon ends a statement.
    script = "".join(f"{statement};\n\n" for statement in statements)
    return _run_program(command, user, stdin=script)


def _run_program(
    command: list[str], user: ServerUser | None, *, stdin: str = ""
) -> str:
    """Run a program of the wheel; return what it complains about if it fails."""
    done = subprocess.run(  # noqa: S603 - a program of the wheel, no shell
        command,
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        errors="replace",  # names of folders may be any bytes
        check=False,
        cwd="/",
        env=_environment(),
        **(user.as_arguments() if user else {}),
    )
    return (done.stderr.strip() or "no answer") if done.returncode else ""


def _creation_problem(home: Home, output: str) -> StorageError:
    if says_full(output):
        return disk_full(home.path)
    if "could not look up effective user ID" in output:
        return StorageError(
            f"PostgreSQL needs an entry in /etc/passwd for user id {os.geteuid()}; add"
            " one, run as another user, or set OUTCROP_DATABASE_URL"
        )
    return StorageError(
        f"cannot create a database in {home.path}: {' '.join(output.split())}"
    )


def launch_keeper(home: Home) -> None:
    """Start a keeper and wait until it has brought the server up or failed."""
    user = server_user(home.data)
    _check_owner(home, user)
    # A program may have written on after its caller was killed.
    _delete_left_overs(home)
    engine = _engine(home, user)
    task = _keeper.Task(
        home=str(home.path),
        socket_root=socket_root(user),
        command=_server_command(engine, home),
        user=user.uid if user else None,
        group=user.gid if user else None,
    )
    before = log_size(home.log)
    problem = _run_keeper(task, home.log)
    if problem:
        written = read_log(home.log, before)
        if says_full(problem) or says_full(written) or is_nearly_full(home.path):
            raise disk_full(home.path, Path(task.socket_root))
        raise StorageError(
            f"cannot start the server in {home.path}: "
            f"{last_complaint(written) or problem}; see {home.log}, and if the data is "
            f"damaged, delete {home.path} and index again"
        )


def _run_keeper(task: _keeper.Task, log: Path) -> str:
    """Return what the keeper reports: nothing, or what went wrong."""
    if not sys.executable:
        return "the path of the Python interpreter is unknown"
    reader, writer = os.pipe()
    command = [sys.executable, "-I", "-S", _keeper.__file__]
    with os.fdopen(reader, "rb") as report, open_log(log) as output:
        try:
            subprocess.run(  # noqa: S603 - this package's own script
                [*command, json.dumps(asdict(task)), str(writer)],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                pass_fds=(writer,),
                start_new_session=True,
                check=True,
                cwd="/",
                env=_environment(),
            )
        except (OSError, subprocess.CalledProcessError) as error:
            return str(error)
        finally:
            os.close(writer)
        ready, _, _ = select.select([report], [], [], _keeper.START_SECONDS)
        return report.read().decode() if ready else "no answer"


def _check_owner(home: Home, user: ServerUser | None) -> None:
    if home.data.is_symlink():
        # The locks are not there: a copy of the link, or another server, would write
        # to the same data at the same time.
        raise StorageError(
            f"{home.data} is a link; put the data itself there, or delete {home.path} "
            "and index again"
        )
    owner = home.data.stat().st_uid
    if user is None and owner != os.geteuid():
        raise StorageError(
            f"the database in {home.path} belongs to user id {owner}; run as that user "
            "or as root, or delete the folder and index again"
        )
    if user is not None and not may_write(home.data, user):
        raise StorageError(
            f"user {user.name!r}, who runs the server, can no longer reach "
            f"{home.data}; open the folders above it (chmod o+x), or delete "
            f"{home.path} and index again"
        )
    # A copied project may come with other permissions, which PostgreSQL refuses.
    home.data.chmod(0o700)


def _server_command(engine: Engine, home: Home) -> list[str]:
    return [str(engine.postgres), "-D", str(home.data), *_as_options(_SETTINGS, engine)]


def _as_options(settings: dict[str, str], engine: Engine) -> list[str]:
    options = []
    for name, value in settings.items():
        if engine.version >= _SINCE.get(name, 0):
            options += ["-c", f"{name}={value}"]
    return options


def _environment() -> dict[str, str]:
    # Not the user's, whose PGDATA, PGOPTIONS or broken locale would take effect.
    ours = {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}
    # Some builds of Python need it to find their own library.
    if libraries := os.environ.get("LD_LIBRARY_PATH"):
        ours["LD_LIBRARY_PATH"] = libraries
    return ours


def open_log(log: Path) -> BinaryIO:
    """Open a log for a server to append to; a long one is renamed first."""
    if log_size(log) > _MAX_BYTES:
        log.replace(log.with_suffix(".log.old"))
    # Not through a link: a crafted folder must not redirect the writes.
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    return os.fdopen(os.open(log, flags, 0o644), "ab")


def log_size(log: Path) -> int:
    """Return the length of a log; 0 if it does not exist."""
    try:
        return log.stat().st_size
    except OSError:
        return 0


def read_log(log: Path, since: int) -> str:
    """Return what was written since an offset; the end of it if it is long."""
    try:
        with log.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            # A log that is shorter now was renamed meanwhile.
            file.seek(max(since if since <= size else 0, size - _MAX_READ_BYTES))
            return file.read().decode(errors="replace")
    except OSError:
        return ""


def last_complaint(text: str) -> str:
    """Return the last error in a part of a log, or its last line, in one line."""
    found = _COMPLAINT.findall(text)
    lines = found or text.split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "")
