"""The embedder behind an endpoint, against a real server."""

import logging
import traceback

import pytest

from integration.providers.endpoint_server import KEY, Answer
from outcrop.errors import ConfigError, EmbeddingError
from outcrop.providers import Embedder, Endpoint, open_embedder
from outcrop.providers.openai_models import OpenAIEmbedder

np = pytest.importorskip("numpy")
pytest.importorskip("openai")


def embedder(server, *, patience=None, **settings):
    endpoint = server.endpoint(**patience or {})
    return OpenAIEmbedder("nomic-embed-text", endpoint=endpoint, **settings)


def test_vectors_are_in_the_order_of_the_texts_and_of_unit_length(server):
    texts = ["a", "four", "seventeen letters", ""]
    vectors = embedder(server).embed(texts)
    assert vectors.dtype == np.float32
    assert vectors.shape == (4, 8)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    expected = np.array([float(len("four") + i + 1) for i in range(8)])
    assert np.allclose(vectors[1], expected / np.linalg.norm(expected), atol=1e-6)


def test_it_is_an_embedder_that_names_its_model(server):
    subject = embedder(server)
    assert isinstance(subject, Embedder)
    assert subject.name == "openai:nomic-embed-text"


def test_request_speaks_the_protocol(server):
    embedder(server).embed(["text"])
    (request,) = server.requests
    assert request["path"] == "/v1/embeddings"
    assert request["headers"]["authorization"] == f"Bearer {KEY}"
    assert request["body"] == {
        "model": "nomic-embed-text",
        "input": ["text"],
        "encoding_format": "float",
    }


def test_unknown_dimension_is_asked_for_once(server):
    server.dimension = 5
    subject = embedder(server)
    assert [subject.dimension, subject.dimension] == [5, 5]
    assert len(server.requests) == 1


def test_known_dimension_is_not_asked_for(server):
    endpoint = server.endpoint()
    assert OpenAIEmbedder(endpoint=endpoint).dimension == 1536
    assert embedder(server, dimension=8).dimension == 8
    assert server.requests == []


def test_shorter_vectors_are_asked_for_and_part_of_the_name(server):
    model = "openai:text-embedding-3-large@8"
    subject = open_embedder(model, endpoint=server.endpoint())
    assert subject.embed(["text"]).shape == (1, 8)
    assert server.requests[0]["body"]["dimensions"] == 8
    assert model == subject.name


def test_texts_go_in_batches(server):
    texts = [f"text {number}" for number in range(7)]
    vectors = embedder(server, batch_size=3).embed(texts)
    assert [len(request["body"]["input"]) for request in server.requests] == [3, 3, 1]
    assert np.array_equal(vectors[3:4], embedder(server).embed(texts[3:4]))


def test_long_texts_go_by_themselves(server):
    embedder(server, dimension=8).embed(["x" * 200_000] * 3)
    assert len(server.requests) == 3


def test_no_texts_give_no_vectors_and_no_request(server):
    assert embedder(server, dimension=8).embed([]).shape == (0, 8)
    assert server.requests == []


def test_empty_text_and_lone_surrogate_are_sent_as_something_an_endpoint_takes(server):
    embedder(server).embed(["", "\ud800"])
    assert server.requests[0]["body"]["input"] == [" ", "\ufffd"]


# --- failures --------------------------------------------------------------------

PASSING = {
    "too many requests": Answer(status=429, body={"error": {"message": "slow down"}}),
    "retry after": Answer(status=429, body="{}", headers={"Retry-After": "0.05"}),
    "retry date": Answer(429, "{}", {"Retry-After": "Fri, 31 Dec 1999 23:59:59 GMT"}),
    "server fault": Answer(status=500, body="oops"),
    "overloaded": Answer(status=503, body={"error": {"message": "busy"}}),
    "broken json": Answer(body='{"data": ['),
    "a web page": Answer(body="<html>", headers={"Content-Type": "text/html"}),
    "too few vectors": Answer(body={"object": "list", "data": []}),
    "no data": Answer(body={"object": "list"}),
    "a hang": Answer(hangs=True),
}


@pytest.mark.parametrize("kind", PASSING)
def test_passing_failure_is_tried_again(kind, server):
    server.script.append(PASSING[kind])
    vectors = embedder(server, patience=server.patience(PASSING[kind])).embed(["text"])
    assert vectors.shape == (1, 8)
    assert len(server.requests) == 2


@pytest.mark.parametrize("kind", PASSING)
def test_failure_that_stays_is_an_error_after_the_last_attempt(kind, server):
    server.rules.append(("text", PASSING[kind]))
    patience = server.patience(PASSING[kind]) | {"attempts": 2}
    subject = embedder(server, patience=patience)
    with pytest.raises(EmbeddingError, match=r"127\.0\.0\.1") as caught:
        subject.embed(["text"])
    assert caught.value.stage == "embed"
    assert len(server.requests) == 2


FINAL = {
    "wrong request": Answer(status=400, body={"error": {"message": "too long"}}),
    "wrong key": Answer(status=401, body={"error": {"message": "no such key"}}),
    "no money": Answer(
        status=429, body={"error": {"message": "quota", "code": "insufficient_quota"}}
    ),
    "not a vector": Answer(body={"data": [{"index": 0, "embedding": "AAAA"}]}),
    "zero vector": Answer(body={"data": [{"index": 0, "embedding": [0.0] * 8}]}),
    "not finite": Answer(body='{"data": [{"index": 0, "embedding": [1e400, 1.0]}]}'),
    "other index": Answer(body={"data": [{"index": 7, "embedding": [1.0]}]}),
}


@pytest.mark.parametrize("kind", FINAL)
def test_failure_that_cannot_pass_is_not_tried_again(kind, server):
    server.rules.append(("text", FINAL[kind]))
    with pytest.raises(EmbeddingError):
        embedder(server).embed(["text"])
    assert len(server.requests) == 1


def test_vectors_of_another_dimension_are_refused(server):
    with pytest.raises(EmbeddingError, match=r"\[8\] dimensions, not 16"):
        embedder(server, dimension=16).embed(["text"])


def test_retry_after_is_obeyed(server):
    endpoint = server.endpoint(wait_initial=0.0)
    server.script.append(Answer(429, "{}", {"Retry-After": "0.15"}))
    OpenAIEmbedder("m", endpoint=endpoint).embed(["text"])
    first, second = (request["at"] for request in server.requests)
    assert second - first >= 0.15


def test_retry_after_is_obeyed_up_to_the_longest_wait(server):
    endpoint = server.endpoint(wait_max=0.2)
    server.script.append(Answer(429, "{}", {"Retry-After": "3600"}))
    OpenAIEmbedder("m", endpoint=endpoint).embed(["text"])  # the test's own timeout
    assert len(server.requests) == 2


def test_server_that_is_not_there_is_named():
    endpoint = Endpoint(base_url="http://127.0.0.1:9/v1", attempts=1)
    with pytest.raises(EmbeddingError, match=r"127\.0\.0\.1 cannot be reached"):
        OpenAIEmbedder("m", endpoint=endpoint).embed(["text"])


# --- the key ---------------------------------------------------------------------


def test_key_is_in_no_repr_error_or_log(server, caplog):
    echo = {"error": {"message": f"key {KEY} is wrong", "code": KEY}}
    server.rules.append(("text", Answer(status=401, body=echo)))
    subject = embedder(server)
    with caplog.at_level(logging.DEBUG), pytest.raises(EmbeddingError) as caught:
        subject.embed(["text"])
    shown = "".join(traceback.format_exception(caught.value))
    assert "key [key] is wrong" in shown
    logged = "".join(
        f"{record.getMessage()}{vars(record)}" for record in caplog.records
    )
    for text in (shown, logged, repr(subject), repr(subject.endpoint)):
        assert KEY not in text
    assert KEY not in repr(vars(subject))


def test_key_is_in_no_log_of_a_retry(server, caplog):
    echo = Answer(status=500, body={"error": {"message": f"key {KEY}"}})
    server.script.append(echo)
    with caplog.at_level(logging.DEBUG):
        embedder(server).embed(["text"])
    logged = "".join(
        f"{record.getMessage()}{vars(record)}" for record in caplog.records
    )
    assert "trying again" in logged
    assert KEY not in logged


def test_password_in_the_address_is_not_shown(server):
    address = server.address.replace("http://", "http://user:pa55word@")
    subject = OpenAIEmbedder("m", endpoint=Endpoint(base_url=address, attempts=1))
    assert "pa55word" not in repr(subject)
    server.rules.append(("text", Answer(status=400, body="{}")))
    with pytest.raises(EmbeddingError) as caught:
        subject.embed(["text"])
    assert "pa55word" not in "".join(traceback.format_exception(caught.value))


def test_missing_key_is_refused_by_the_name_of_its_variable(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(ConfigError, match="OPENAI_API_KEY is not set"):
        OpenAIEmbedder()


def test_server_of_your_own_needs_no_key(server, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    assert embedder(server).embed(["text"]).shape == (1, 8)


def test_key_can_be_in_another_variable(server, monkeypatch):
    monkeypatch.setenv("OTHER_KEY", "other")
    embedder(server, patience={"key_variable": "OTHER_KEY"}).embed(["text"])
    assert server.requests[0]["headers"]["authorization"] == "Bearer other"


def test_address_can_come_from_the_environment(server, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", server.address)
    assert open_embedder("openai:m").embed(["text"]).shape == (1, 8)
