"""Searching over HTTP gives what the index gives."""

from __future__ import annotations

import pytest

from integration.http.served import FILES


def test_hits_are_those_of_the_index(client, harbour_index):
    body = {"query": "when does the basin fall dry", "limit": 3}
    found = client.post("/v1/search", json=body).json()["hits"]
    expected = harbour_index.search("when does the basin fall dry", 3)
    assert [hit["id"] for hit in found] == [hit.id for hit in expected]
    best = found[0]
    assert best["path"] == "docs/guide.md"
    own = FILES["docs/guide.md"][best["start_offset"] : best["end_offset"]]
    assert own in best["content"]
    marked = [best["content"][low:high].lower() for low, high in best["highlights"]]
    assert "basin" in marked


def test_filters_restrict_the_hits(client):
    body = {"query": "berth", "kind": ["code"]}
    assert {
        h["source"] for h in client.post("/v1/search", json=body).json()["hits"]
    } == {"code"}
    body = {"query": "berth", "path_glob": ["docs/**"]}
    paths = {h["path"] for h in client.post("/v1/search", json=body).json()["hits"]}
    assert paths
    assert all(path.startswith("docs/") for path in paths)


def test_relations_are_followed_where_asked_for(client):
    body = {"query": "reserve_berth", "limit": 3, "expand": ["calls"]}
    hits = client.post("/v1/search", json=body).json()["hits"]
    gained = [hit for hit in hits if hit["scores"].get("graph")]
    assert gained
    assert any(hit["symbol"] and hit["node_id"] for hit in hits)
    assert client.post("/v1/search", json=body | {"expand": ["x"]}).status_code == 422


def test_a_context_keeps_its_budget(client):
    body = {"query": "fees of a berth", "max_tokens": 120}
    answer = client.post("/v1/context", json=body).json()
    assert 0 < answer["token_count"] <= 120
    assert all(piece["text"] in answer["text"] for piece in answer["pieces"])


@pytest.mark.parametrize("query", ["", "   ", "\0"])
def test_a_blank_question_is_a_problem(client, query):
    assert client.post("/v1/search", json={"query": query}).status_code == 422


def test_a_chunk_comes_with_its_neighbours_and_parents(client, harbour_index):
    leaves = [
        chunk
        for chunk in harbour_index.store.chunks_of("docs/guide.md")
        if chunk.is_leaf
    ]
    middle = leaves[1]
    answer = client.get(f"/v1/chunks/{middle.id}?before=1&after=5").json()
    assert answer["chunk"]["content"] == middle.content
    assert [hit["id"] for hit in answer["before"]] == [leaves[0].id]
    assert [hit["id"] for hit in answer["after"]] == [leaf.id for leaf in leaves[2:]]
    assert answer["parents"][-1]["id"] == middle.parent_id


@pytest.mark.parametrize("chunk_id", ["0000000000000000", "zz", "%00", "a'--"])
def test_a_chunk_that_is_not_there_is_a_problem(client, chunk_id):
    answer = client.get(f"/v1/chunks/{chunk_id}")
    assert answer.status_code == 404
    assert answer.json()["type"] == "urn:outcrop:problem:not-found"
