"""The description of the interface, and the server held to it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from integration.http.served import indexed, serving

COMMAND = Path(sys.executable).parent / "schemathesis"


@pytest.fixture
def served_alone():
    """Serve an index that no other test uses: requests change how it is built."""
    with indexed() as folder, serving(folder) as started:
        yield started


@pytest.fixture(scope="module")
def description(client):
    return client.get("/openapi.json").json()


def operations(description):
    return [
        (f"{method.upper()} {path}", operation)
        for path, methods in description["paths"].items()
        for method, operation in methods.items()
    ]


def test_every_route_of_the_interface_is_described(description):
    assert {name for name, _ in operations(description)} >= {
        "POST /v1/chunk",
        "POST /v1/sections",
        "POST /v1/search",
        "POST /v1/context",
        "GET /v1/chunks/{chunk_id}",
        "GET /v1/documents",
        "GET /v1/documents/{path}",
        "GET /v1/graph/{symbol}",
        "POST /v1/index",
        "GET /v1/runs/{run_id}",
        "GET /v1/runs/{run_id}/events",
        "GET /health",
        "GET /metrics",
    }


def test_every_route_says_what_it_does_and_what_may_go_wrong(description):
    for name, operation in operations(description):
        assert operation["summary"], name
        assert operation["description"], name
        content = operation["responses"]["503"]["content"]
        assert list(content) == ["application/problem+json"], name


def test_every_body_has_an_example(description, client):
    for name, operation in operations(description):
        if "requestBody" not in operation:
            continue
        content = operation["requestBody"]["content"]["application/json"]
        schema = content["schema"]["$ref"].rpartition("/")[2]
        examples = description["components"]["schemas"][schema]["examples"]
        path = name.partition(" ")[2]
        if path not in ("/v1/index", "/v1/build"):  # these start a run
            assert client.post(path, json=examples[0]).status_code == 200, name


def test_no_page_of_the_interface_loads_anything_from_elsewhere(client):
    assert "//" not in re.sub(
        r"<!--.*?-->", "", client.get("/docs").text, flags=re.DOTALL
    )
    assert client.get("/redoc").status_code == 404


def test_requests_are_counted_by_route(client):
    def count():
        found = re.search(
            r'outcrop_http_requests_total\{method="GET",route="/v1/runs/\{run_id\}",'
            r'status="404"\} (\S+)',
            client.get("/metrics").text,
        )
        return float(found[1]) if found else 0.0

    before = count()
    client.get("/v1/runs/987654321")
    assert count() == before + 1
    assert 'outcrop_running{gate="searches"} 0.0' in client.get("/metrics").text


@pytest.mark.skipif(not COMMAND.exists(), reason="schemathesis is not installed")
@pytest.mark.parametrize(
    ("phases", "examples"),
    [
        ("examples,fuzzing", 3),
        pytest.param("examples,coverage,fuzzing", 25, marks=pytest.mark.full),
    ],
)
@pytest.mark.timeout(400)
def test_the_server_does_what_its_description_says(
    served_alone, tmp_path, phases, examples
):
    """Requests made from the description, right and wrong ones.

    What two fields say together is not in a schema, so a right request may be refused.
    """
    done = subprocess.run(
        [
            *(COMMAND, "run", f"{served_alone.url}/openapi.json", "--phases", phases),
            *("--max-examples", str(examples), "--seed", "1", "--no-color"),
            *("--exclude-checks", "positive_data_acceptance"),
            *("--suppress-health-check", "all", "--request-timeout", "30"),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=380,
    )
    assert done.returncode == 0, done.stdout[-3000:]


def test_the_description_is_a_page_without_files_of_other_hosts(client, description):
    answer = client.get("/docs", headers={"Accept": "text/html"})
    assert answer.status_code == 200
    for name, _ in operations(description):
        method, path = name.split(" ", 1)
        assert f"<b>{method}</b> <code>{path}</code>" in answer.text
    assert not re.search(r"(?:src|href)=\"(?:https?:)?//", answer.text)
    assert "<code>query</code></td><td>body</td><td>string</td>" in answer.text


def test_a_missing_field_is_named(client):
    answer = client.post("/v1/search", json={})
    assert answer.status_code == 422
    assert answer.json()["detail"] == "query: Field required"
    assert answer.json()["errors"][0]["field"] == "query"


def test_the_page_shows_names_as_code_and_statuses_in_order(client):
    page = client.get("/docs", headers={"Accept": "text/html"}).text
    assert "<code>next_cursor</code> of the previous page" in page
    assert "`" not in page
    answers = [re.findall(r"<code>(\d+)</code>", p) for p in page.split("Answers:")[1:]]
    assert answers == [sorted(statuses) for statuses in answers]


@pytest.mark.parametrize("path", ["/", "/health", "/v1/documents", "/v1/nothing"])
def test_head_is_answered_as_get_without_the_body(client, path):
    get, head = client.get(path), client.head(path)
    assert head.status_code == get.status_code
    assert head.headers["content-type"] == get.headers["content-type"]
    assert head.headers["content-length"] == get.headers["content-length"]
    assert head.content == b""


def test_head_of_an_operation_that_only_takes_post_is_refused(client):
    assert client.head("/v1/search").status_code == 405


def test_a_body_that_is_not_json_has_no_field_at_fault(client):
    headers = {"Content-Type": "application/json"}
    answer = client.post("/v1/search", content=b'{"query": ', headers=headers)
    assert answer.status_code == 400
    assert [error["field"] for error in answer.json()["errors"]] == [""]
