"""Limits on the size of a request and on its time.

The size of a body is counted as it arrives, whatever its header claims, and a body that
arrives too slowly is rejected. Streams of events have no time limit here: they end by
themselves.
"""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import TYPE_CHECKING

from starlette.datastructures import Headers
from starlette.requests import Request

from outcrop.http.guard import LOGIN_PATH
from outcrop.http.problems import ProblemError, answer_bug, render_problem

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from outcrop.http.settings import ServerSettings

_RUNS = "/v1/runs/"
_STREAMS = "/events"
# Everything else is answered, even what native code raises that is not an Exception.
_NOT_BUGS = (KeyboardInterrupt, SystemExit, GeneratorExit, asyncio.CancelledError)


class Limits:
    """Bounds the body and the time of every request."""

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on within its limits."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
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

    @property
    def _whole_seconds(self) -> float:
        # The body, the wait for a slot and the work have limits of their own.
        return self._settings.body_seconds + 2 * self._settings.request_seconds + 5


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
        response = render_problem(
            problem.status, problem.detail, path=scope["path"], headers=problem.headers
        )
        await response(scope, self._receive, self._send)

    def _too_large(self) -> ProblemError:
        return ProblemError(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            f"the body is larger than {self._settings.max_body_bytes:,} bytes",
            headers={"Connection": "close"},
        )
