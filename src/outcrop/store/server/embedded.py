"""An embedded PostgreSQL for one project, shared by all processes that open it.

Every client holds a lease, a shared lock that the kernel drops with the process. A
keeper process (see `_keeper`) starts the server and stops it when no lease is left. So
nothing has to be cleaned up after a crash, and no client can stop the server of
another.
"""

from __future__ import annotations

import errno
import logging
import os
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Self

from outcrop.closeable import Closeable
from outcrop.errors import StorageError
from outcrop.store.projects.identity import make_folder
from outcrop.store.server import _keeper
from outcrop.store.server._home import Home, choose_home, find_home
from outcrop.store.server._launch import (
    DATABASE,
    DATABASE_USER,
    create_data,
    launch_keeper,
    log_size,
    read_log,
)
from outcrop.store.server._locks import is_held, lock_within, open_lock_file, try_lock
from outcrop.store.server._sockets import PORT, recorded_socket_folder
from outcrop.store.server.disk import disk_full, is_nearly_full, says_full

if TYPE_CHECKING:
    from outcrop.errors import DiskFullError

_log = logging.getLogger(__name__)

_POLL_SECONDS = 0.003
# No more processes, no more open files.
_LIMITS = frozenset([errno.EAGAIN, errno.EMFILE, errno.ENFILE])


class EmbeddedServer(Closeable):
    """A lease on the server of one project.

    The server is started by the first lease and stopped after the last one, in
    whichever process they are. Safe to use from several threads.
    """

    def __init__(self, folder: Path) -> None:
        """Name the server of a project's `.outcrop` folder; nothing is started yet.

        The folder is created when needed.
        """
        self.folder = folder.absolute()
        self._mutex = threading.Lock()
        self._lease: int | None = None
        self._home: Home | None = None
        self._log_read = 0

    def __enter__(self) -> Self:
        self.ensure_running()
        return self

    @property
    def home(self) -> Home | None:
        """Where the data is, once that is known."""
        return self._home or find_home(self.folder)

    def ensure_running(self) -> dict[str, str]:
        """Take a lease and start the server where it is not running.

        Returns:
            The parameters of a connection to it.

        Raises:
            StorageError: The server cannot be started; the message says why.
        """
        try:
            with self._mutex:
                home = self._take_lease()
                sockets = _ready_socket_folder(home)
                if sockets is None:
                    sockets = self._start(home)
                return _connection_parameters(sockets)
        except OSError as error:
            raise _explain(error, self.folder) from error

    def full_disk(self) -> DiskFullError:
        """Return the error to raise if the server reports a full disk."""
        home = self.home
        return disk_full(self.folder if home is None else home.path)

    def find_full_disk(self) -> DiskFullError | None:
        """Return the error to raise if the connection was lost for lack of space."""
        home = self.home
        if home is None:
            return None
        written = read_log(home.log, self._log_read)
        self._log_read = log_size(home.log)  # each message counts once
        is_full = says_full(written) or is_nearly_full(home.path)
        return self.full_disk() if is_full else None

    def close(self) -> None:
        """Give the lease back; if it was the last one, wait for the server to stop."""
        with self._mutex:
            if self._lease is None or self._home is None:
                return
            # Not LOCK_UN: a forked child shares the lock and may still need it.
            lease, self._lease = self._lease, None
            in_place = _is_file_of(lease, self._home.path / "lease")
            os.close(lease)
            if in_place:
                self._wait_if_last(self._home)

    def _take_lease(self) -> Home:
        if self._lease is not None and self._home is not None:
            if _is_file_of(self._lease, self._home.path / "lease"):
                return self._home
            os.close(self._lease)  # the folder was deleted, moved or replaced
            self._lease = None
        home = find_home(self.folder) or self._settle()
        lease = open_lock_file(home.path / "lease")
        # Refused only while a keeper stops the server.
        if not lock_within(lease, _keeper.STOP_SECONDS * 2, shared=True):
            os.close(lease)
            raise StorageError(
                f"the server in {home.path} has been stopping for "
                f"{_keeper.STOP_SECONDS * 2:.0f} seconds; see {home.path}/server.log"
            )
        self._lease, self._home = lease, home
        self._log_read = log_size(home.log)
        return home

    def _settle(self) -> Home:
        """Create the folders and the data of a project opened for the first time."""
        make_folder(self.folder)
        with _StartLock(self.folder):
            home = find_home(self.folder)
            if home is None:
                home = choose_home(self.folder)
                create_data(home)
                if home.notice:
                    _log.warning("%s", home.notice)
        return home

    def _start(self, home: Home) -> Path:
        started = time.monotonic()
        deadline = started + _keeper.START_SECONDS
        with _StartLock(self.folder):
            while (sockets := _ready_socket_folder(home)) is None:
                if time.monotonic() > deadline:
                    raise StorageError(
                        f"the server in {home.path} is not ready after "
                        f"{_keeper.START_SECONDS:.0f} seconds; see "
                        f"{home.path}/server.log"
                    )
                launch_keeper(home)
                time.sleep(_POLL_SECONDS)
        milliseconds = (time.monotonic() - started) * 1000
        _log.info("the server in %s is ready after %.0f ms", home.path, milliseconds)
        return sockets

    def _wait_if_last(self, home: Home) -> None:
        """Return when others have leases, or when the server and its keeper have ended.

        After that the folder can be deleted.
        """
        deadline = time.monotonic() + _keeper.STOP_SECONDS
        while time.monotonic() < deadline:
            probe = open_lock_file(home.path / "lease")
            try:
                # A keeper that stops the server holds the lease to its very end.
                if try_lock(probe):
                    if not is_held(home.path / "server.lock"):
                        return
                    if not is_held(home.path / "keeper.lock"):
                        launch_keeper(
                            home
                        )  # it was killed, and a keeper has to stop the server
                elif try_lock(probe, shared=True):
                    return
            finally:
                os.close(probe)
            time.sleep(_POLL_SECONDS)


class _StartLock:
    """Lets one process at a time create or start a project's server."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._fd = -1

    def __enter__(self) -> None:
        self._fd = open_lock_file(self._folder / "start.lock")
        if not lock_within(self._fd, _keeper.START_SECONDS):
            os.close(self._fd)
            raise StorageError(
                f"another process has been starting the server in {self._folder} for "
                f"{_keeper.START_SECONDS:.0f} seconds"
            )

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)


def _explain(error: OSError, folder: Path) -> StorageError:
    if says_full(error):
        return disk_full(folder)
    if isinstance(error, PermissionError) and folder.exists():
        return StorageError(
            f"the database in {folder} belongs to another user: may not open "
            f"{error.filename}; run as that user or as root, or use another folder"
        )
    if error.errno in _LIMITS:
        return StorageError(
            f"cannot run the database in {folder}: {error.strerror}; raise the limits of"
            " processes and open files (ulimit -u, ulimit -n)"
        )
    return StorageError(
        f"cannot keep a database in {folder}: {error.strerror}; choose a folder you"
        " can write to, or set OUTCROP_DATABASE_URL"
    )


def _ready_socket_folder(home: Home) -> Path | None:
    """Return where the server listens, if it can be used and has a keeper."""
    if not is_held(home.path / "server.lock") or not is_held(home.path / "keeper.lock"):
        return None
    if _keeper.server_state(home.path) != "ready":
        return None
    folder = recorded_socket_folder(home.path)
    # Without its socket the server is about to be stopped by its keeper.
    return Path(folder.path) if folder is not None and folder.has_socket() else None


def _is_file_of(fd: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(fd), path.stat())
    except OSError:
        return False


def _connection_parameters(sockets: Path) -> dict[str, str]:
    # Everything that libpq would otherwise take from the environment.
    return {
        "host": str(sockets),
        "port": PORT,
        "user": DATABASE_USER,
        "dbname": DATABASE,
        "password": "",
        "sslmode": "disable",
        "gssencmode": "disable",
        "channel_binding": "disable",
        "target_session_attrs": "any",
        "options": "",
    }
