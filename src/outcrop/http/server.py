"""Running the application on a socket of this machine."""

from __future__ import annotations

import gc
import socket
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from outcrop.errors import InputError

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from fastapi import FastAPI

    from outcrop.http.settings import ServerSettings

_BACKLOG = 512
_ACCEPTED_AT_ONCE = 1
_BEAT_SECONDS = 1
_OBJECTS_PER_COLLECTION = 20_000
_KEEP_ALIVE_SECONDS = 15
_SHUTDOWN_SECONDS = 3


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens.

    Raises:
        InputError: The address is not available.
    """
    try:
        family, _, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM
        )[0]
        opened = socket.socket(family, socket.SOCK_STREAM)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind(address)
        opened.listen(_BACKLOG)
    except OSError as error:
        raise InputError(
            f"cannot listen on {host} port {port}: {error.strerror or error}; choose "
            "another with --port"
        ) from error
    return opened


def describe(opened: socket.socket, settings: ServerSettings) -> str:
    """Return the address of the page, to print."""
    port: int = opened.getsockname()[1]
    return replace(settings, port=port).url


def serve(
    app: FastAPI,
    settings: ServerSettings,
    opened: socket.socket,
    *,
    on_beat: Callable[[], None] | None = None,
) -> None:
    """Serve until the process is stopped.

    Other processes may accept connections of the socket too. `on_beat` is called when the
    server is ready, and every second from then on.
    """

    async def beat() -> None:
        app.state.service.metrics.update()
        if on_beat is not None:
            on_beat()

    config = uvicorn.Config(
        app,
        http=type(
            "ImpatientProtocol",
            (_ImpatientProtocol,),
            {"header_seconds": settings.header_seconds},
        ),
        ws="none",
        lifespan="on",
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        limit_concurrency=settings.max_connections,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
        callback_notify=beat,
        timeout_notify=_BEAT_SECONDS,
        backlog=_ACCEPTED_AT_ONCE,
    )
    _keep_out_of_collections()
    _Server(config).run(sockets=[opened])


def _keep_out_of_collections() -> None:
    """Exempt what lives as long as the process from garbage collection.

    Each search makes thousands of objects, which would make it look at all modules,
    models and tables every few requests.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_OBJECTS_PER_COLLECTION, *gc.get_threshold()[1:])


class _Server(uvicorn.Server):
    """Accepts connections one by one, so that several processes get equal shares."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        # The event loop sets the backlog to the number it accepts at once.
        for opened in sockets or ():
            opened.listen(_BACKLOG)


class _ImpatientProtocol(H11Protocol):
    """Limits the time for the head of a request.

    The server has no such limit: a client that sends a line now and then could hold a
    connection forever.
    """

    header_seconds: ClassVar[float]
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        super().connection_made(transport)
        self._expect_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop_timer()
        elif self._timer is None:
            self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def _expect_head(self) -> None:
        self._timer = self.loop.call_later(self.header_seconds, self._give_up)

    def _give_up(self) -> None:
        if self.cycle is None or self.cycle.response_complete:
            self.transport.abort()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
