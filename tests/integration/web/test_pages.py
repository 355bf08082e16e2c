"""The page's views as the server renders them, script or no script."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from urllib.parse import quote

import httpx
import pytest

from integration.http.served import (
    FILES,
    HOSTILE,
    make_project,
    remove_project,
    serving,
)

PAGES = [
    "/",
    "/?q=berth",
    "/?q=berth&mode=vector&source=code&path=src/**&tokens=500",
    "/?q=berth&lang=python",
    "/documents",
    "/documents?q=guide",
    "/documents?kind=python&sort=recent",
    "/documents?folder=docs/",
    "/documents/docs/guide.md?view=read",
    "/documents/docs/hostile.md?view=read",
    "/documents/docs/guide.md?size=100&unit=tokens&strategy=fallback",
    "/documents/src/harbour/berths.py?view=read",
    *(f"/documents/{quote(path)}" for path in FILES),
    "/paste",
    "/code",
    "/code?q=berth",
    "/code/reserve_berth",
    "/runs",
    "/login",
    "/nothing",
]


class Links(HTMLParser):
    """Collects what a page refers to and runs."""

    def __init__(self) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.scripts: list[str | None] = []

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.tags.append(tag)
        self.attributes.update(name for name, _ in attrs)
        self.targets += [
            values[name] or "" for name in ("href", "src", "action") if name in values
        ]
        if tag == "script":
            self.scripts.append(values.get("src"))


def read(client, path):
    answer = client.get(path, headers={"Accept": "text/html"})
    links = Links()
    links.feed(answer.text)
    return answer, links


@pytest.mark.parametrize("path", PAGES)
def test_a_page_refers_to_this_server_alone_and_runs_its_own_files(client, path):
    answer, links = read(client, path)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert all(target.startswith(("/", "#")) for target in links.targets)
    assert not any(target.startswith("//") for target in links.targets)
    assert all(src and src.startswith("/static/") for src in links.scripts)
    assert not [name for name in links.attributes if name.startswith("on")]
    assert "style" not in links.attributes
    assert not {"iframe", "img", "object", "embed"} & set(links.tags)


@pytest.mark.parametrize("path", PAGES)
def test_links_of_a_page_lead_somewhere(client, path):
    _, links = read(client, path)
    inner = {target.partition("#")[0] for target in links.targets} - {""}
    for target in sorted(inner)[:25]:
        assert client.get(target).status_code in {200, 405}, target


def test_a_hostile_document_is_shown_as_text(client):
    answer, _ = read(client, "/documents/docs/hostile.md")
    assert "<script>window" not in answer.text
    assert "&lt;script&gt;window.hacked = 2&lt;/script&gt;" in answer.text
    assert "{{ 7 * 7 }}" in answer.text
    body = {"path": "docs/hostile.md", "size": 100}
    assert "<script" not in client.post("/parts/cut", json=body).text
    assert "<script" not in client.post("/parts/cut", json={"text": HOSTILE}).text
    assert "<script" not in client.get("/parts/results?q=hacked").text
    assert "<script" not in client.get("/parts/context?q=hacked").text


def test_a_hostile_question_is_shown_as_text(client):
    answer, _ = read(client, "/?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E")
    assert "<script>alert" not in answer.text


def test_results_are_there_without_a_script(client):
    answer, _ = read(client, "/?q=when+does+the+basin+fall+dry")
    assert "<mark>basin</mark>" in answer.text
    assert re.search(r'href="/documents/docs/guide.md#[0-9a-f]{16}"', answer.text)
    assert 'class="share share-words"' in answer.text
    assert "of 2,000 tokens" in answer.text


def test_results_can_be_of_one_language(client):
    everything = client.get("/", params={"q": "berth"}).text
    assert '<option value="python">python (' in everything
    of_code = client.get("/", params={"q": "berth", "lang": "python"}).text
    assert '<option value="python" selected>' in of_code
    assert ".py" in of_code
    assert 'href="/documents/docs/guide.md' not in of_code


def test_an_unknown_language_is_explained(client):
    page = client.get("/", params={"q": "berth", "lang": "klingon"}).text
    assert "klingon" in page
    assert "python" in page


def test_a_document_shows_chunks_reasons_sections_and_sizes(client):
    answer, _ = read(client, "/documents/docs/guide.md")
    assert "a heading opens a new section" in answer.text
    assert '<span class="name">Fees</span>' in answer.text
    assert answer.text.count("<rect class=") == answer.text.count('class="number"')


def test_another_size_cuts_the_document_again(client):
    def cut(size):
        body = {"path": "docs/guide.md", "size": size}
        return client.post("/parts/cut", json=body).text.count('class="number"')

    assert cut(100) > cut(400) > cut(4000) == 1


def test_code_shows_the_graph_its_documentation_and_where_it_is_named(client):
    answer, _ = read(client, "/code/reserve_berth")
    assert "&lt;b&gt;never&lt;/b&gt; negative" in answer.text
    assert 'class="edge ' in answer.text
    assert "Called by" in answer.text
    assert "Mentioned in documents" in answer.text
    assert "/documents/docs/guide.md#" in answer.text


@pytest.mark.parametrize(
    ("path", "status", "says"),
    [
        ("/documents/missing.md", 404, "there is no document"),
        ("/code/missing_symbol", 404, "missing_symbol"),
        ("/runs/99999999", 404, "there is no run"),
        ("/?mode=magic", 422, "mode"),
        ("/nothing", 404, "there is nothing at /nothing"),
    ],
)
def test_a_browser_gets_an_error_it_can_show(client, path, status, says):
    answer, _ = read(client, path)
    assert answer.status_code == status
    assert answer.headers["content-type"].startswith("text/html")
    assert says in answer.text


def test_a_run_without_paths_is_shown_too(client, harbour_index):
    run = harbour_index.store.create_run("chunk-build", strategy="adaptive")
    stages = {"embed": {"done": 1, "total": 4, "failed": 1}}
    errors = [{"chunk_id": "12ab", "error": "<b>no</b> vector"}]
    harbour_index.store.update_run(run.id, stages=stages, errors=errors)
    harbour_index.store.fail_run(run.id, "the <i>worker</i> is gone")
    answer, _ = read(client, f"/runs/{run.id}")
    assert "strategy adaptive" in answer.text
    assert "1 of 4" in answer.text
    assert "&lt;b&gt;no&lt;/b&gt; vector" in answer.text
    assert "the &lt;i&gt;worker&lt;/i&gt; is gone" in answer.text


def test_a_run_of_everything_says_so_and_counts_chunks_once(client, harbour_index):
    run = harbour_index.store.create_run("index", parameters={"paths": ["."]})
    counts = {"chunks_inserted": 31, "written_chunks": 31}
    harbour_index.store.update_run(run.id, statistics=counts)
    harbour_index.store.fail_run(run.id, "stopped")
    answer, _ = read(client, f"/runs/{run.id}")
    assert "the whole project" in answer.text
    assert answer.text.count("<b>31</b>") == 1


def test_an_empty_index_says_what_to_do():
    project = make_project()
    with serving(project) as started, httpx.Client(base_url=started.url) as empty:
        for path in ("/", "/documents", "/code", "/runs"):
            assert 'class="empty"' in empty.get(path).text, path
        assert "outcrop index docs src" in empty.get("/").text
    remove_project(project)


def test_a_misspelt_word_is_corrected_and_can_be_kept(client):
    answer, links = read(client, "/?q=watr+level+gauge&source=doc")
    assert "Searched for <b>water level gauge</b>" in answer.text
    assert "<mark>water</mark>" in answer.text
    kept = "/?q=watr+level+gauge&source=doc&verbatim=true"
    assert kept in links.targets
    answer, _ = read(client, kept)
    assert "Searched for" not in answer.text
    assert 'name="verbatim" value="true"' in answer.text


def test_a_document_can_be_read_and_code_cannot(client):
    answer, links = read(client, "/documents/docs/guide.md?view=read")
    assert "<h2 " in answer.text
    assert '<th class="cell">length</th>' in answer.text
    assert "<title>docs/guide.md · Read · Outcrop</title>" in answer.text
    assert "/documents/docs/guide.md" in links.targets
    answer, _ = read(client, "/documents/src/harbour/berths.py?view=read")
    assert '<span class="t-keyword">class</span>' in answer.text
    assert "view=read" not in answer.text


def test_a_hostile_document_is_read_as_text(client):
    answer, links = read(client, "/documents/docs/hostile.md?view=read")
    assert "<script>window" not in answer.text
    assert "javascript" not in "".join(links.targets)
    assert "{{ 7 * 7 }}" in answer.text


def test_the_settings_of_the_index_are_shown_as_they_are(client):
    answer, _ = read(client, "/documents/docs/guide.md")
    assert "At most 180 tokens in a chunk, blocks over the limit split" in answer.text
    assert "<dt>limit</dt><dd>180</dd>" in answer.text
    assert 'name="size" type="range" min="16" max="4000" value="180"' in answer.text


def test_the_address_says_how_a_document_is_cut(client):
    path = "/documents/docs/guide.md?size=100&overlap=10&oversize=split"
    answer, _ = read(client, path)
    assert 'value="again" checked' in answer.text
    assert "<dt>limit</dt><dd>100</dd>" in answer.text
    assert '<option value="split" selected>' in answer.text
    assert client.get("/documents/docs/guide.md?size=1").status_code == 422


def test_documents_are_in_folders_unless_they_are_filtered_or_sorted(client):
    answer, links = read(client, "/documents")
    assert '<span class="path">src/harbour/</span>' in answer.text
    assert "/documents/src/harbour/berths.py" in links.targets
    answer, _ = read(client, "/documents?kind=python")
    assert "berths.py" in answer.text
    assert "guide.md" not in answer.text
    answer = client.get("/parts/documents?sort=title&q=docs").text
    assert 0 < answer.index("Harbour guide") < answer.index("Odd name")
    assert "No document matches" in client.get("/parts/documents?q=nowhere").text


def test_the_start_of_a_view_offers_something(client):
    answer, links = read(client, "/")
    assert "Changed last" in answer.text
    assert "/documents/docs/guide.md" in links.targets
    answer, links = read(client, "/code")
    assert "Called most" in answer.text
    assert "1 caller" in answer.text
    assert [t for t in links.targets if t.startswith("/code/")]


def test_a_context_without_hits_says_that_nothing_was_found(client):
    nothing = client.get("/parts/context?q=berth&path=nowhere/**").text
    assert "Nothing was found" in nothing
    assert "Increase the budget" not in nothing
