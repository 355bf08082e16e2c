"""An index in several databases is served, watched and built as one in one database."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import httpx
import psycopg
import pytest
from click.testing import CliRunner
from fastapi.testclient import TestClient
from mcp import StdioServerParameters

from integration.mcp.agents import Agent, agent_of, text_of
from integration.store.processes import wait_until
from integration.store.servers import fresh_database
from outcrop.cli.main import main
from outcrop.cli.serve import make_app
from outcrop.errors import StorageError
from outcrop.http.settings import ServerSettings
from outcrop.indexing.config import IndexConfig
from outcrop.indexing.index import Index
from outcrop.indexing.refresh import Refresher
from outcrop.indexing.sharded import ShardedIndex

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_NOWHERE = "postgresql://nobody@127.0.0.1:1/none"
_CONFIG = IndexConfig(workers=1)


@pytest.fixture
def urls(server_url: str) -> Iterator[list[str]]:
    """Return the URLs of three empty databases."""
    with ExitStack() as made:
        yield [made.enter_context(fresh_database(server_url)) for _ in range(3)]


@pytest.fixture
def documents(project: Path) -> Path:
    """Fill the project with documents and code."""
    for number in range(12):
        (project / f"page-{number}.md").write_text(
            f"# Page {number}\n\nThe keel of boat {number}.\n\n## Details {number}\n\n"
            "It is set with `set_sail`.\n"
        )
    (project / "boat.py").write_text(
        'def hoist():\n    """Hoist it."""\n\n\ndef set_sail():\n'
        '    """Set the sail."""\n    hoist()\n'
    )
    return project


@pytest.fixture
def several(urls: list[str], documents: Path) -> Iterator[ShardedIndex]:
    """Return a filled index in two databases, which need not all answer."""
    with ShardedIndex.open(
        urls[:2], documents, config=_CONFIG, require_all=False
    ) as index:
        index.index()
        assert all(part.documents() for part in index.parts)
        yield index


@pytest.fixture
def one(urls: list[str], documents: Path) -> Iterator[Index]:
    """Return the same index in one database."""
    with Index.open(documents, database_url=urls[2], config=_CONFIG) as index:
        index.index()
        yield index


@contextmanager
def _client(index: Any) -> Iterator[TestClient]:
    app = make_app(index, ServerSettings())
    with TestClient(app, base_url="http://127.0.0.1:8321") as client:
        yield client


@contextmanager
def _unreachable(server_url: str, url: str) -> Iterator[None]:
    """Keep a database from answering."""
    name = url.rpartition("/")[2]
    with psycopg.connect(server_url, autocommit=True) as admin:
        admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false".encode())
        admin.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s",
            (name,),
        )
        try:
            yield
        finally:
            admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true".encode())


_VARYING = {"seconds", "created_at", "updated_at", "modified_ns"}


def _stable(value: Any) -> Any:
    """Return an answer without what depends on the time."""
    if isinstance(value, list):
        return [_stable(each) for each in value]
    if isinstance(value, dict):
        return {
            name: _stable(each)
            for name, each in value.items()
            if name not in _VARYING and not name.startswith("score")
        }
    return value


def test_http_reads_are_those_of_one_database(several, one):
    with _client(several) as client, _client(one) as expected:
        hit = client.post("/v1/search", json={"query": "keel of boat 3"}).json()[
            "hits"
        ][0]
        addresses = [
            "/v1/documents?limit=5",
            *(f"/v1/documents/page-{n}.md?text=true" for n in range(12)),
            f"/v1/chunks/{hit['id']}?before=1&after=1",
            f"/v1/chunks/{hit['id']}/children",
            f"/v1/chunks/{hit['id']}/parents",
            f"/v1/chunks/{hit['id']}/siblings",
            "/v1/symbols?query=set_sail",
            "/v1/graph/set_sail",
            "/v1/documents/boat.py",
        ]
        for address in addresses:
            answer = client.get(address)
            assert answer.status_code == 200, answer.text
            assert "Outcrop-Missing" not in answer.headers
            wanted = expected.get(address).json()
            if address != "/v1/graph/set_sail":  # mentions are in the code's database
                assert _stable(answer.json()) == _stable(wanted), address
            else:
                assert answer.json()["node"] == wanted["node"]
        for path in ("/v1/search", "/v1/context"):
            body = {"query": "keel of boat 3"}
            found = client.post(path, json=body).json()
            assert found["missing"] == []
            assert _stable(found) == _stable(expected.post(path, json=body).json())
        assert client.get("/v1/documents/none.md").status_code == 404
        for page in ("/", "/documents", "/code", "/runs", "/?q=keel"):
            assert client.get(page).status_code == 200, page


def test_http_runs_index_and_build_all_databases(several, documents):
    with _client(several) as client:
        for number in range(12, 18):
            (documents / f"page-{number}.md").write_text(f"# Page {number}\n\nNew.\n")
        run = client.post("/v1/index", json={"paths": ["."]}).json()
        address = f"/v1/runs/{run['id']}"
        assert wait_until(lambda: client.get(address).json()["state"] != "running", 60)
        done = client.get(address).json()
        assert done["state"] == "done", done
        assert len(client.get("/v1/documents?limit=100").json()["items"]) == 19
        assert all(
            any(d.path.startswith("page-1") for d in part.documents())
            for part in several.parts
        )
        built = client.post("/v1/build", json={"paths": ["."]}).json()
        address = f"/v1/runs/{built['id']}"
        assert wait_until(lambda: client.get(address).json()["state"] != "running", 60)
        assert client.get(address).json()["state"] == "done"


def test_http_answers_name_a_database_that_does_not_answer(
    several, urls, server_url, monkeypatch
):
    monkeypatch.setattr("outcrop.store.availability.REST_SECONDS", 0.2)
    for part in several.parts:
        part.database.wait_seconds = 0.5
    home = next(url for url in urls[:2] if url.rpartition("/")[2] in several.home_url)
    lost = next(url for url in urls[:2] if url != home)
    paths = {d.path for d in several.documents()}
    left = {d.path for d in several.home.documents()}
    with _client(several) as client:
        with _unreachable(server_url, lost):
            found = client.post("/v1/search", json={"query": "keel", "limit": 30})
            assert found.status_code == 200
            assert len(found.json()["missing"]) == 1
            assert {hit["path"] for hit in found.json()["hits"]} <= left
            listed = client.get("/v1/documents?limit=100")
            assert {item["path"] for item in listed.json()["items"]} == left
            assert lost.rpartition("/")[2] in listed.headers["Outcrop-Missing"]
            absent = client.get(f"/v1/documents/{min(paths - left)}")
            assert absent.status_code == 503
            assert "Outcrop-Missing" in absent.headers
            assert "no answer from" in client.get("/?q=keel").text
            note = agent_of(several).ask("search", query="keel")["note"]
            assert "results may be incomplete: no answer from" in note
        assert wait_until(
            lambda: (
                client.post("/v1/search", json={"query": "keel"}).json()["missing"]
                == []
            ),
            30,
        )


def test_a_database_that_was_down_at_the_start_is_used_when_it_is_back(
    several, urls, documents, server_url, monkeypatch
):
    monkeypatch.setattr("outcrop.indexing.shards._REOPEN_SECONDS", 0.2)
    whole = {d.path for d in several.documents()}
    with _unreachable(server_url, urls[1]):
        late = ShardedIndex.open(urls[:2], documents, create=False, require_all=False)
    with late:
        assert len(late.parts) == 1
        assert {d.path for d in late.documents()} < whole
        assert wait_until(lambda: bool(late.search("keel")) and not late.missing, 30)
        assert {d.path for d in late.documents()} == whole


def test_with_all_required_a_lost_database_is_an_error(
    several, urls, documents, server_url
):
    with ShardedIndex.open(urls[:2], documents, create=False) as strict:
        for part in strict.parts:
            part.database.wait_seconds = 0.5
        with _unreachable(server_url, urls[1]), pytest.raises(StorageError):
            strict.search("keel")


def test_agents_read_and_update_all_databases(several, one, documents):
    agent = agent_of(several, allow_writes=True)
    expected = agent_of(one)
    for number in range(12):
        outline = agent.ask("outline", path=f"page-{number}.md")
        assert outline == expected.ask("outline", path=f"page-{number}.md")
        text = agent.read(f"doc://page-{number}.md")
        assert text == (documents / f"page-{number}.md").read_text()
    hit = agent.ask("search", query="keel of boat 7")["hits"][0]
    assert agent.ask("read_chunk", id=hit["id"]) == expected.ask(
        "read_chunk", id=hit["id"]
    )
    assert "set_sail" in text_of(agent.call("related", symbol="hoist"))
    (documents / "page-0.md").write_text("# Page 0\n\nChanged.\n")
    (documents / "page-1.md").unlink()
    status = agent.ask("index_status")
    assert (status["changed"], status["gone"], status["new"]) == (1, 1, 0)
    done = agent.ask("reindex")
    assert (done["changed"], done["removed"]) == (1, 1)


def test_a_watched_index_follows_files_in_all_databases(several, documents):
    refresher = Refresher(several)
    refresher.start()
    try:
        assert refresher.wait(30)
        time.sleep(1)
        for number in range(12, 20):
            (documents / f"page-{number}.md").write_text(f"# Page {number}\n\nNew.\n")
        assert wait_until(lambda: len(several.documents()) == 21, 30)
        assert refresher.problem is None
    finally:
        assert refresher.stop(30)
    assert all(
        any(d.path.startswith("page-1") for d in part.documents())
        for part in several.parts
    )


def test_watch_yields_a_report_of_all_databases(several, documents):
    stop = threading.Event()
    reports = []
    for number in range(12, 20):
        (documents / f"page-{number}.md").write_text(f"# Page {number}\n\nNew.\n")
    for report in several.watch(".", stop=stop):
        reports.append(report)
        stop.set()
    assert len(reports[0].added) == 8


def test_build_plans_code_in_its_database(several, urls, documents, monkeypatch):
    monkeypatch.chdir(documents)
    both = " ".join(urls[:2])
    done = CliRunner().invoke(main, ["build", ".", "--database-url", both])
    assert done.exit_code == 0, done.output
    assert several.runs()[0].kind == "chunk-build"
    assert several.symbol("set_sail").node.name == "set_sail"
    listed = CliRunner().invoke(main, ["runs", "--database-url", both])
    assert listed.exit_code == 0, listed.output


def test_serve_answers_from_several_databases(several, urls, documents):
    command = [sys.executable, "-m", "outcrop", "serve", "--port", "0"]
    command += ["--database-url", f"{' '.join(urls[:2])} {_NOWHERE}"]
    with subprocess.Popen(
        command, cwd=documents, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line.startswith("serving")
            address = line.split(" at ")[1].split()[0].rstrip("/")
            found = httpx.post(f"{address}/v1/search", json={"query": "keel"}).json()
            assert found["hits"]
            assert found["missing"] == ["postgresql://127.0.0.1:1/none"]
        finally:
            process.terminate()


def test_mcp_serves_several_databases_and_names_one_that_is_down(
    several, urls, documents
):
    both = " ".join(urls[:2])
    command = ["-m", "outcrop", "mcp", "--no-watch", "--database-url"]

    def agent(given: str, *options: str) -> Agent:
        return Agent(
            StdioServerParameters(
                command=sys.executable,
                args=[*command, given, *options],
                cwd=documents,
                env=dict(os.environ),
            )
        )

    assert agent(both).ask("search", query="keel")["hits"]
    partial = agent(f"{both} {_NOWHERE}").ask("search", query="keel")
    assert "no answer from postgresql://127.0.0.1:1/none" in partial["note"]
    strict = agent(f"{both} {_NOWHERE}", "--require-all").call("search", query="keel")
    assert strict.is_error
