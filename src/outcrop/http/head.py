"""HEAD requests: answered as GET, without the body."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


class HeadAsGet:
    """Answers HEAD as it would GET, for monitors and link checkers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and the status and headers of its answer back."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return

        async def send_head(message: Message) -> None:
            if message["type"] == "http.response.body":
                # Streams are not waited for: the answer ends with its headers.
                if not ended:
                    ended.append(True)
                    await send({"type": "http.response.body", "body": b""})
            else:
                await send(message)

        ended: list[bool] = []
        await self._app({**scope, "method": "GET"}, receive, send_head)
