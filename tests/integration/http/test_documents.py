"""Documents: listed in pages, read as they were indexed, and nothing else."""

from __future__ import annotations

import html
import http.client
import re
import shutil
from urllib.parse import quote, unquote

import pytest

from integration.http.served import FILES
from outcrop.http.requests import write_cursor


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


def test_a_page_after_the_last_one_is_empty(client):
    cursor = write_cursor("9" * 19)
    page = client.get("/v1/documents/docs/guide.md", params={"cursor": cursor})
    assert page.status_code == 200
    assert (page.json()["chunks"], page.json()["next_cursor"]) == ([], None)


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


ODD_NAMES = [
    "two\nlines.md",
    "ends\n.md",
    "return\r.md",
    "tab\t.md",
    "bell\x07\x1b[31m.md",
    "50%.md",
    "%41.md",
    "a#b.md",
    "why?.md",
    "a&b=c;d.md",
    "back\\slash.md",
    '"quoted" <b>.md',
    "line\u2028separator.md",
]


@pytest.fixture
def odd_documents(harbour_index):
    """Index files whose names hold characters that addresses and terminals read."""
    folder = harbour_index.project / "odd"
    folder.mkdir()
    for name in ODD_NAMES:
        (folder / name).write_text(f"Named {len(name)}.\n")
    harbour_index.index(["odd"])
    yield [f"odd/{name}" for name in ODD_NAMES]
    shutil.rmtree(folder)
    harbour_index.index(["odd"])


def test_a_document_of_any_name_can_be_read(client, odd_documents):
    listed = client.get("/v1/documents?limit=1000").json()["items"]
    assert {item["path"] for item in listed} >= set(odd_documents)
    for path in odd_documents:
        answer = client.get(f"/v1/documents/{quote(path)}?text=true")
        assert answer.status_code == 200, path
        assert answer.json()["document"]["path"] == path
        assert answer.json()["text"] == f"Named {len(path) - len('odd/')}.\n"


def test_the_page_of_a_document_of_any_name_is_found_by_its_link(client, odd_documents):
    listed = client.get("/documents").text
    links = [html.unescape(link) for link in re.findall(r'href="(/doc[^"]+)"', listed)]
    for path in odd_documents:
        link = next(link for link in links if unquote(link) == f"/documents/{path}")
        page = client.get(link)
        assert page.status_code == 200, path
        sent = html.unescape(re.search(r'data-path="([^"]*)"', page.text)[1])
        body = {"path": unquote(sent), "as_indexed": True}
        cut = client.post("/parts/cut", json=body)
        assert cut.status_code == 200, path
        assert not re.search(r"[\x00-\x08\x0b-\x1f]", page.text + cut.text)
