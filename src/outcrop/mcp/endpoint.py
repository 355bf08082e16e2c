"""`/mcp`: the same server over HTTP, inside the application that serves the index.

Every request is independent: there are no sessions and no open streams, so nothing
remains of a client that disconnects. The guards and limits of the application apply.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from outcrop.http.app import Surface
from outcrop.mcp.server import create_server, make_gate
from outcrop.mcp.source import IndexSource

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from fastapi import FastAPI
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from outcrop.indexing.sharded import AnyIndex

PATH = "/mcp"


class _Endpoint:
    """Answers one message per request, as long as the client waits for the answer.

    Requests that would open a stream or end a session are rejected: there are none.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST":
            response = Response(status_code=405, headers={"Allow": "POST"})
            await response(scope, receive, send)
            return
        try:
            body = await Request(scope, receive).body()
        except ClientDisconnect:
            return
        async with anyio.create_task_group() as group:

            async def answer() -> None:
                await self._app(scope, _replay(body), send)
                group.cancel_scope.cancel()

            async def watch() -> None:
                while (await receive())["type"] != "http.disconnect":
                    pass
                group.cancel_scope.cancel()

            group.start_soon(answer)
            group.start_soon(watch)


def _replay(body: bytes) -> Receive:
    """Return a receiver that yields a body once."""
    messages: list[Message] = [{"type": "http.request", "body": body}]

    async def receive() -> Message:
        if not messages:
            await anyio.sleep_forever()
        return messages.pop()

    return receive


def mount_server(index: AnyIndex) -> Surface:
    """Make the endpoint of an open index, for `create_app`."""
    gate = make_gate()
    server = create_server(IndexSource(lambda: index, owned=False), gate)
    server.streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        stateless_http=True,
        # The header Host is checked before, by the rules of the application.
        transport_security=TransportSecuritySettings(
            enable_dns_rebinding_protection=False
        ),
    )
    manager = server.session_manager
    endpoint = _Endpoint(StreamableHTTPASGIApp(manager))

    def add(app: FastAPI) -> None:
        # Not mounted: a mount answers its own path with a redirect.
        app.router.routes.append(Route(PATH, endpoint, include_in_schema=False))

    @asynccontextmanager
    async def run() -> AsyncIterator[None]:
        async with manager.run():
            try:
                yield
            finally:
                gate.close()

    return Surface(add=add, lifespan=run)
