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


def hits_of(client, **body):
    answer = client.post("/v1/search", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()["hits"]


def test_row_4_35_sections_and_documents_are_found(client):
    section = hits_of(client, query="fee per night", unit="section")[0]
    assert (section["unit"], section["heading"], section["depth"]) == (
        "section",
        "Fees",
        3,
    )
    assert section["matches"]
    own = FILES["docs/guide.md"][section["start_offset"] : section["end_offset"]]
    assert own == section["content"]
    document = hits_of(client, query="fee per night", unit="document")[0]
    assert (document["unit"], document["path"]) == ("document", "docs/guide.md")
    short = hits_of(client, query="fee per night", unit="document", max_hit_tokens=20)
    assert short[0]["is_cut"]


def test_row_2_50_depth_finds_whole_sections(client):
    found = hits_of(client, query="fee per night", depth=2)[0]
    assert (found["heading"], found["depth"]) == ("Berths", 2)
    assert "Fees" in found["content"]
    assert hits_of(client, query="fee per night", depth=0)[0]["unit"] == "document"


def test_a_heading_restricts_the_hits(client):
    hits = hits_of(client, query="water", section=["harbour guide/tides"])
    assert {hit["header_path"] for hit in hits} == {"/Harbour guide/Tides"}
    assert hits_of(client, query="water", section=["nowhere"]) == []


def test_row_4_31_hits_have_summaries(client):
    best = hits_of(client, query="when does the basin fall dry")[0]
    assert "tide" in best["summary"].lower()
    assert best["document_summary"]


def test_row_4_33_a_context_has_summaries_where_asked_for(client):
    body = {"query": "when does the basin fall dry", "max_tokens": 300}
    plain = client.post("/v1/context", json=body).json()
    full = client.post("/v1/context", json={**body, "with_summaries": True}).json()
    assert "document: " not in plain["text"]
    assert f"{full['mark']} document: " in full["text"]
    assert f"{full['mark']} section: " in full["text"]
    assert full["token_count"] <= 300


def test_row_2_51_the_hierarchy_is_walked(client):
    berths = hits_of(client, query="berth", unit="section", section=["berths"])
    parent = next(hit for hit in berths if hit["heading"] == "Berths")
    below = client.get(f"/v1/chunks/{parent['id']}/children").json()["items"]
    assert [hit["heading"] for hit in below] == ["Fees"]
    above = client.get(f"/v1/chunks/{below[0]['id']}/parents").json()["items"]
    assert [hit["heading"] for hit in above][-2:] == ["Harbour guide", "Berths"]
    beside = client.get(f"/v1/chunks/{parent['id']}/siblings").json()["items"]
    assert [hit["heading"] for hit in beside] == ["Berths", "Tides"]
    guide = above[-2]["id"]
    page = client.get(f"/v1/chunks/{guide}/children?limit=1&offset=1").json()["items"]
    assert [hit["heading"] for hit in page] == ["Tides"]
    assert client.get("/v1/chunks/0000000000000000/children").status_code == 404


@pytest.mark.parametrize("route", ["search", "context"])
def test_a_misspelt_word_is_corrected_and_the_answer_says_so(client, route):
    body = {"query": "watr level gauge"}
    answer = client.post(f"/v1/{route}", json=body).json()
    assert answer["spelling"] == {
        "query": "water level gauge",
        "is_corrected": True,
        "suggestions": [],
    }
    right = client.post(f"/v1/{route}", json={"query": "water level gauge"}).json()
    assert right["spelling"]["is_corrected"] is False
    key = "hits" if route == "search" else "text"
    assert answer[key] == right[key]
    kept = client.post(f"/v1/{route}", json=body | {"verbatim": True}).json()
    assert kept["spelling"]["query"] == "watr level gauge"


@pytest.mark.parametrize("body", ["[1]", "5", '"x"', "null", ""])
def test_a_body_that_is_no_object_is_told_so(client, body):
    answer = client.post(
        "/v1/search", content=body, headers={"content-type": "application/json"}
    )
    assert answer.status_code == 422
    said = "the body must be a JSON object"
    assert answer.json()["detail"] == said
    assert answer.json()["errors"] == [{"field": "", "message": said}]
