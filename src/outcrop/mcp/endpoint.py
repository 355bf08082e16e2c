"""`/mcp`: the same server over HTTP, below the application that serves the index.

Every request stands for itself: no session is kept, no stream stays open, and so nothing
is left of a client that goes away. Who may ask, and how much, is decided by the guards
of the application around it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp.server.streamable_http_manager import StreamableHTTPASGIApp
from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import Response

from outcrop.http.app import Mounted
from outcrop.mcp.server import create_server
from outcrop.mcp.source import IndexSource

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from outcrop.indexing.index import Index

PATH = "/mcp"


class _PostOnly:
    """Refuses what would open a stream or end a session, for there are none."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] == "POST":
            await self._app(scope, receive, send)
            return
        response = Response(status_code=405, headers={"Allow": "POST"})
        await response(scope, receive, send)


def mount_server(index: Index) -> Mounted:
    """Make the endpoint for an open index, to be given to `create_app`."""
    server = create_server(IndexSource(lambda: index, owned=False))
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
    return Mounted(
        path=PATH, app=_PostOnly(StreamableHTTPASGIApp(manager)), lifespan=manager.run
    )
