"""Documents: listed in pages, read as they were indexed, and nothing else."""

from __future__ import annotations

import http.client
from urllib.parse import quote

import pytest

from integration.http.served import FILES


def test_pages_hold_every_document_once(client):
    paths, cursor = [], None
    while True:
        page = client.get("/v1/documents", params={"limit": 2, "cursor": cursor or ""})
        paths += [item["path"] for item in page.json()["items"]]
        cursor = page.json()["next_cursor"]
        if cursor is None:
            break
    assert paths == sorted(FILES, key=str.encode)


@pytest.mark.parametrize("path", [p for p in FILES if p.endswith(".md")])
def test_the_text_of_a_document_is_the_file_to_the_character(client, path):
    answer = client.get(f"/v1/documents/{quote(path)}?text=true")
    assert answer.status_code == 200
    assert answer.json()["text"] == FILES[path]


def test_the_text_of_code_has_every_line_in_its_place(client):
    path = "src/harbour/berths.py"
    text = client.get(f"/v1/documents/{path}?text=true").json()["text"]
    assert text.rstrip() == FILES[path].rstrip()


def test_chunks_of_a_document_come_in_pages(client, harbour_index):
    expected = [chunk.id for chunk in harbour_index.store.chunks_of("docs/guide.md")]
    found, cursor = [], ""
    while cursor is not None:
        page = client.get(f"/v1/documents/docs/guide.md?limit=2&cursor={cursor}").json()
        assert len(page["chunks"]) <= 2
        found += [chunk["id"] for chunk in page["chunks"]]
        cursor = page["next_cursor"]
    assert found == expected


@pytest.mark.parametrize("cursor", ["!", "AAAA=", "x" * 9000, "Li4v", "LTE", "AA"])
def test_a_cursor_of_others_is_a_problem(client, cursor):
    answer = client.get("/v1/documents/docs/guide.md", params={"cursor": cursor})
    assert answer.status_code == 422


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "../../../../etc/passwd",
        "..%2f..%2f..%2fetc%2fpasswd",
        "%2e%2e/%2e%2e/etc/passwd",
        "%2fetc%2fpasswd",
        "docs/../../../etc/passwd",
        "docs/leak.md",
        "docs/%00guide.md",
        ".outcrop/server.lock",
        "....//....//etc/passwd",
    ],
)
@pytest.mark.parametrize("folder", ["/v1/documents/", "/documents/", "/static/"])
def test_no_path_leads_out_of_the_index(served, folder, path):
    """Sent as it is: a polite client would tidy the path first."""
    link = served.project / "docs" / "leak.md"
    if not link.is_symlink():
        link.symlink_to("/etc/passwd")
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=20)
    try:
        connection.putrequest("GET", folder + path, skip_host=False)
        connection.endheaders()
        answer = connection.getresponse()
        body = answer.read()
    finally:
        connection.close()
        link.unlink(missing_ok=True)
    assert answer.status in {404, 422}
    assert b"root:" not in body
