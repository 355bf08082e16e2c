"""What a request may send and how long it may take; slow clients hold nobody up."""

from __future__ import annotations

import socket
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from integration.http.served import serving_with


@pytest.fixture(scope="module")
def strict(harbour):
    """Return a server with little patience and little room."""
    limits = {
        "max_body_bytes": 20_000,
        "body_seconds": 1.0,
        "header_seconds": 1.0,
        "max_searches": 1,
        "max_waiting": 2,
        "max_streams": 1,
    }
    with serving_with(harbour, **limits) as started:
        yield started


def raw(port, data, *, wait=8.0):
    """Send bytes as they are; return everything that comes back until the end."""
    with socket.create_connection(("127.0.0.1", port), timeout=wait) as connection:
        connection.sendall(data)
        received = b""
        while part := connection.recv(65536):
            received += part
        return received


@pytest.mark.parametrize("is_chunked", [False, True])
def test_a_body_that_is_too_large_is_refused(strict, is_chunked):
    body = b'{"text": "' + b"a" * 30_000 + b'"}'
    content = iter([body[:15_000], body[15_000:]]) if is_chunked else body
    answer = httpx.post(
        f"{strict.url}/v1/chunk",
        content=content,
        headers={"Content-Type": "application/json"},
    )
    assert answer.status_code == 413
    assert answer.headers["content-type"] == "application/problem+json"
    assert "20,000 bytes" in answer.json()["detail"]


def test_a_claimed_size_is_enough_to_be_refused(strict):
    head = (
        b"POST /v1/chunk HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json"
        b"\r\nContent-Length: 99999999999\r\n\r\n"
    )
    assert raw(strict.port, head).startswith(b"HTTP/1.1 413 ")


@pytest.mark.parametrize(
    "content", [b"{", b'{"query": "x"', b"\xff\xfe", b"[" * 5000, b"", b"{} {}"]
)
def test_broken_json_is_a_problem(client, content):
    answer = client.post(
        "/v1/search", content=content, headers={"Content-Type": "application/json"}
    )
    assert answer.status_code in {400, 422}
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    "body",
    [
        {"query": 1},
        {"query": "x", "limit": "5"},
        {"query": "x", "limit": 0},
        {"query": "x", "limit": 101},
        {"query": "x", "unknown": 1},
        {"query": "x", "mode": "magic"},
        {"query": "x", "kind": "code"},
        [],
        None,
    ],
)
def test_a_body_of_another_shape_is_a_problem_that_names_the_field(client, body):
    answer = client.post("/v1/search", json=body)
    assert answer.status_code == 422
    assert answer.json()["errors"]


def test_a_body_that_trickles_in_is_not_waited_for(strict):
    started = time.monotonic()
    head = (
        b"POST /v1/chunk HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json"
        b'\r\nContent-Length: 100\r\n\r\n{"text"'
    )
    assert raw(strict.port, head).startswith(b"HTTP/1.1 408 ")
    assert time.monotonic() - started < 6


@pytest.mark.parametrize("head", [b"", b"GET /health HTTP/1.1\r\nHost: local"])
def test_a_head_that_never_ends_is_not_waited_for(strict, head):
    started = time.monotonic()
    assert raw(strict.port, head) == b""
    assert time.monotonic() - started < 6


def test_slow_clients_hold_nobody_up(strict):
    slow = [
        socket.create_connection(("127.0.0.1", strict.port), timeout=5)
        for _ in range(60)
    ]
    try:
        for connection in slow:
            connection.sendall(b"POST /v1/search HTTP/1.1\r\nHost: localhost\r\n")
        started = time.monotonic()
        assert httpx.get(f"{strict.url}/health").status_code == 200
        assert time.monotonic() - started < 3
    finally:
        for connection in slow:
            connection.close()


def test_too_many_searches_are_told_to_come_back(strict):
    def ask(number):
        body = {"query": f"berth number {number}", "limit": 50}
        return httpx.post(f"{strict.url}/v1/search", json=body, timeout=30)

    with ThreadPoolExecutor(24) as threads:
        answers = list(threads.map(ask, range(48)))
    codes = {answer.status_code for answer in answers}
    assert codes == {200, 503}
    refused = next(answer for answer in answers if answer.status_code == 503)
    assert int(refused.headers["retry-after"]) > 0
    assert refused.headers["content-type"] == "application/problem+json"
    assert ask(0).status_code == 200


def test_too_many_streams_are_told_to_come_back(strict, harbour_index):
    run = harbour_index.store.create_run("test")
    url = f"{strict.url}/v1/runs/{run.id}/events"
    with httpx.stream("GET", url) as first:
        assert first.status_code == 200
        second = httpx.get(url)
        assert second.status_code == 503
        assert "retry-after" in second.headers
        harbour_index.store.finish_run(run.id)
        assert "event: end" in "".join(first.iter_text())
    assert "event: end" in httpx.get(url).text


def test_work_that_takes_too_long_is_a_problem(harbour):
    with serving_with(harbour, request_seconds=0.0005) as hurried:
        answer = httpx.post(f"{hurried.url}/v1/search", json={"query": "berth"})
    assert answer.status_code == 504
    assert "more than 0.0005 seconds" in answer.json()["detail"]
