"""Real client processes for the tests of the embedded server."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from outcrop.store.server._locks import is_held

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Opens the server, says so, and runs each line it is given as SQL.
CLIENT = """
import sys, psycopg
from pathlib import Path
from outcrop.store.server.embedded import EmbeddedServer
server = EmbeddedServer(Path(sys.argv[1]) / ".outcrop")
parameters = server.ensure_running()
connection = psycopg.connect(autocommit=True, **parameters)
print(parameters["host"], flush=True)
for line in sys.stdin:
    cursor = connection.execute(line)
    print(cursor.fetchall() if cursor.description else "done", flush=True)
connection.close()
if "--no-close" not in sys.argv:
    server.close()
"""


class Client:
    """A process that holds a lease and a connection."""

    def __init__(self, project: Path, *arguments: str, **options: Any) -> None:
        command = [sys.executable, "-c", CLIENT, str(project), *arguments]
        self.process = subprocess.Popen(
            options.pop("command", command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            **options,
        )
        self.socket_folder = ""

    def wait_until_open(self) -> Client:
        self.socket_folder = self._read()
        return self

    def run(self, sql: str) -> str:
        assert self.process.stdin is not None
        self.process.stdin.write(sql + "\n")
        self.process.stdin.flush()
        return self._read()

    def _read(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline().rstrip("\n")
        assert line, "the client ended without an answer"
        return line

    def end(self) -> int:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        code = self.process.wait(timeout=30)
        self.process.stdout.close()
        return code

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(timeout=30)
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            stream.close()


@contextmanager
def client(project: Path, *arguments: str, **options: Any) -> Iterator[Client]:
    """Open a client and make sure that it is gone afterwards."""
    opened = Client(project, *arguments, **options)
    try:
        yield opened.wait_until_open()
        if opened.process.returncode is None:
            assert opened.end() == 0
    finally:
        if opened.process.returncode is None:
            opened.kill()


def is_running(home: Path) -> bool:
    """Say whether the server or its keeper is alive."""
    return is_held(home / "server.lock") or is_held(home / "keeper.lock")


def wait_until(condition: Callable[[], bool], seconds: float = 20) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True


def wait_until_stopped(home: Path) -> bool:
    return wait_until(lambda: not is_running(home))


def server_pid(home: Path) -> int:
    return int((home / "data" / "postmaster.pid").read_text().split("\n", 1)[0])


def keeper_pid(home: Path) -> int:
    """Return the process that started the server."""
    status = Path(f"/proc/{server_pid(home)}/status").read_text()
    return int(status.split("PPid:")[1].split()[0])


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
