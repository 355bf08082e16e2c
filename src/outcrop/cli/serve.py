"""`outcrop serve`: the HTTP interface and the page, on this machine."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from outcrop.cli.main import exit_code_of, report
from outcrop.cli.opening import (
    Choice,
    index_options,
    require_all_option,
    rerank_option,
)
from outcrop.cli.render.text import escape_controls
from outcrop.cli.verbosity import Verbosity, log_requests
from outcrop.errors import InputError, MissingExtraError, OutcropError

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastapi import FastAPI

    from outcrop.http.settings import ServerSettings
    from outcrop.http.workers import SharedState
    from outcrop.indexing.sharded import AnyIndex


@click.command()
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on; any but a loopback address needs OUTCROP_TOKEN.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8321,
    show_default=True,
    metavar="N",
    help="Port to listen on; 0 selects a free one.",
)
@click.option(
    "--root",
    "roots",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    metavar="PATH",
    help="A folder outside the project that may be indexed; repeatable.",
)
@click.option(
    "--allow-host",
    "allowed_hosts",
    multiple=True,
    metavar="NAME",
    help="A host name by which browsers may call the server; repeatable.",
)
@click.option(
    "--cors-origin",
    "cors_origins",
    multiple=True,
    metavar="ORIGIN",
    help="An origin whose pages may call the server; repeatable.",
)
@click.option(
    "--max-searches",
    type=click.IntRange(1, 64),
    default=4,
    show_default=True,
    metavar="N",
    help="Maximum searches at a time per worker; others wait, or get 503.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 32),
    default=1,
    show_default=True,
    metavar="N",
    help="Number of processes that answer requests; one per core is the maximum useful.",
)
@require_all_option
@index_options
@rerank_option
def serve(  # noqa: PLR0913 - one argument per option
    choice: Choice,
    *,
    host: str,
    port: int,
    roots: tuple[Path, ...],
    allowed_hosts: tuple[str, ...],
    cors_origins: tuple[str, ...],
    max_searches: int,
    workers: int,
    require_all: bool,
) -> None:
    """Serve the index over HTTP, with web pages."""
    try:
        from outcrop.http import server
        from outcrop.http.settings import TOKEN_VARIABLE, ServerSettings
    except ModuleNotFoundError as error:
        raise MissingExtraError("outcrop serve", "http") from error

    settings = ServerSettings(
        host=host,
        port=port,
        token=os.environ.get(TOKEN_VARIABLE) or None,
        roots=tuple(root.resolve() for root in roots),
        allowed_hosts=allowed_hosts,
        cors_origins=cors_origins,
        max_searches=max_searches,
    )
    with (
        server.listen(host, port) as opened,
        choice.open_all(create=True, require_all=require_all) as index,
    ):
        address = server.describe(opened, settings)
        project = escape_controls(str(index.project))
        log_requests(click.get_current_context())

        def announce() -> None:
            click.echo(f"serving {project} at {address} (stop with Ctrl+C)")

        if workers > 1:
            _run_workers(
                choice, settings, opened, workers, announce, require_all=require_all
            )
            return
        app = make_app(index, settings)
        announce()
        server.serve(app, settings, opened)


# What the parent runs, in an interpreter of its own.
COMMAND = "from outcrop.cli.serve import serve_worker; serve_worker()"


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What a worker needs to know."""

    choice: Choice  # which index to serve
    require_all: bool  # whether all of several databases have to answer
    settings: ServerSettings
    shared: SharedState  # what it has in common with the other workers
    verbosity: Verbosity  # how much to log
    socket_fd: int  # the listening socket, which it inherits


def _run_workers(
    choice: Choice,
    settings: ServerSettings,
    opened: socket.socket,
    count: int,
    announce: Callable[[], None],
    *,
    require_all: bool,
) -> None:
    """Serve with several processes; this one has the index open, and watches them."""
    from outcrop.http.metrics import forget_worker
    from outcrop.http.workers import SharedState, Workers

    if sys.platform == "win32":
        raise InputError(f"workers is {count}, but on Windows it must be 1")
    with TemporaryDirectory(prefix="outcrop-serve-") as folder:
        shared = SharedState(folder=Path(folder), workers=count)
        shared.metrics.mkdir()
        task = Task(
            choice=choice,
            require_all=require_all,
            settings=settings,
            shared=shared,
            verbosity=Verbosity.of(click.get_current_context()),
            socket_fd=opened.fileno(),
        )
        workers = Workers(
            COMMAND,
            task,
            opened,
            count=count,
            on_end=lambda pid: forget_worker(pid, shared.metrics),
        )
        workers.run(announce)


def make_app(
    index: AnyIndex, settings: ServerSettings, shared: SharedState | None = None
) -> FastAPI:
    """Make the application with everything that is installed; see `create_app`."""
    from outcrop.http.app import create_app
    from outcrop.web.pages import mount_pages

    mounted = [mount_pages()]
    try:
        from outcrop.mcp.endpoint import mount_server
    except ModuleNotFoundError:  # its extra is not installed
        pass
    else:
        mounted.append(mount_server(index))
    return create_app(index, settings=settings, mounted=mounted, shared=shared)


def serve_worker() -> None:
    """Serve until the parent asks for the end, or has ended."""
    from outcrop.http.workers import Parent

    parent = Parent()
    task: Task = parent.receive_task()
    # Before anything imports the library that reads it.
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(task.shared.metrics)
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
