"""What every request and answer passes: safe headers, limits, HEAD, missing databases.

Documents are shown as text, and their characters are escaped. Should an escape ever be
missing, the policy still lets no script run but the page's own files, loads nothing from
elsewhere and cannot be framed.

The size of a body is counted as it arrives, whatever its header claims, and a body that
arrives too slowly is rejected. Streams of events have no time limit here: they end by
themselves.
"""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import TYPE_CHECKING

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request

from outcrop.http.guard import FILES_PATH, LOGIN_PATH
from outcrop.http.problems import ProblemError, answer_bug, render_problem

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from outcrop.http.service import Service
    from outcrop.http.settings import ServerSettings

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
_MISSING = "Outcrop-Missing"
_RUNS = "/v1/runs/"
_STREAMS = "/events"
# Everything else is answered, even what native code raises that is not an Exception.
_NOT_BUGS = (KeyboardInterrupt, SystemExit, GeneratorExit, asyncio.CancelledError)


class _Middleware:
    """Handles requests of HTTP; anything else is passed on."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        handle = self._handle if scope["type"] == "http" else self._app
        await handle(scope, receive, send)

    async def _handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        raise NotImplementedError


class SafeHeaders(_Middleware):
    """Puts the headers that keep documents harmless on every answer."""

    async def _handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(_HEADERS)
                # The page's own files may be kept, and are checked by their hash.
                is_file = scope["path"].startswith(FILES_PATH)
                headers.setdefault(
                    "Cache-Control", "no-cache" if is_file else "no-store"
                )
            await send(message)

        await self._app(scope, receive, send_safely)


class PartialMark(_Middleware):
    """Names the databases of the index that do not answer in a header of every answer."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        super().__init__(app)
        self._index = service.index

    async def _handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_marked(message: Message) -> None:
            if message["type"] == "http.response.start" and self._index.missing:
                headers = MutableHeaders(scope=message)
                headers[_MISSING] = ", ".join(sorted(self._index.missing))
            await send(message)

        await self._app(scope, receive, send_marked)


class HeadAsGet(_Middleware):
    """Answers HEAD as it would GET, without the body, for monitors and link checkers."""

    async def _handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return
        has_ended = False

        async def send_head(message: Message) -> None:
            nonlocal has_ended
            if message["type"] != "http.response.body":
                await send(message)
            elif not has_ended:
                # Streams are not waited for: the answer ends with its headers.
                has_ended = True
                await send({"type": "http.response.body", "body": b""})

        await self._app({**scope, "method": "GET"}, receive, send_head)


class Limits(_Middleware):
    """Bounds the body and the time of every request."""

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        super().__init__(app)
        self._settings = settings
        # The body, the wait for a slot and the work have limits of their own.
        self._whole_seconds = settings.body_seconds + 2 * settings.request_seconds + 5

    async def _handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        exchange = _Exchange(receive, send, self._settings)
        try:
            exchange.check(Headers(scope=scope), scope)
            limit = None if is_stream(scope) else self._whole_seconds
            async with asyncio.timeout(limit):
                await self._app(scope, exchange.receive, exchange.send)
        except ProblemError as problem:
            await exchange.refuse(problem, scope)
        except TimeoutError:
            await exchange.refuse(
                ProblemError(
                    HTTPStatus.GATEWAY_TIMEOUT, "this took too long; ask for less"
                ),
                scope,
            )
        except _NOT_BUGS:
            raise
        except BaseException as error:  # noqa: BLE001 - a bug is answered too, with all headers
            await exchange.answer_bug(error, scope)


def is_stream(scope: Scope) -> bool:
    """Return whether the answer to a request is a stream of events."""
    path: str = scope["path"]
    return path.startswith(_RUNS) and path.endswith(_STREAMS)


class _Exchange:
    """One request with its answer, watched."""

    def __init__(self, receive: Receive, send: Send, settings: ServerSettings) -> None:
        self._receive = receive
        self._send = send
        self._settings = settings
        self._size = 0
        self._is_whole = False
        self._deadline: float | None = None
        self._has_answered = False

    def check(self, headers: Headers, scope: Scope) -> None:
        """Reject a request by its headers."""
        length = headers.get("content-length", "")
        if length.isdecimal() and int(length) > self._settings.max_body_bytes:
            raise self._too_large()
        has_body = length not in {"", "0"} or "transfer-encoding" in headers
        is_form = scope["path"] == LOGIN_PATH
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if has_body and not is_form and kind != "application/json":
            raise ProblemError(
                HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
                f"the body is {kind or 'of no named type'}; send application/json",
            )

    async def receive(self) -> Message:
        if self._is_whole:
            return await self._receive()
        loop = asyncio.get_running_loop()
        self._deadline = self._deadline or loop.time() + self._settings.body_seconds
        try:
            async with asyncio.timeout_at(self._deadline):
                message = await self._receive()
        except TimeoutError:
            raise ProblemError(
                HTTPStatus.REQUEST_TIMEOUT,
                f"the body did not arrive within {self._settings.body_seconds:g} "
                "seconds",
                headers={"Connection": "close"},
            ) from None
        self._size += len(message.get("body", b""))
        if self._size > self._settings.max_body_bytes:
            raise self._too_large()
        self._is_whole = not message.get("more_body", False)
        return message

    async def send(self, message: Message) -> None:
        self._has_answered = True
        await self._send(message)

    async def answer_bug(self, error: BaseException, scope: Scope) -> None:
        if self._has_answered:
            raise error
        response = await answer_bug(Request(scope), error)
        await response(scope, self._receive, self._send)

    async def refuse(self, problem: ProblemError, scope: Scope) -> None:
        if self._has_answered:
            raise problem  # half an answer: the connection is closed
        response = render_problem(problem, scope["path"])
        await response(scope, self._receive, self._send)

    def _too_large(self) -> ProblemError:
        return ProblemError(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            f"the body is larger than {self._settings.max_body_bytes:,} bytes",
            headers={"Connection": "close"},
        )
