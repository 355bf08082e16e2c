"""Runs: started over HTTP, followed as events, and only within the project."""

from __future__ import annotations

import asyncio
import json
import shutil
import time

import httpx
import pytest

from integration.http.served import make_project, remove_project, serving
from outcrop.http.app import create_app
from outcrop.indexing.index import Index


def read_events(client, run_id):
    """Yield the events of a run until the stream ends."""
    with client.stream("GET", f"/v1/runs/{run_id}/events") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        name = ""
        for line in stream.iter_lines():
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            elif line.startswith("data: "):
                yield name, json.loads(line.removeprefix("data: "))


def finish(client, run_id):
    deadline = time.monotonic() + 40
    while time.monotonic() < deadline:
        run = client.get(f"/v1/runs/{run_id}").json()
        if run["state"] != "running":
            return run
        time.sleep(0.1)
    raise AssertionError(f"run {run_id} does not end")


@pytest.fixture
def folder(served, client):
    """Return a folder of the project that is gone again after the test."""
    made = served.project / "more"
    made.mkdir()
    yield made
    shutil.rmtree(made)
    started = client.post("/v1/index", json={"paths": ["more"]})
    if started.status_code == 202:
        finish(client, started.json()["id"])


def test_a_run_can_be_started_followed_and_read(client, folder):
    (folder / "new.md").write_text("# Lighthouse\n\nIt blinks twice.\n")
    (folder / "binary.md").write_bytes(b"\0\1")
    started = client.post("/v1/index", json={"paths": ["more"]})
    assert started.status_code == 202
    run_id = started.json()["id"]
    assert started.headers["location"] == f"/v1/runs/{run_id}"
    events = list(read_events(client, run_id))
    assert events[-1][0] == "end"
    run = events[-1][1]
    assert run == client.get(f"/v1/runs/{run_id}").json()
    assert run["state"] == "done"
    assert run["statistics"]["added"] == 1
    assert sum(s["done"] for s in run["statistics"]["stages"].values()) >= 1
    assert run["errors"] == [{"path": "more/binary.md", "error": "binary"}]
    hits = client.post("/v1/search", json={"query": "lighthouse blinks"}).json()["hits"]
    assert hits[0]["path"] == "more/new.md"


def test_a_second_run_has_to_wait(client, folder):
    for number in range(40):
        (folder / f"{number}.md").write_text(f"# Boat {number}\n\nSails.\n" * 20)
    first = client.post("/v1/index", json={"paths": ["more"]})
    second = client.post("/v1/index", json={"paths": ["more"]})
    assert (first.status_code, second.status_code) == (202, 409)
    assert second.json()["run_id"] == first.json()["id"]
    assert finish(client, first.json()["id"])["state"] == "done"


def test_a_server_that_is_stopped_ends_its_run_between_two_batches():
    project = make_project()
    docs = project / "docs"
    docs.mkdir()
    section = "Some words that fill a line of ordinary documentation. " * 20
    for number in range(70):
        text = "".join(
            f"## Part {part} of {number}\n\n{section}\n\n" for part in range(30)
        )
        (docs / f"{number}.md").write_text(text)
    with serving(project) as started:
        run = httpx.post(f"{started.url}/v1/index", json={"paths": ["docs"]}).json()
        with httpx.Client(base_url=started.url, timeout=30) as client:
            next(read_events(client, run["id"]))
    with Index.open(project) as index:
        run = index.store.get_run(run["id"])
    assert run.state == "failed"
    assert run.error == "the server was stopped; the next run continues"
    remove_project(project)


def test_runs_are_listed_the_latest_first_in_pages(client, harbour_index):
    for _ in range(3):
        run = harbour_index.store.create_run("test")
        harbour_index.store.finish_run(run.id)
    first = client.get("/v1/runs?limit=2").json()
    assert [item["id"] for item in first["items"]] == [run.id, run.id - 1]
    second = client.get(f"/v1/runs?limit=2&cursor={first['next_cursor']}").json()
    assert second["items"][0]["id"] == run.id - 2


def test_a_run_that_is_not_there_is_a_problem(client):
    assert client.get("/v1/runs/999999999").status_code == 404
    assert client.get("/v1/runs/999999999/events").status_code == 404


@pytest.mark.parametrize(
    "path", ["..", "/etc", "docs/../..", "../../../../etc/passwd", "docs/\0", "x" * 999]
)
def test_nothing_outside_the_project_is_indexed(client, path):
    answer = client.post("/v1/index", json={"paths": [path]})
    assert answer.status_code in {403, 422}
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("is_folder", [False, True])
def test_a_link_that_leads_outside_is_not_followed(client, folder, tmp_path, is_folder):
    secret = tmp_path / "secret.md"
    secret.write_text("# Secret\n\nNobody may read this.\n")
    (folder / "link.md").symlink_to(tmp_path if is_folder else secret)
    for paths in (["more"], ["more/link.md"]):
        answer = client.post("/v1/index", json={"paths": paths})
        assert answer.status_code == 403, answer.text
        assert "leads outside the project" in answer.json()["detail"]


def test_a_file_that_may_hold_secrets_is_not_indexed(client, folder):
    (folder / "secrets.yaml").write_text("password: lighthouse-keeper\n")
    (folder / "notes.md").symlink_to("secrets.yaml")
    started = client.post("/v1/index", json={"paths": ["more"]})
    run = finish(client, started.json()["id"])
    assert (run["statistics"]["added"], run["statistics"]["secrets"]) == (0, 2)
    for name in ("secrets.yaml", "notes.md"):
        answer = client.post("/v1/index", json={"paths": [f"more/{name}"]})
        assert answer.status_code == 403
        assert "may hold secrets" in answer.json()["detail"]


def test_a_folder_named_at_start_may_be_indexed(harbour, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "away.md").write_text("# Away\n\nFar from home.\n")
    with (
        serving(harbour, "--root", str(outside)) as started,
        httpx.Client(base_url=started.url, timeout=30) as other,
    ):
        answer = other.post("/v1/index", json={"paths": [str(outside)]})
        assert answer.status_code == 202
        assert finish(other, answer.json()["id"])["statistics"]["added"] == 1
        (outside / "away.md").unlink()
        gone = other.post("/v1/index", json={"paths": [str(outside)]})
        assert finish(other, gone.json()["id"])["statistics"]["removed"] == 1


def test_row_3_70_a_build_can_be_started_and_followed(client, folder):
    pytest.importorskip("procrastinate")
    (folder / "dock.py").write_text(
        'def moor(boat):\n    """Tie a boat to the dock."""\n    return boat\n'
    )
    started = client.post(
        "/v1/build", json={"paths": ["more"], "strategy": "per-node", "batch_size": 60}
    )
    assert started.status_code == 202
    run_id = started.json()["id"]
    assert started.headers["location"] == f"/v1/runs/{run_id}"
    run = finish(client, run_id)
    assert (run["state"], run["kind"], run["strategy"]) == (
        "done",
        "chunk-build",
        "per-node",
    )
    assert run["statistics"]["stages"]["embed"]["done"] > 0
    body = {"query": "tie a boat", "package": ["more.dock"]}
    hits = client.post("/v1/search", json=body).json()["hits"]
    found = {hit["symbol"]: hit for hit in hits}
    assert found["more.dock.moor"]["content"].startswith("def moor(boat):")
    assert {hit["path"] for hit in hits} == {"more/dock.py"}
    back = client.post("/v1/build", json={"paths": ["more"], "strategy": "adaptive"})
    assert finish(client, back.json()["id"])["state"] == "done"
    # Other tests search the same project.
    whole = client.post("/v1/index", json={"paths": ["."]})
    assert finish(client, whole.json()["id"])["state"] == "done"


def test_row_3_70_a_build_stays_within_the_project(client):
    refused = client.post("/v1/build", json={"paths": ["/etc"]})
    assert refused.status_code == 403
    refused = client.post("/v1/build", json={"strategy": "by-mood"})
    assert refused.status_code == 422


def test_a_client_that_is_gone_before_its_stream_begins_leaves_no_slot(harbour_index):
    app = create_app(harbour_index)
    run = harbour_index.store.create_run("index", parameters={})
    path = f"/v1/runs/{run.id}/events"
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "method": "GET",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "scheme": "http",
        "headers": [(b"host", b"localhost")],
    }

    async def receive():
        return {"type": "http.disconnect"}

    async def send(_):
        await asyncio.sleep(0)

    try:
        asyncio.run(app(scope, receive, send))
    finally:
        harbour_index.store.fail_run(run.id, "of a test")
    assert app.state.service.streams == 0
