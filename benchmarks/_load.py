"""Many clients at a time, each asking again as soon as it has its answer.

Requests are written by hand on open connections, so that the clients cost little of the
machine that the server runs on too.
"""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_OK = b"HTTP/1.1 200 "
_LENGTH = b"content-length:"


@dataclass(slots=True)
class Load:
    """What came of a load.

    Attributes:
        seconds: The times of the right answers, in the order they came.
        errors: What was wrong with the others.
        elapsed: How long it all took.
    """

    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    elapsed: float = 0.0

    def percentile(self, share: float) -> float:
        """Return the time that this share of the answers needed at most."""
        ordered = sorted(self.seconds)
        return ordered[min(int(len(ordered) * share), len(ordered) - 1)]

    @property
    def rate(self) -> float:
        """Right answers a second."""
        return len(self.seconds) / self.elapsed


def encode(method: str, path: str, body: object = None) -> bytes:
    """Return a request as it is sent."""
    content = b"" if body is None else json.dumps(body).encode()
    head = (
        f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json"
        f"\r\nContent-Length: {len(content)}\r\n\r\n"
    )
    return head.encode() + content


def run_load(
    port: int, requests: Sequence[bytes], *, clients: int, seconds: float
) -> Load:
    """Let clients ask for some time.

    Args:
        port: Where the server is, on this machine.
        requests: What is asked, in turn; each client starts at another one.
        clients: How many ask at a time.
        seconds: How long.
    """
    load = Load()
    asyncio.run(_run(load, port, requests, clients, seconds))
    return load


async def _run(
    load: Load, port: int, requests: Sequence[bytes], clients: int, seconds: float
) -> None:
    started = time.perf_counter()
    end = started + seconds
    step = max(1, len(requests) // clients)
    await asyncio.gather(
        *(_ask(load, port, requests, number * step, end) for number in range(clients))
    )
    load.elapsed = time.perf_counter() - started


async def _ask(
    load: Load, port: int, requests: Sequence[bytes], at: int, end: float
) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**20)
    try:
        while time.perf_counter() < end:
            started = time.perf_counter()
            writer.write(requests[at % len(requests)])
            head = await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(_content_length(head))
            if head.startswith(_OK):
                load.seconds.append(time.perf_counter() - started)
            else:
                load.errors.append(head.split(b"\r\n")[0].decode())
            at += 1
    except (OSError, asyncio.IncompleteReadError) as error:
        load.errors.append(repr(error))
    finally:
        writer.close()


def _content_length(head: bytes) -> int:
    for line in head.lower().split(b"\r\n"):
        if line.startswith(_LENGTH):
            return int(line.removeprefix(_LENGTH))
    return 0
