"""Headers of every answer: security policies, and databases that do not answer.

Documents are shown as text, and their characters are escaped. Should an escape ever be
missing, the policy still lets no script run but the page's own files, loads nothing from
elsewhere and cannot be framed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.datastructures import MutableHeaders

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from outcrop.http.service import Service

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)

_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
FILES_PATH = "/static/"
_MISSING = "Outcrop-Missing"


class SafeHeaders:
    """Puts the headers that keep documents harmless on every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and its answer back."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                # The page's own files may be kept, and are checked by their hash.
                is_file = scope["path"].startswith(FILES_PATH)
                headers.setdefault(
                    "Cache-Control", "no-cache" if is_file else "no-store"
                )
            await send(message)

        await self._app(scope, receive, send_safely)


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
                headers[_MISSING] = ", ".join(sorted(self._index.missing))
            await send(message)

        await self._app(scope, receive, send_marked)
