"""Who may ask: names, origins and tokens; and what every answer carries."""

from __future__ import annotations

import subprocess
import sys

import httpx
import pytest

from integration.http.served import TOKEN, serving_with

SEARCH = {"query": "berth"}


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:80",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "192.168.1.4",
        "",
        "[::ffff:8.8.8.8]",
    ],
)
def test_a_name_that_was_rebound_to_this_machine_is_refused(client, host):
    for path in ("/", "/health", "/v1/documents"):
        answer = client.get(path, headers={"Host": host})
        assert answer.status_code in {400, 421}
        assert "berth" not in answer.text


@pytest.mark.parametrize(
    "host",
    [
        "localhost:8491@evil.example",
        "127.0.0.1:8491/evil",
        "[::1",
        "[::1]@evil.example",
        "localhost:99999",
    ],
)
def test_a_malformed_host_is_refused(client, host):
    for path in ("/", "/health", "/v1/documents"):
        answer = client.get(path, headers={"Host": host})
        assert answer.status_code == 400
        assert "berth" not in answer.text


@pytest.mark.parametrize(
    "host", ["localhost", "127.0.0.1:1", "[::1]:8321", "127.1.2.3"]
)
def test_names_of_this_machine_are_known(client, host):
    assert client.get("/health", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:1"},
        {"Origin": "http://[127.0.0.1"},
        {"Sec-Fetch-Site": "cross-site"},
    ],
)
def test_a_page_of_another_site_cannot_ask(client, headers):
    answer = client.post("/v1/index", json={"paths": ["docs"]}, headers=headers)
    assert answer.status_code == 403


def test_a_form_of_another_site_cannot_ask(client):
    answer = client.post(
        "/v1/search", content=b'{"query": "x"}', headers={"Content-Type": "text/plain"}
    )
    assert answer.status_code == 415


def test_no_origin_is_allowed_unless_named(client, locked):
    asked = {
        "Origin": "https://friend.example",
        "Access-Control-Request-Method": "POST",
    }
    plain = client.options("/v1/search", headers=asked)
    assert not [name for name in plain.headers if name.startswith("access-control")]
    friend = httpx.options(f"{locked.url}/v1/search", headers=asked)
    assert friend.headers["access-control-allow-origin"] == "https://friend.example"
    stranger = httpx.options(
        f"{locked.url}/v1/search", headers=asked | {"Origin": "https://evil.example"}
    )
    assert "access-control-allow-origin" not in stranger.headers


@pytest.mark.parametrize(
    "path",
    ["/", "/documents/docs/hostile.md", "/v1/documents", "/no", "/static/page.js"],
)
def test_every_answer_carries_the_headers_of_safety(client, path):
    headers = client.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "no-referrer"
    assert "server" not in headers


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": f"Bearer {TOKEN[:-1]}"},
        {"Authorization": f"Bearer {TOKEN}x"},
        {"Authorization": "Bearer"},
        {"Authorization": f"Basic {TOKEN}"},
        {"Authorization": "Bearer ünïcode"},
        {"Cookie": f"outcrop_session={TOKEN}"},
        {"Cookie": 'outcrop_session="; x'},
    ],
)
def test_without_the_token_nothing_is_told(locked, headers):
    sent = {name: value.encode() for name, value in headers.items()}
    for path in ("/v1/documents", "/metrics", "/openapi.json", "/documents"):
        answer = httpx.get(f"{locked.url}{path}", headers=sent)
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == "Bearer"
    answer = httpx.post(f"{locked.url}/v1/search", json=SEARCH, headers=sent)
    assert answer.status_code == 401
    assert TOKEN not in answer.text


def test_with_the_token_everything_is_told(locked):
    headers = {"Authorization": f"Bearer {TOKEN}"}
    answer = httpx.post(f"{locked.url}/v1/search", json=SEARCH, headers=headers)
    assert answer.status_code == 200
    assert answer.json()["hits"]


def test_health_needs_no_token(locked):
    assert httpx.get(f"{locked.url}/health").json()["status"] == "ok"


def test_a_named_host_is_known(locked):
    answer = httpx.get(f"{locked.url}/health", headers={"Host": "Quay.example:443"})
    assert answer.status_code == 200


def test_a_browser_shows_the_token_once_in_a_form(locked):
    with httpx.Client(base_url=locked.url, headers={"Accept": "text/html"}) as browser:
        asked = browser.get("/documents?q=guide")
        assert asked.status_code == 303
        assert asked.headers["location"] == "/login?then=%2Fdocuments%3Fq%3Dguide"
        wrong = browser.post("/login", data={"token": "no", "then": "/"})
        assert wrong.status_code == 401
        right = browser.post("/login", data={"token": TOKEN, "then": "/documents"})
        assert right.headers["location"] == "/documents"
        cookie = right.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert TOKEN not in cookie
        assert browser.get("/documents").status_code == 200


@pytest.mark.parametrize(
    "then", ["//evil.example", "https://evil.example", "/\\evil", ""]
)
def test_the_form_leads_nowhere_else(locked, then):
    answer = httpx.post(f"{locked.url}/login", data={"token": TOKEN, "then": then})
    assert answer.headers["location"] == "/"


def test_the_interface_without_the_page_sends_no_browser_to_a_form(harbour):
    with serving_with(harbour, token=TOKEN) as bare:
        browser = {"Accept": "text/html"}
        asked = httpx.get(f"{bare.url}/", headers=browser)
        assert asked.status_code == 401
        assert asked.headers["content-type"] == "application/problem+json"
        known = browser | {"Authorization": f"Bearer {TOKEN}"}
        missing = httpx.get(f"{bare.url}/", headers=known)
        assert missing.status_code == 404
        assert missing.headers["content-type"] == "application/problem+json"
        assert httpx.get(f"{bare.url}/v1/documents", headers=known).json()["items"]


@pytest.mark.parametrize(
    ("options", "token", "says"),
    [
        (["--host", "0.0.0.0"], "", "set OUTCROP_TOKEN"),  # noqa: S104 - it is refused
        (["--host", "192.0.2.1"], "", "others can reach"),
        ([], "short", "at least 16"),
        (["--cors-origin", "friend.example"], "", "cors origin"),
    ],
)
def test_an_unsafe_server_does_not_start(tmp_path, options, token, says):
    done = subprocess.run(
        [sys.executable, "-m", "outcrop", "serve", "--port", "0", *options],
        cwd=tmp_path,
        env={"OUTCROP_TOKEN": token, "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
        timeout=50,
    )
    assert done.returncode == 2
    assert says in done.stderr
    assert not (tmp_path / ".outcrop").exists()


def test_each_request_is_logged_without_its_query(harbour):
    command = [sys.executable, "-m", "outcrop", "serve", "--port", "0"]
    process = subprocess.Popen(
        command,
        cwd=harbour,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        url = process.stdout.readline().partition(" at ")[2].split()[0]
        httpx.get(f"{url.rstrip('/')}/health?private=1")
    finally:
        process.terminate()
        _, logged = process.communicate(timeout=30)
    assert " GET /health 200 " in logged
    assert "private" not in logged
