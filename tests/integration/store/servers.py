"""The servers that tests share, and one as a user would have: on TCP, with a password."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest

from integration.shared import Shared
from integration.store.created import embedded_server
from outcrop.store.server._home import server_user
from outcrop.store.server._wheel import engine_for, installed_engines

if TYPE_CHECKING:
    from collections.abc import Iterator

# What the fixture `target` opens. `make test-full` runs every test on both; statements
# and engine are the same, so `make test` does so where connections matter, or a promise
# as a whole.
SERVERS = ["embedded", pytest.param("url", marks=pytest.mark.full)]
EVERY_SERVER = pytest.mark.parametrize("target", ["embedded", "url"], indirect=True)

PASSWORD = "s3cret-pass/word"  # noqa: S105 - of a server that lives for one test run
_ESCAPED = "s3cret-pass%2Fword"


@contextmanager
def tcp_server(version: int | None = None) -> Iterator[str]:
    """Start a server from the wheel and yield the URL of its database."""
    folder = Path(tempfile.mkdtemp(prefix="outcrop-tcp-"))
    folder.chmod(0o755)
    user = server_user(folder / "none")
    arguments = user.as_arguments() if user else {}
    engine = installed_engines()[version] if version else engine_for(folder / "none")
    data = folder / "data"
    data.mkdir(mode=0o700)
    secret = folder / "secret"
    secret.write_text(PASSWORD)
    secret.chmod(0o644)
    if user is not None:
        os.chown(data, user.uid, user.gid)
    subprocess.run(
        [
            *(engine.initdb, "-D", data, "-U", "owner", "-A", "scram-sha-256"),
            *(f"--pwfile={secret}", "--locale=C", "--encoding=UTF8", "--no-sync"),
        ],
        check=True,
        capture_output=True,
        cwd="/",
        **arguments,
    )
    port = _free_port()
    server = subprocess.Popen(
        [engine.postgres, "-D", data, "-p", str(port), "-k", "", "-c", "fsync=off"],
        stderr=subprocess.DEVNULL,
        cwd="/",
        **arguments,
    )
    url = f"postgresql://owner:{_ESCAPED}@127.0.0.1:{port}/postgres"
    try:
        _wait_for(url)
        yield url
    finally:
        server.send_signal(signal.SIGINT)  # without waiting for clients
        server.wait(timeout=30)
        shutil.rmtree(folder)


EMBEDDED = Shared(embedded_server)
TCP = Shared(tcp_server)


@contextmanager
def fresh_database(server_url: str) -> Iterator[str]:
    """Create an empty database on a server and yield its URL."""
    name = f"shared_{secrets.token_hex(6)}"
    with psycopg.connect(server_url, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}".encode())
        try:
            yield f"{server_url.rpartition('/')[0]}/{name}"
        finally:
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(url: str) -> None:
    deadline = time.monotonic() + 30
    while True:
        try:
            psycopg.connect(url).close()
        except psycopg.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            return


@pytest.fixture(scope="session")
def embedded_project() -> Iterator[Path]:
    """Return a folder whose server runs for the whole session."""
    with EMBEDDED.use() as folder:
        yield folder


@pytest.fixture(scope="session")
def server_url() -> Iterator[str]:
    """Return the URL of a server with a password, for the whole session."""
    with TCP.use() as url:
        yield url


@pytest.fixture
def shared_url(server_url: str) -> Iterator[str]:
    """Return the URL of a database that holds nothing yet."""
    with fresh_database(server_url) as url:
        yield url


@pytest.fixture(params=SERVERS)
def target(request: pytest.FixtureRequest) -> str | Path:
    """Return what to open."""
    name = "embedded_project" if request.param == "embedded" else "server_url"
    chosen: str | Path = request.getfixturevalue(name)
    return chosen
