"""Where a project's database lives, and which user its server runs as.

Usually that is `.outcrop/` in the project, and the user is the one who runs Outcrop.
PostgreSQL refuses to run as root, so root's server runs as another user. Where that
user cannot reach the project, or where the project's file system has no permissions,
the data is kept in a state folder outside, and `.outcrop/location.json` says where.
"""

from __future__ import annotations

import json
import os
import pwd
import secrets
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from outcrop.errors import ConfigError, StorageError
from outcrop.regular_file import read_regular_text

_MARKER = "location.json"
_ROOT_STATE = Path("/var/lib/outcrop")
_USER_VARIABLE = "OUTCROP_SERVER_USER"
_STATE_VARIABLE = "OUTCROP_STATE_DIR"
# A user made for databases first; `nobody` exists everywhere.
_USERS = ("outcrop", "postgres", "nobody")
# "/outcrop-" and 12 hex digits, "/.s.PGSQL.5432.lock" and a terminating zero.
_SOCKET_PATH_LIMIT = 107
_SOCKET_NAME_BYTES = 9 + 12 + 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerUser:
    """The user a server runs as, where that is not the user who runs Outcrop."""

    name: str
    uid: int
    gid: int

    def as_arguments(self) -> dict[str, Any]:
        """Return the arguments of `subprocess` that run a program as this user."""
        return {"user": self.uid, "group": self.gid, "extra_groups": []}


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """The folder of one embedded server.

    Attributes:
        path: Holds `data/`, the locks and the log.
        notice: Why it is not in the project, where it is not.
    """

    path: Path
    notice: str | None = None

    @property
    def data(self) -> Path:
        """PostgreSQL's own folder."""
        return self.path / "data"

    @property
    def log(self) -> Path:
        """The server's log."""
        return self.path / "server.log"


def state_folder() -> Path:
    """Return the folder for what cannot live in a project.

    Raises:
        StorageError: The user has no home.
    """
    if chosen := os.environ.get(_STATE_VARIABLE):
        return Path(chosen)
    if os.geteuid() == 0:
        return _ROOT_STATE
    if base := os.environ.get("XDG_STATE_HOME"):
        return Path(base) / "outcrop"
    try:
        return Path.home() / ".local" / "state" / "outcrop"
    except RuntimeError as error:
        raise StorageError(
            f"user id {os.geteuid()} has no home folder; set {_STATE_VARIABLE} to a"
            " folder for the database"
        ) from error


def server_user(data: Path) -> ServerUser | None:
    """Return the user the server runs as, or None for the current one."""
    if os.geteuid() != 0:
        return None
    if data.exists() and (owner := data.stat().st_uid) != 0:
        # Root opens another user's project: the server keeps running as its owner.
        try:
            return _as_server_user(pwd.getpwuid(owner))
        except KeyError:
            return ServerUser(name=str(owner), uid=owner, gid=data.stat().st_gid)
    chosen = os.environ.get(_USER_VARIABLE)
    for name in (chosen,) if chosen else _USERS:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        if entry.pw_uid != 0:
            return _as_server_user(entry)
    if chosen:
        raise ConfigError(
            f"{_USER_VARIABLE} is {chosen!r}, which is not an ordinary user"
        )
    raise StorageError(
        "PostgreSQL does not run as root and there is no user to run it as; set "
        f"{_USER_VARIABLE} to a user, or OUTCROP_DATABASE_URL to a running server"
    )


def _as_server_user(entry: pwd.struct_passwd) -> ServerUser:
    return ServerUser(name=entry.pw_name, uid=entry.pw_uid, gid=entry.pw_gid)


def find_home(folder: Path) -> Home | None:
    """Return the home of a project's server, or None before there is one."""
    if (folder / "data").is_dir():
        return Home(path=folder)
    try:
        marker = json.loads(read_regular_text(folder / _MARKER))
        path = Path(marker["path"])
        owner = read_regular_text(path / "owner")
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    # A copied project has a copy of the marker, but must not share the database.
    if owner != _identity(folder):
        return None
    return Home(path=path, notice=str(marker.get("reason")))


def choose_home(folder: Path) -> Home:
    """Decide where a new server's data goes; the caller holds the start lock."""
    user = server_user(folder / "data")
    reason = _unsuitable(folder, user)
    if reason is None:
        return Home(path=folder)
    name = f"{folder.parent.name or 'root'}-{secrets.token_hex(4)}"
    path = state_folder() / "projects" / name
    path.mkdir(parents=True)
    if user is not None:  # the server must get there despite the umask
        for part in (path.parent.parent, path.parent, path):
            part.chmod(0o755)
    if user is not None and (problem := _unsuitable(path, user)) is not None:
        shutil.rmtree(path, ignore_errors=True)
        raise StorageError(
            f"{reason}, and {problem}; set {_STATE_VARIABLE} to a folder it can reach"
        )
    notice = f"{reason}, so the database is in {path}"
    (path / "owner").write_text(_identity(folder))
    (folder / _MARKER).write_text(json.dumps({"path": str(path), "reason": notice}))
    return Home(path=path, notice=notice)


def _identity(folder: Path) -> str:
    # Survives a rename of the project, differs in a copy of it.
    status = folder.stat()
    return f"{status.st_dev}:{status.st_ino}"


def _unsuitable(folder: Path, user: ServerUser | None) -> str | None:
    """Try what the server will do: keep a private folder and write into it."""
    for left_over in folder.glob(".probe-*"):  # by a process that was killed
        shutil.rmtree(left_over, ignore_errors=True)
    probe = folder / f".probe-{secrets.token_hex(4)}"
    probe.mkdir(mode=0o700)
    try:
        if user is not None:
            try:
                os.chown(probe, user.uid, user.gid)
            except OSError:
                return f"{folder} cannot be given to user {user.name!r}"
        if probe.stat().st_mode & 0o077:
            return f"the file system of {folder} has no private folders"
        if user is not None and not may_write(probe, user):
            return f"user {user.name!r}, who runs the server, cannot reach {folder}"
    finally:
        shutil.rmtree(probe, ignore_errors=True)
    return None


def may_write(folder: Path, user: ServerUser) -> bool:
    """Return whether a user can reach a folder and write into it."""
    return _holds_for('cd -- "$1" && test -w .', folder, user)


def socket_root(user: ServerUser | None) -> str:
    """Return a folder short enough to hold sockets, reachable by the server."""
    candidates = [tempfile.gettempdir(), "/tmp", "/var/tmp"]  # noqa: S108 - a private folder is made below
    if user is None and (runtime := os.environ.get("XDG_RUNTIME_DIR")):
        candidates.insert(0, runtime)
    for candidate in candidates:
        fits = len(os.fsencode(candidate)) + _SOCKET_NAME_BYTES <= _SOCKET_PATH_LIMIT
        fits = fits and "," not in candidate  # to clients, one between two addresses
        if not fits or not os.access(candidate, os.W_OK | os.X_OK):
            continue
        if user is None or _holds_for('cd -- "$1"', Path(candidate), user):
            return str(candidate)
    raise StorageError(
        f"none of {', '.join(candidates)} can hold a socket: set TMPDIR to a short "
        "path that can be written to"
    )


def _holds_for(test: str, folder: Path, user: ServerUser) -> bool:
    # Tried out, because access lists, mounts and sandboxes all matter.
    done = subprocess.run(  # noqa: S603 - the path is an argument, not part of the script
        ["/bin/sh", "-c", test, "sh", str(folder)],
        capture_output=True,
        check=False,
        cwd="/",
        **user.as_arguments(),
    )
    return done.returncode == 0
