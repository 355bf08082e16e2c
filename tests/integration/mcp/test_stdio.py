"""A real process, as clients start it: what it says, and how it ends."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from mcp import StdioServerParameters

from integration.http.served import make_project, remove_project
from integration.mcp.agents import Agent, text_of
from integration.store.processes import wait_until, wait_until_stopped
from outcrop.indexing.config import IndexConfig
from outcrop.indexing.index import Index

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp import Client

COMMAND = [sys.executable, "-m", "outcrop", "mcp"]

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def call(number: int, tool: str, **arguments: Any) -> dict[str, Any]:
    parameters = {"name": tool, "arguments": arguments}
    return {
        "jsonrpc": "2.0",
        "id": number,
        "method": "tools/call",
        "params": parameters,
    }


class Talk:
    """A conversation line by line."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process

    def say(self, *messages: dict[str, Any] | bytes) -> None:
        assert self.process.stdin is not None
        for message in messages:
            data = (
                message if isinstance(message, bytes) else json.dumps(message).encode()
            )
            self.process.stdin.write(data + b"\n")
        self.process.stdin.flush()

    def hear(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the server ended"
        heard: dict[str, Any] = json.loads(line)
        return heard

    def hear_answer(self, number: int) -> dict[str, Any]:
        while (heard := self.hear()).get("id") != number:
            pass
        return heard

    def greet(self) -> None:
        self.say(HELLO)
        assert self.hear()["result"]["serverInfo"]["name"] == "outcrop"
        self.say(READY)

    def leave(self) -> int:
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(timeout=20)


@contextlib.contextmanager
def talking(folder: Path, *options: str) -> Iterator[Talk]:
    process = subprocess.Popen(
        [*COMMAND, *options],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with process:
        try:
            yield Talk(process)
        finally:
            process.kill()


@pytest.fixture(scope="module")
def quay() -> Iterator[Path]:
    """Return an indexed project whose database does not run."""
    folder = make_project()
    (folder / "quay.md").write_text("# Quay\n\nThe north quay is deep.\n")
    with Index.open(folder, config=IndexConfig(workers=1)) as index:
        index.index()
    yield folder
    remove_project(folder)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_official_client_is_served(harbour, mode):
    server = StdioServerParameters(
        command=COMMAND[0], args=[*COMMAND[1:], "--project", str(harbour)]
    )

    async def ask(client: Client) -> tuple[Any, Any, Any]:
        return (
            await client.call_tool("search", {"query": "north quay", "limit": 1}),
            await client.read_resource("doc://docs/notes.txt"),
            await client.call_tool("search", {}),
        )

    found, document, refused = Agent(server, mode).do(ask)
    assert found.structured_content["hits"][0]["path"] == "docs/guide.md"
    assert document.contents[0].text.endswith("twelve tons.\n")
    assert "field required" in text_of(refused)


def test_only_messages_are_on_standard_output(harbour):
    with talking(harbour) as talk:
        talk.greet()
        talk.say({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
        assert talk.hear_answer(2)["result"]["tools"]
        talk.say(
            call(3, "search", query="quay"),
            call(4, "search", nonsense=1),
            call(5, "nonsense"),
            call(6, "outline"),
        )
        answers = {talk.hear()["id"] for _ in range(4)}
        assert answers == {3, 4, 5, 6}
        assert talk.leave() == 0
        assert talk.process.stdout.read() == b""


def test_starting_opens_nothing(tmp_path):
    with talking(tmp_path) as talk:
        talk.greet()
        talk.say({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
        assert talk.hear_answer(2)["result"]["tools"]
        assert talk.leave() == 0
    assert list(tmp_path.iterdir()) == []


def test_noise_is_answered_with_errors_and_the_talk_goes_on(harbour):
    with talking(harbour) as talk:
        talk.greet()
        talk.say(
            b"not json",
            b"",
            b"[]",
            b'{"jsonrpc": "2.0"}',
            b'{"jsonrpc": "2.0", "id": 7, "method": "no/such"}',
            b'{"jsonrpc": "2.0", "id": 8, "method": "tools/call"}',
            b'{"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": 1}}',
            b"\xff\xfe\x00",
            b"[" * 100_000,
            call(10, "search", query="x" * 1_000_000),
            call(11, "index_status"),
        )
        status = talk.hear_answer(11)["result"]
        assert not status["isError"]
        assert talk.leave() == 0


def test_a_call_that_is_cancelled_is_not_answered(harbour):
    with talking(harbour) as talk:
        talk.greet()
        numbers = range(100, 120)
        talk.say(*(call(n, "search", query=f"quay {n}") for n in numbers))
        for n in numbers:
            cancelled = {"requestId": n, "reason": "changed my mind"}
            talk.say(
                {
                    "jsonrpc": "2.0",
                    "method": "notifications/cancelled",
                    "params": cancelled,
                }
            )
        talk.say(call(200, "index_status"))
        assert talk.hear_answer(200)["result"]["structuredContent"]["chunks"]
        assert talk.leave() == 0


def test_the_database_stops_with_the_talk(quay):
    with talking(quay) as talk:
        talk.greet()
        talk.say(call(2, "search", query="deep"))
        assert not talk.hear_answer(2)["result"]["isError"]
        assert talk.leave() == 0
    assert wait_until_stopped(quay / ".outcrop")


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
def test_a_server_that_is_ended_leaves_nothing_running(quay, end):
    with talking(quay) as talk:
        talk.greet()
        talk.say(call(2, "search", query="deep"))
        assert not talk.hear_answer(2)["result"]["isError"]
        talk.process.send_signal(end)
        talk.process.wait(timeout=20)
        assert b"Traceback" not in talk.process.stderr.read()
    assert wait_until_stopped(quay / ".outcrop")


# Starts a server, says which process it is, and waits to be killed.
CLIENT = """
import subprocess, sys, time
process = subprocess.Popen(
    sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE
)
for line in sys.stdin.buffer:
    process.stdin.write(line)
    process.stdin.flush()
    if b'"id"' in line:
        process.stdout.readline()
    print(process.pid, flush=True)
"""


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks into /proc")
def test_a_client_that_is_killed_takes_its_server_with_it(quay):
    client = subprocess.Popen(
        [sys.executable, "-c", CLIENT, *COMMAND],
        cwd=quay,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with client:
        for message in (HELLO, READY, call(2, "search", query="deep")):
            client.stdin.write(json.dumps(message).encode() + b"\n")
            client.stdin.flush()
            server = int(client.stdout.readline())
        assert is_alive(server)
        client.kill()
    assert wait_until(lambda: not is_alive(server))
    assert wait_until_stopped(quay / ".outcrop")


def test_starting_loads_neither_database_nor_embedder():
    script = "import sys, outcrop.mcp.server; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert "mcp" in loaded
    assert not loaded & {"fastapi", "numpy", "psycopg", "tokenizers", "tree_sitter"}
