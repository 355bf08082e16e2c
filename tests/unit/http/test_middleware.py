"""What nobody expected is answered with all headers, and tells nothing."""

from __future__ import annotations

import asyncio
import logging

import pytest
from fastapi import FastAPI
from starlette.middleware import Middleware

from outcrop.http.middleware import Limits, SafeHeaders
from outcrop.http.settings import ServerSettings
from outcrop.thread_gate import ThreadGate


async def ask(app, path="/"):
    """Call an application; return the status, the headers and the body."""
    sent = []

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        sent.append(message)

    scope = {
        "type": "http",
        "method": "GET",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(b"host", b"localhost")],
        "scheme": "http",
        "server": ("localhost", 80),
    }
    await app(scope, receive, send)
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], headers, b"".join(m.get("body", b"") for m in sent[1:])


@pytest.fixture
def app():
    settings = ServerSettings(body_seconds=0.1, request_seconds=0.1)
    made = FastAPI(
        middleware=[Middleware(SafeHeaders), Middleware(Limits, settings)],
    )

    @made.get("/bug")
    async def bug() -> None:
        raise KeyError("a secret")

    return made


def test_a_bug_is_a_problem_with_all_headers_and_no_details(app, caplog):
    with caplog.at_level(logging.CRITICAL):
        status, headers, body = asyncio.run(ask(app, "/bug"))
    assert status == 500
    assert headers["content-type"] == "application/problem+json"
    assert "default-src 'none'" in headers["content-security-policy"]
    assert b"secret" not in body


class NativePanic(BaseException):
    """What native code raises is not always an Exception."""


def test_what_native_code_raises_in_a_thread_is_a_problem_too(app, caplog):
    @app.get("/panic")
    async def panic() -> None:
        def fail() -> None:
            raise NativePanic("a secret")

        gate = ThreadGate("jobs", slots=1, max_waiting=1, max_seconds=5)
        try:
            await gate.run(fail)
        finally:
            gate.close()

    with caplog.at_level(logging.CRITICAL):
        status, headers, body = asyncio.run(ask(app, "/panic"))
    assert status == 500
    assert headers["content-type"] == "application/problem+json"
    assert b"secret" not in body
    assert b"NativePanic" not in body


def test_a_cancelled_request_is_not_answered(app):
    @app.get("/cancelled")
    async def cancelled() -> None:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(ask(app, "/cancelled"))
