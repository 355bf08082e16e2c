"""A server that was started with a reranker."""

from __future__ import annotations

import httpx

from integration.http.served import serving
from integration.providers.conftest import server

__all__ = ["server"]


def test_hits_are_reranked_unless_a_request_says_otherwise(harbour, server):
    name = f"endpoint:{server.address}/rerank#small"
    body = {"query": "when does the basin fall dry", "limit": 3}
    with serving(harbour, "--rerank", name) as started:
        reranked = httpx.post(f"{started.url}/v1/search", json=body, timeout=30).json()
        assert len(server.requests) == 1
        plain = httpx.post(
            f"{started.url}/v1/search", json=body | {"rerank": False}, timeout=30
        ).json()
    assert len(server.requests) == 1
    assert all("rerank" in hit["scores"] for hit in reranked["hits"])
    assert not any("rerank" in hit["scores"] for hit in plain["hits"])
    assert reranked["hits"][0]["path"] == plain["hits"][0]["path"] == "docs/guide.md"


def test_a_server_has_the_bundled_reranker(harbour):
    body = {"query": "tide", "limit": 3}
    with serving(harbour, "--rerank", "local") as started:
        answer = httpx.post(f"{started.url}/v1/search", json=body, timeout=30)
    assert answer.status_code == 200
    assert answer.json()["hits"]
