"""Cutting over HTTP gives what the library gives."""

from __future__ import annotations

import tracemalloc
from dataclasses import asdict

import pytest

from integration.http.served import GUIDE
from outcrop import ChunkConfig, IndexingConfig, MarkdownChunker, MarkdownSplitter


def test_chunks_are_those_of_the_chunker(client):
    answer = client.post("/v1/chunk", json={"text": GUIDE, "max_chunk_size": 200})
    expected = MarkdownChunker(ChunkConfig(max_chunk_size=200)).chunk(GUIDE)
    assert answer.status_code == 200
    chunks = answer.json()["chunks"]
    assert [{**c, "reason": ""} for c in chunks] == [
        {**asdict(chunk), "reason": ""} for chunk in expected
    ]
    assert chunks[0]["reason"] == "the document begins"
    assert answer.json()["tree"] is None


def test_a_tree_has_the_chunks_as_leaves(client):
    answer = client.post("/v1/chunk", json={"text": GUIDE, "tree": True}).json()
    expected = MarkdownChunker().chunk_hierarchical(GUIDE)
    assert answer["tree"] == expected.to_tree_dict()
    assert len(answer["chunks"]) == len(expected.get_flat_chunks())


def test_sizes_may_count_tokens(client):
    body = {"text": GUIDE, "max_chunk_size": 60, "unit": "tokens"}
    assert len(client.post("/v1/chunk", json=body).json()["chunks"]) > 2


def test_a_blank_text_has_no_chunks(client):
    answer = client.post("/v1/chunk", json={"text": " \n"}).json()
    assert answer == {"strategy": "", "chunks": [], "tree": None}


def test_settings_that_contradict_each_other_are_a_problem(client):
    body = {"text": "a", "max_chunk_size": 10, "overlap_size": 10}
    answer = client.post("/v1/chunk", json=body)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert "overlap_size is 10" in answer.json()["detail"]


def test_more_chunks_than_an_answer_can_hold_are_refused(client):
    body = {"text": "word " * 100_000, "max_chunk_size": 1}
    answer = client.post("/v1/chunk", json=body)
    assert answer.status_code == 422
    assert "50,000 chunks" in answer.json()["detail"]


def test_an_answer_far_larger_than_its_question_is_refused(client):
    titles = "".join(f"{'#' * level} {'a' * 300}\n\n" for level in range(1, 6))
    text = titles + "###### b\n\nword\n\n" * 20_000
    answer = client.post("/v1/chunk", json={"text": text, "tree": True})
    assert answer.status_code == 422
    assert "shorten the headings" in answer.json()["detail"]


def test_a_document_is_refused_before_it_is_cut(client):
    titles = "".join(f"{'#' * level} {'a' * 300}\n\n" for level in range(1, 6))
    text = titles + "###### b\n\nword\n\n" * 20_000
    tracemalloc.start()
    answer = client.post("/v1/chunk", json={"text": text, "tree": True})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert answer.status_code == 422
    assert peak < 50 * len(text)  # its chunks take several times that


@pytest.mark.parametrize(
    ("route", "settings"), [("chunk", {"tree": True}), ("sections", {})]
)
def test_more_headings_than_an_answer_can_hold_are_refused(client, route, settings):
    many = {"text": "# a\n" * 50_001, **settings}
    answer = client.post(f"/v1/{route}", json=many)
    assert answer.status_code == 422
    assert "50,001 headings" in answer.json()["detail"]


def test_a_very_long_heading_over_many_sections_is_answered(client):
    text = "# " + "a" * 100_000 + "\n\n" + "## b\n\nword\n\n" * 3000
    answer = client.post("/v1/chunk", json={"text": text, "tree": True})
    assert answer.status_code == 200
    assert len(answer.content) < 50 * len(text)


def test_sections_are_those_of_the_splitter(client):
    body = {"text": GUIDE, "document_path": "guide.md", "max_depth": 2}
    found = client.post("/v1/sections", json=body).json()["sections"]
    splitter = MarkdownSplitter(IndexingConfig(max_depth=2))
    expected = splitter.split(GUIDE, "guide.md", "")
    assert [(s["id"], s["heading"], s["content"]) for s in found] == [
        (section.id, section.heading, section.content) for section in expected
    ]


@pytest.mark.parametrize("route", ["/v1/chunk", "/v1/sections"])
@pytest.mark.parametrize("text", ["> Title\n>  {#id}\n> ---\n", "* r\n   {}\n  -"])
def test_text_that_upsets_the_parser_is_answered_with_json(client, route, text):
    answer = client.post(route, json={"text": text})
    assert answer.json()
    assert answer.headers["content-type"] in {
        "application/json",
        "application/problem+json",
    }
    assert "Traceback" not in answer.text
