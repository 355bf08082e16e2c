"""A worker process of `outcrop serve --workers N`."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outcrop.cli.opening import Choice
    from outcrop.cli.verbosity import Verbosity
    from outcrop.http.settings import ServerSettings
    from outcrop.http.workers import SharedState

# What the parent runs, in an interpreter of its own.
COMMAND = "from outcrop.cli.serve_worker import main; main()"


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What a worker needs to know.

    Attributes:
        choice: Which index to serve.
        require_all: Whether all of several databases have to answer.
        settings: Settings of the server.
        shared: What it has in common with the other workers.
        verbosity: How much to log.
        socket_fd: The listening socket, which it inherits.
    """

    choice: Choice
    require_all: bool
    settings: ServerSettings
    shared: SharedState
    verbosity: Verbosity
    socket_fd: int


def main() -> None:
    """Serve until the parent asks for the end, or has ended."""
    from outcrop.http.workers import Parent

    parent = Parent()
    task: Task = parent.receive_task()
    # Before anything imports the library that reads it.
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(task.shared.metrics)
    from outcrop.cli.main import exit_code_of, report
    from outcrop.cli.serve import make_app
    from outcrop.cli.verbosity import log_requests
    from outcrop.errors import OutcropError
    from outcrop.http import server

    def follow_parent() -> None:
        parent.wait_for_end()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=follow_parent, daemon=True).start()
    opened = socket.socket(fileno=task.socket_fd)
    try:
        with (
            task.verbosity.applied() as context,
            opened,
            task.choice.open_all(create=True, require_all=task.require_all) as index,
        ):
            log_requests(context)
            app = make_app(index, task.settings, task.shared)
            server.serve(app, task.settings, opened, on_beat=parent.beat)
    except OutcropError as error:
        report(error)
        sys.exit(exit_code_of(error))
