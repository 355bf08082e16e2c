"""Reranking at an endpoint: a real server on loopback that answers well or badly."""

import logging

import pytest

from integration.providers.endpoint_server import Answer
from outcrop.errors import ConfigError, RerankError
from outcrop.providers import Reranker, open_reranker
from outcrop.providers.endpoint_reranker import EndpointReranker

KEY = "rerank-5ecret-0123456789"
TEXTS = ["nothing", "how to make tea", "make coffee"]
QUESTION = "make tea"


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("OUTCROP_RERANK_KEY", KEY)


@pytest.mark.parametrize(
    ("name", "field"), [("endpoint", "documents"), ("tei", "texts")]
)
def test_scores_are_in_the_order_of_the_texts(server, name, field):
    reranker = open_reranker(f"{name}:{server.address}/rerank#small")
    assert isinstance(reranker, Reranker)
    assert reranker.score(QUESTION, TEXTS) == [0.0, 1.0, 0.5]
    [request] = server.requests
    assert request["path"] == "/v1/rerank"
    assert request["body"] == {"query": QUESTION, field: TEXTS, "model": "small"}
    assert request["headers"]["authorization"] == f"Bearer {KEY}"
    assert reranker.name == "127.0.0.1#small"


def test_an_address_without_a_path_gets_the_usual_one(server):
    address = server.address.removesuffix("/v1")
    reranker = open_reranker(f"endpoint:{address}")
    reranker.score(QUESTION, TEXTS)
    [request] = server.requests
    assert request["path"] == "/rerank"
    assert "model" not in request["body"]


def test_no_key_is_sent_where_there_is_none(server, monkeypatch):
    monkeypatch.delenv("OUTCROP_RERANK_KEY")
    open_reranker(f"endpoint:{server.address}/rerank").score(QUESTION, TEXTS)
    assert "authorization" not in server.requests[0]["headers"]


def test_many_texts_are_sent_in_batches(server):
    reranker = open_reranker(f"endpoint:{server.address}/rerank")
    scores = reranker.score(QUESTION, [*["nothing"] * 70, "make tea"])
    assert scores == [*[0.0] * 70, 1.0]
    assert [len(r["body"]["documents"]) for r in server.requests] == [32, 32, 7]


def test_texts_that_servers_reject_are_replaced(server):
    reranker = open_reranker(f"endpoint:{server.address}/rerank")
    assert reranker.score(QUESTION, ["", "\ud800 tea"]) == [0.0, 0.5]


SCORE = {"index": 0, "relevance_score": 0.5}


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (Answer(status=500, body="down"), "answered 500: down"),
        (
            Answer(status=401, body=f"wrong key {KEY}"),
            r"answered 401: wrong key \[key\]",
        ),
        (Answer(status=302, headers={"Location": "/other"}, body=""), "answered 302"),
        (Answer(hangs=True), "did not answer within 0.5 s"),
        (Answer(body="no json"), "not JSON"),
        (Answer(body={"results": [SCORE]}), "without a score for each of 3 texts"),
        (Answer(body={"results": "none"}), "without a score"),
        (Answer(body=["none"]), "without a score"),
        (Answer(body={"results": [{**SCORE, "relevance_score": "high"}]}), "a score"),
        (Answer(body='[{"index": 0, "score": NaN}]'), "without a score"),
        (Answer(body='[{"index": [0], "score": 1}]'), "without a score"),
        (Answer(body=f'[{{"index": 0, "score": {"9" * 400}}}]'), "without a score"),
        (Answer(body="[" * 100_000), "not JSON"),
    ],
)
def test_an_answer_that_is_no_use_is_a_rerank_error(server, answer, message, caplog):
    caplog.set_level(logging.DEBUG)
    server.script.append(answer)
    timeout = 0.5 if answer.hangs else 20.0
    reranker = EndpointReranker(f"{server.address}/rerank", timeout=timeout)
    with pytest.raises(RerankError, match=message) as caught:
        reranker.score(QUESTION, TEXTS)
    assert KEY not in f"{caught.value}{caught.value.__cause__}{caplog.text}"
    assert len(server.requests) == 1


def test_a_server_that_is_not_there_is_a_rerank_error(server):
    reranker = EndpointReranker("http://user:5ecret@127.0.0.1:9/rerank")
    with pytest.raises(RerankError, match=r"^127\.0\.0\.1 cannot be reached$"):
        reranker.score(QUESTION, TEXTS)
    assert "5ecret" not in repr(reranker)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("endpoint:", "address of the reranker is ''"),
        ("endpoint:ftp://user:5ecret@host", "address of the reranker is 'host'"),
        ("endpoint:http://user:5ecret@[host", "address of the reranker is '.host'"),
        (
            "nonsense:http://user:5ecret@host",
            "'host'; choose one of: local, endpoint, tei, fastembed",
        ),
    ],
)
def test_a_reranker_that_cannot_be_is_refused_without_its_password(name, message):
    with pytest.raises(ConfigError, match=message) as caught:
        open_reranker(name)
    assert "5ecret" not in str(caught.value)


def test_a_server_that_does_not_finish_its_error_is_a_rerank_error(server):
    server.script.append(Answer(status=500, body="down", stalls=True))
    reranker = EndpointReranker(f"{server.address}/rerank", timeout=0.5)
    with pytest.raises(RerankError, match="answered 500: "):
        reranker.score(QUESTION, TEXTS)


def test_a_key_at_the_end_of_a_long_error_is_not_shown_in_part(server):
    server.script.append(Answer(status=401, body="x" * 270 + KEY))
    with pytest.raises(RerankError, match=r"x\[key\]") as caught:
        EndpointReranker(f"{server.address}/rerank").score(QUESTION, TEXTS)
    assert KEY[:6] not in str(caught.value)


@pytest.mark.parametrize("key", ["two\nlines", "schlüssel-中"])
def test_a_key_that_no_header_can_hold_is_a_rerank_error(server, monkeypatch, key):
    monkeypatch.setenv("OUTCROP_RERANK_KEY", key)
    with pytest.raises(RerankError, match="does not allow") as caught:
        EndpointReranker(f"{server.address}/rerank").score(QUESTION, TEXTS)
    assert key not in f"{caught.value}{caught.value.__cause__}"


def test_the_line_end_after_a_key_is_no_part_of_it(server, monkeypatch):
    monkeypatch.setenv("OUTCROP_RERANK_KEY", f"{KEY}\n")
    EndpointReranker(f"{server.address}/rerank").score(QUESTION, TEXTS)
    assert server.requests[0]["headers"]["authorization"] == f"Bearer {KEY}"
