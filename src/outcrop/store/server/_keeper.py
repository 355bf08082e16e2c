"""The keeper: a small process that starts one server and stops it in time.

It runs as a script, with the standard library alone, apart from any client. It is the
only one that stops the server, and it does so when no client holds the lease any more,
however the clients ended. The files it works with, all in one folder:

- `lease`: every client holds it shared; a process that gets it exclusively is the only one.
- `server.lock`: held by the server's processes, which inherit it. It is free exactly
  when none of them is alive; `postmaster.pid` may be out of date.
- `keeper.lock`: held by the keeper as long as it lives.
- `server.json`: where the running server's socket is; see `_sockets`.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING or __name__ != "__main__":
    from outcrop.store.server._locks import (
        lock_within,
        open_lock_file,
        try_lock,
    )
    from outcrop.store.server._sockets import (
        SocketFolder,
        forget_socket_folder,
        make_socket_folder,
        record_socket_folder,
        recorded_socket_folder,
        remove_socket_folder,
    )
else:  # a script: `-I` leaves its own folder out of the path
    sys.path.insert(0, str(Path(__file__).parent))
    from _locks import lock_within, open_lock_file, try_lock
    from _sockets import (
        SocketFolder,
        forget_socket_folder,
        make_socket_folder,
        record_socket_folder,
        recorded_socket_folder,
        remove_socket_folder,
    )

START_SECONDS = 300.0  # recovery after a crash replays what was written
STOP_SECONDS = 60.0
_POLL_SECONDS = 0.002
_SOCKET_POLL_SECONDS = 1.0
# A server that cannot write its log waits for space before it stops.
_FULL_DISK_SECONDS = 3.0
_FULL_DISK_BYTES = 8_000_000
# What a server writes into its log after a crash, and when it has recovered from it.
_CRASHED = b"all server processes terminated; reinitializing"
_RECOVERED = b"database system is ready to accept connections"
_LOG_END_BYTES = 64_000
_HERE = Path()  # the home: a keeper works in it, wherever it is moved


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What a keeper is asked to do, handed over as JSON."""

    home: str
    socket_root: str
    command: list[str]
    user: int | None
    group: int | None


def server_state(home: Path) -> str:
    """Return the last line of `postmaster.pid`: `starting`, `ready` and so on."""
    lines = _pid_file_lines(home)
    # pid, folder, start, port, socket, host, shared memory, state; the folder's name
    # may hold line ends, so the state is found from the end.
    return lines[-2].strip() if len(lines) > 8 else ""  # noqa: PLR2004


def server_pid(home: Path) -> int | None:
    """Return the server's process id as it wrote it down itself."""
    try:
        return int(_pid_file_lines(home)[0])
    except ValueError:
        return None


def _pid_file_lines(home: Path) -> list[str]:
    """Return the lines of `postmaster.pid`; a single empty one without the file."""
    try:
        # The name of a folder may be any bytes.
        text = (home / "data" / "postmaster.pid").read_text(errors="replace")
    except OSError:
        text = ""
    return text.split("\n")


def _is_disk_full() -> bool:
    try:
        disk = os.statvfs("data")
    except OSError:
        return False
    return disk.f_bavail * disk.f_frsize < _FULL_DISK_BYTES


def is_recovering(log: Path) -> bool:
    """Return whether a server has crashed and not recovered, by its log.

    One that is asked to stop at the beginning of its recovery may never end.
    """
    try:
        with log.open("rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _LOG_END_BYTES))
            end = file.read()
    except OSError:
        return False
    return end.rfind(_CRASHED) > end.rfind(_RECOVERED)


class Keeper:
    """Starts (or adopts) the server of one folder and stops it with the last lease.

    Everything is opened at the start, relative to the folder: if the folder is
    renamed, the keeper goes with it, and if another takes its place, the keeper never
    touches that.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        os.chdir(task.home)
        self._lease = open_lock_file("lease")
        self._keeper_lock = open_lock_file("keeper.lock")
        self._server_lock = open_lock_file("server.lock")
        self._probe = open_lock_file("server.lock")
        self._server: subprocess.Popen[bytes] | None = None
        self._pid: int | None = None
        self._sockets: SocketFolder | None = None

    def become_keeper(self) -> bool:
        """Take the keeper's lock; return False if the server has a keeper already."""
        deadline = time.monotonic() + STOP_SECONDS
        while not try_lock(self._keeper_lock):
            if self.is_server_alive() or time.monotonic() > deadline:
                return False
            time.sleep(_POLL_SECONDS)  # the previous keeper is about to leave
        return True

    def is_server_alive(self) -> bool:
        """Return whether any process of the server is left."""
        if try_lock(self._probe, shared=True):
            fcntl.flock(self._probe, fcntl.LOCK_UN)
            return False
        return True

    def start(self) -> str:
        """Start the server, or adopt one whose keeper was killed.

        Returns:
            An empty string, or what went wrong.
        """
        lock = open_lock_file("server.lock")
        try:
            if lock_within(lock, 0.2):
                self._launch(lock)
        except OSError as error:
            return f"{error.filename or self._task.command[0]}: {error.strerror}"
        finally:
            os.close(lock)  # from here on the server alone holds it
        problem = self._wait_until_ready()
        self._pid = server_pid(_HERE)
        self._sockets = self._sockets or recorded_socket_folder(_HERE)
        return problem

    def _launch(self, lock: int) -> None:
        # The lock is free, so whatever an earlier server has left is out of date. The
        # process id in the file may belong to another process by now.
        Path("data/postmaster.pid").unlink(missing_ok=True)
        if (earlier := recorded_socket_folder(_HERE)) is not None:
            remove_socket_folder(earlier, _HERE)
        self._sockets = make_socket_folder(
            self._task.socket_root, _HERE, self._task.user
        )
        record_socket_folder(self._sockets, _HERE)
        # The setting is a list; quotes keep a comma or a space in a name.
        quoted = self._sockets.path.replace('"', '""')
        self._server = subprocess.Popen(  # noqa: S603 - our own command, no shell
            [*self._task.command, "-c", f'unix_socket_directories="{quoted}"'],
            stdin=subprocess.DEVNULL,
            pass_fds=(lock,),
            user=self._task.user,
            group=self._task.group,
            extra_groups=None if self._task.user is None else [],
            cwd="/",
        )

    def _wait_until_ready(self) -> str:
        deadline = time.monotonic() + START_SECONDS
        while server_state(_HERE) != "ready":
            if self._server is not None and self._server.poll() is not None:
                return f"the server ended with status {self._server.returncode}"
            if not self.is_server_alive():
                return "the server ended"
            if time.monotonic() > deadline:
                return f"the server was not ready after {START_SECONDS:.0f} seconds"
            time.sleep(_POLL_SECONDS)
        return ""

    def watch(self) -> str:
        """Begin to wait for a reason to stop the server.

        Returns:
            An empty string, or what went wrong. The server is stopped then, because
            nothing else would stop it.
        """
        signal.signal(signal.SIGTERM, lambda *_: self._stop(signal.SIGINT))
        try:
            for reason in (self._stop_without_leases, self._stop_without_socket):
                threading.Thread(target=reason, daemon=True).start()
        except RuntimeError as error:  # the limit of processes is reached
            sys.stderr.write(f"FATAL:  {error}\n")  # into the log of the server
            self._stop(signal.SIGINT)
            return str(error)
        return ""

    def keep(self) -> None:
        """Wait until the server has ended, and remove what it leaves."""
        fcntl.flock(self._server_lock, fcntl.LOCK_EX)
        if self._sockets is not None:
            remove_socket_folder(self._sockets, _HERE)
        forget_socket_folder(_HERE)

    def _stop_without_leases(self) -> None:
        # Held from here to the end of the process: a client that comes now waits
        # until the stop is complete, and then starts the server again.
        fcntl.flock(self._lease, fcntl.LOCK_EX)
        self._stop_in_time()

    def _stop_without_socket(self) -> None:
        # It was deleted, so no new client can connect. The server cannot make
        # another one; the next client starts a server that does.
        while self._sockets is not None and self._sockets.has_socket():
            time.sleep(_SOCKET_POLL_SECONDS)
        self._stop_in_time()

    def _stop_in_time(self) -> None:
        self._stop(signal.SIGINT)
        time.sleep(_FULL_DISK_SECONDS)
        if not _is_disk_full() and not is_recovering(Path("server.log")):
            time.sleep(STOP_SECONDS - _FULL_DISK_SECONDS)
        self._stop(signal.SIGQUIT)  # still safe: the next start replays the log

    def _stop(self, how: signal.Signals) -> None:
        if self._pid is not None and self.is_server_alive():
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._pid, how)


def main() -> None:
    """Read the task, leave the client's process tree, and keep the server."""
    task = Task(**json.loads(sys.argv[1]))
    report = int(sys.argv[2])
    if os.fork():  # the client need not wait for us, nor we for it
        os._exit(0)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    keeper = Keeper(task)
    if not keeper.become_keeper():
        return
    try:
        problem = "; ".join(filter(None, (keeper.start(), keeper.watch())))
    except Exception as error:  # noqa: BLE001 - unreported, it would be tried again
        problem = f"{type(error).__name__}: {error}"
    with contextlib.suppress(BrokenPipeError):  # the client may have ended
        os.write(report, problem.encode())
    os.close(report)
    keeper.keep()  # a server that failed to start is cleaned up too
    # Not sys.exit: it would wait for the thread that waits for the lease.
    os._exit(0)


if __name__ == "__main__":
    main()
