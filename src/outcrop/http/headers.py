"""Marks answers that are without the documents of a database that does not answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.datastructures import MutableHeaders

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from outcrop.http.service import Service

HEADER = "Outcrop-Missing"


class PartialMark:
    """Names the databases of the index that do not answer in a header of every answer."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app = app
        self._index = service.index

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and its answer back."""

        async def send_marked(message: Message) -> None:
            if message["type"] == "http.response.start" and self._index.missing:
                headers = MutableHeaders(scope=message)
                headers[HEADER] = ", ".join(sorted(self._index.missing))
            await send(message)

        await self._app(scope, receive, send_marked)
