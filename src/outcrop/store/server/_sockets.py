"""The folder of a server's socket, which only a keeper creates and removes.

`server.json` says where the folder is, but proves nothing: it may have been edited, or
copied with the project while the server of the original runs. So a folder holds a
marker: a random token, which `server.json` repeats, and the identity of the home it was
made for, which differs in a copy. A folder without that marker is left alone, and of
one that has it only the files made here are deleted.

Only the standard library is used here, because the keeper process runs this file
without the package.
"""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

PORT = "5432"  # part of the socket's name only
_SOCKET = f".s.PGSQL.{PORT}"
_MARKER = "owner"
_RECORD = "server.json"
_MAX_MARKER_BYTES = 200
_MAX_RECORD_CHARS = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SocketFolder:
    """Where a server listens.

    Attributes:
        path: The folder.
        token: The random part of its marker.
    """

    path: str
    token: str

    def has_socket(self) -> bool:
        """Return whether the socket exists; a server does not create it again."""
        return os.path.lexists(os.path.join(self.path, _SOCKET))  # noqa: PTH118 - polled


def make_socket_folder(root: str, home: Path, user: int | None) -> SocketFolder:
    """Make a folder in `root` for the socket of a home's server.

    The user is the one the server runs as, where that is another.
    """
    # Short, because a socket's path has at most 107 bytes, and closed to other users,
    # because anyone who can reach the socket may connect.
    made = SocketFolder(
        path=f"{root}/outcrop-{os.urandom(6).hex()}", token=os.urandom(16).hex()
    )
    os.mkdir(made.path, 0o700)  # noqa: PTH102 - fails where it exists: never shared
    try:
        _write_new(Path(made.path) / _MARKER, _marker(made, home))
        if user is not None:
            os.chown(made.path, user, -1)
    except OSError:
        remove_socket_folder(made, home)
        raise
    return made


def record_socket_folder(folder: SocketFolder, home: Path) -> None:
    """Record for clients where the server listens."""
    record = json.dumps({"socket_folder": folder.path, "token": folder.token})
    fresh = home / f"{_RECORD}.new"
    _write_new(fresh, record)
    fresh.replace(home / _RECORD)


def recorded_socket_folder(home: Path) -> SocketFolder | None:
    """Return the folder that `server.json` names; it may be wrong."""
    try:
        record = json.loads(_read_record(home / _RECORD))
        path = os.fspath(record["socket_folder"])
        os.lstat(path)  # fails for what is no path at all
        return SocketFolder(path=path, token=str(record.get("token")))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _read_record(file: Path) -> str:
    if not file.is_file():  # a pipe or a device would never end
        raise FileNotFoundError
    with file.open(encoding="utf-8") as opened:
        return opened.read(_MAX_RECORD_CHARS)


def forget_socket_folder(home: Path) -> None:
    """Delete the record of a server that has ended."""
    (home / _RECORD).unlink(missing_ok=True)


def remove_socket_folder(folder: SocketFolder, home: Path) -> None:
    """Remove a folder, if it was made for this home; errors are ignored."""
    with contextlib.suppress(OSError):
        # No link is followed: a directory is opened, and files are named within it.
        opened = os.open(folder.path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            if not _is_marked(opened, _marker(folder, home)):
                return
            for name in (_SOCKET, f"{_SOCKET}.lock", _MARKER):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(name, dir_fd=opened)
        finally:
            os.close(opened)
        os.rmdir(folder.path)  # noqa: PTH106 - refuses what holds anything else


def _marker(folder: SocketFolder, home: Path) -> str:
    # A rename of the project keeps it; a copy of the project has another.
    status = home.stat()
    return f"{folder.token} {status.st_dev}:{status.st_ino}"


def _is_marked(opened: int, expected: str) -> bool:
    try:
        marker = os.open(_MARKER, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=opened)
    except OSError:
        return False
    try:
        found = os.read(marker, _MAX_MARKER_BYTES)
    finally:
        os.close(marker)
    return found == expected.encode()


def _write_new(path: Path, text: str) -> None:
    # Never through an existing link.
    path.unlink(missing_ok=True)
    written = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
    with os.fdopen(written, "w") as file:
        file.write(text)
