"""What nobody expected is answered with all headers, and tells nothing."""

from __future__ import annotations

import asyncio
import logging

import pytest
from fastapi import FastAPI
from starlette.middleware import Middleware

from outcrop.http.headers import SafeHeaders
from outcrop.http.limits import Limits
from outcrop.http.settings import ServerSettings


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
