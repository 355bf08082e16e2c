"""`/mcp` over HTTP: the same answers, behind the same guards as everything else."""

from __future__ import annotations

from contextlib import asynccontextmanager

import anyio
import httpx
import httpx2
import pytest
from mcp.client.streamable_http import streamable_http_client

from integration.http.served import TOKEN
from integration.mcp.agents import Agent, text_of

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
ACCEPT = {"Accept": "application/json, text/event-stream"}


def agent_at(url, mode="auto", **headers):
    """Return an agent whose connections are closed when it is done."""

    @asynccontextmanager
    async def connect():
        async with (
            httpx2.AsyncClient(headers=headers, timeout=30) as client,
            streamable_http_client(f"{url}/mcp", http_client=client) as streams,
        ):
            yield streams
        await anyio.sleep(0.01)  # the sockets close in the next round of the loop

    return Agent(connect, mode)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_official_client_is_served(served, mode):
    agent = agent_at(served.url, mode)
    assert agent.ask("search", query="north quay")["hits"][0]["path"] == "docs/guide.md"
    assert "field required" in text_of(agent.call("search"))
    assert agent.read("doc://docs/notes.txt").endswith("twelve tons.\n")


def test_nothing_writes(served):
    agent = agent_at(served.url)
    names = [tool.name for tool in agent.do(lambda c: c.list_tools()).tools]
    assert "reindex" not in names
    assert agent.call("reindex").is_error


def test_no_session_and_no_stream_is_opened(served):
    with httpx.Client(base_url=served.url, headers=ACCEPT) as client:
        answer = client.post("/mcp", json=LIST)
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "application/json"
        assert "mcp-session-id" not in answer.headers
        for method in ("GET", "DELETE", "PUT"):
            refused = client.request(method, "/mcp")
            assert refused.status_code == 405
            assert refused.headers["allow"] == "POST"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Origin": "https://evil.example"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Content-Type": "text/plain"}, 415),
    ],
)
def test_strangers_are_refused(served, headers, status):
    with httpx.Client(base_url=served.url, headers=ACCEPT) as client:
        assert client.post("/mcp", json=LIST, headers=headers).status_code == status


@pytest.mark.parametrize(
    ("body", "status"),
    [(b"{", 400), (b"[]", 400), (b"", 400), (b'{"jsonrpc": "2.0"}', 400)],
)
def test_broken_messages_are_refused(served, body, status):
    headers = {**ACCEPT, "Content-Type": "application/json"}
    with httpx.Client(base_url=served.url, headers=headers) as client:
        answer = client.post("/mcp", content=body)
        assert answer.status_code == status
        assert "Traceback" not in answer.text


def test_a_token_is_asked_for_where_there_is_one(locked):
    with httpx.Client(base_url=locked.url, headers=ACCEPT) as client:
        assert client.post("/mcp", json=LIST).status_code == 401
        wrong = {"Authorization": f"Bearer {TOKEN}x"}
        assert client.post("/mcp", json=LIST, headers=wrong).status_code == 401

    agent = agent_at(locked.url, Authorization=f"Bearer {TOKEN}")
    assert agent.ask("search", query="north quay")["hits"]


def test_the_description_of_the_api_leaves_it_out(served):
    with httpx.Client(base_url=served.url) as client:
        assert "/mcp" not in client.get("/openapi.json").json()["paths"]
