"""Serving over standard input and output, for the client that started the process."""

from __future__ import annotations

import logging
import os
import signal
import sys
from typing import TYPE_CHECKING, NoReturn

import anyio

from outcrop.mcp.server import create_server, make_gate

if TYPE_CHECKING:
    from outcrop.mcp.source import IndexSource


def serve_stdio(source: IndexSource, *, allow_writes: bool = False) -> None:
    """Serve until the client closes its end, then close the index.

    Standard output carries messages and nothing else: anything that is printed goes to
    standard error, as the log does.

    Args:
        source: Opens the index when the first call needs it.
        allow_writes: Whether the client may update the index.
    """
    logging.basicConfig(
        level=logging.WARNING, stream=sys.stderr, format="outcrop: %(message)s"
    )
    gate = make_gate()
    server = create_server(source, gate, allow_writes=allow_writes)
    signal.signal(signal.SIGINT, _end)
    try:
        anyio.run(server.run_stdio_async)
    finally:
        gate.close(wait=True)  # a call that runs needs the index until its end
        source.close()


def _end(number: int, _frame: object) -> NoReturn:
    """Exit immediately: the thread that waits for the next line would block.

    A database that this process started notices by itself that its user is gone.
    """
    os._exit(128 + number)
