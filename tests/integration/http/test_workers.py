"""`outcrop serve --workers N`: processes on one socket, replaced when they end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from integration.http.served import TOKEN, running, serving

pytestmark = pytest.mark.skipif(
    not Path("/proc").is_dir(), reason="finds the workers in /proc"
)

WORKERS = 2
QUESTION = {"query": "when do boats with a keel leave the basin?"}


def workers_of(parent: int) -> set[int]:
    """Return the processes that a server has started to answer requests."""
    found = set()
    for entry in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            status = (entry / "stat").read_text().rpartition(")")[2].split()
            is_worker = b"serve_worker" in (entry / "cmdline").read_bytes()
            if int(status[1]) == parent and status[0] != "Z" and is_worker:
                found.add(int(entry.name))
    return found


def wait_for(condition, seconds=30.0):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.05)
    return False


def is_alive(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


@pytest.fixture(scope="module")
def several(harbour):
    with serving(harbour, "--workers", str(WORKERS), "-q") as served:
        yield served


@pytest.fixture
def several_client(several):
    with httpx.Client(base_url=several.url, timeout=30) as client:
        yield client


def ask(url: str) -> httpx.Response:
    return httpx.post(f"{url}/v1/search", json=QUESTION, timeout=30)


def metric(text: str, name: str) -> float:
    return sum(
        float(line.rpartition(" ")[2])
        for line in text.splitlines()
        if line.startswith(name)
    )


def test_all_workers_return_what_one_process_returns(several, client):
    expected = client.post("/v1/search", json=QUESTION).json()["hits"]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: ask(several.url), range(24)))
    assert expected
    assert all(answer.json()["hits"] == expected for answer in answers)


def test_a_killed_worker_is_replaced_while_clients_go_on(several):
    before = workers_of(several.process.pid)
    assert len(before) == WORKERS
    victim = min(before)
    os.kill(victim, signal.SIGKILL)
    # Each request has a connection of its own, which a living worker accepts.
    for _ in range(20):
        assert httpx.get(f"{several.url}/health", timeout=30).status_code == 200
    assert wait_for(
        lambda: (
            len(now := workers_of(several.process.pid)) == WORKERS and victim not in now
        )
    )
    assert ask(several.url).json()["hits"]


def test_a_worker_that_stops_answering_is_replaced(harbour):
    """The limit is half a minute, so the command is run with a shorter one."""
    script = (
        "import sys; from outcrop.http import workers;"
        "workers._MAX_SILENT_SECONDS = 2.5; from outcrop.cli.main import main;"
        "sys.argv[0] = 'outcrop'; main()"
    )
    command = ["-c", script, "serve", "--port", "0", "--workers", "2", "-q"]
    with running(command, harbour) as served:
        pid = served.process.pid
        victim = min(workers_of(pid))
        os.kill(victim, signal.SIGSTOP)
        assert wait_for(
            lambda: len(now := workers_of(pid)) == WORKERS and victim not in now
        )
        assert not is_alive(victim)


def test_metrics_are_those_of_all_workers(several, several_client):
    name = 'outcrop_http_requests_total{method="POST",route="/v1/search",status="200"}'
    before = metric(several_client.get("/metrics").text, name)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: ask(several.url), range(16)))
    after = several_client.get("/metrics").text
    assert metric(after, name) == before + 16
    # A place is given back just after the answer.
    idle = 'outcrop_running{gate="searches"} 0.0'
    assert wait_for(lambda: idle in several_client.get("/metrics").text)


def test_a_session_is_valid_in_all_workers(harbour):
    with serving(harbour, "--workers", "2", "-q", OUTCROP_TOKEN=TOKEN) as served:
        opened = httpx.post(f"{served.url}/login", data={"token": TOKEN}, timeout=30)
        cookie = opened.headers["set-cookie"].partition(";")[0]
        for _ in range(20):  # a new connection each, so that both workers answer
            answer = httpx.get(
                f"{served.url}/v1/runs", headers={"Cookie": cookie}, timeout=30
            )
            assert answer.status_code == 200


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_the_parent_ends_all_workers(harbour, number):
    with serving(harbour, "--workers", "2", "-q") as served:
        workers = workers_of(served.process.pid)
        assert len(workers) == WORKERS
        served.process.send_signal(number)
        served.process.wait(timeout=30)
        assert not any(map(is_alive, workers))
        with pytest.raises(httpx.ConnectError):
            httpx.get(f"{served.url}/health")


def test_workers_end_with_a_killed_parent(harbour):
    with serving(harbour, "--workers", "2", "-q") as served:
        workers = workers_of(served.process.pid)
        served.process.kill()
        served.process.wait(timeout=30)
        assert wait_for(lambda: not any(map(is_alive, workers)))


def test_workers_that_cannot_start_end_the_command(harbour):
    """Each of them exits at once, as with a library that cannot be loaded."""
    script = (
        "import sys; from outcrop.cli import serve;"
        "serve.COMMAND = 'raise SystemExit(7)';"
        "from outcrop.cli.main import main; sys.argv[0] = 'outcrop'; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "serve", "--port", "0", "--workers", "2"],
        cwd=harbour,
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert done.returncode == 1
    assert "workers ended before they were ready" in done.stderr
    assert "exit status 7" in done.stderr
