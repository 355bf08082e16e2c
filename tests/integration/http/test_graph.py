"""The code graph over HTTP."""

from __future__ import annotations

import pytest

NAME = "harbour.berths.reserve_berth"


def test_symbols_are_found_by_a_part_of_their_name(client):
    found = client.get("/v1/symbols?query=reserve_berth").json()["items"]
    assert found[0]["name"] == "reserve_berth"
    assert found[0]["file_path"] == "src/harbour/berths.py"


def test_a_symbol_comes_with_what_is_around_it(client):
    symbol = client.get("/v1/symbols?query=reserve_berth").json()["items"][0]
    answer = client.get(f"/v1/graph/{symbol['id']}").json()
    assert answer == client.get(f"/v1/graph/{symbol['fqn']}").json()
    assert answer["node"]["doc_comment"].startswith("Reserve a berth")
    links = answer["links"]
    assert [link["node"]["name"] for link in links["callers"]] == ["main"]
    assert "fee" in {link["name"].rpartition(".")[2] for link in links["callees"]}
    assert {link["resolution"] for link in links["callees"]} <= {
        "exact",
        "flow",
        "heuristic",
    }


def test_documents_that_name_a_symbol_are_mentioned(client):
    answer = client.get("/v1/graph/reserve_berth").json()
    mentions = answer["links"]["mentions"]
    assert mentions
    chunk = client.get(f"/v1/chunks/{mentions[0]['chunk_id']}").json()["chunk"]
    assert "reserve_berth" in chunk["content"]


def test_what_is_related_comes_with_its_relation(client, harbour_index):
    found = client.get("/v1/related/reserve_berth?limit=20").json()["items"]
    expected = harbour_index.related("reserve_berth", 20)
    assert [item["hit"]["id"] for item in found] == [item.hit.id for item in expected]
    assert {"caller", "callee", "mention"} <= {item["relation"] for item in found}
    assert client.get("/v1/related/reserve_berth?expand=x").status_code == 422
    assert client.get("/v1/related/no_such_symbol").status_code == 404


@pytest.mark.parametrize("name", ["no_such_symbol", "a/b/c", "%27%3B--"])
def test_a_symbol_that_is_not_there_is_a_problem(client, name):
    assert client.get(f"/v1/graph/{name}").status_code == 404
