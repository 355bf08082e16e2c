"""Indexing on a real Ray cluster of two nodes, some of which are lost."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

pytest.importorskip("daft", reason="needs the extra cluster")
pytest.importorskip("ray", reason="needs the extra cluster")

from cluster.clusters import (
    TwoNodes,
    count_documents,
    start_index,
    wait_for,
    wait_until,
)
from integration.indexing.states import state_of
from integration.store.servers import PASSWORD

pytestmark = pytest.mark.timeout(400)
_LONG = "Words that fill a page of some length. " * 200


@pytest.fixture(scope="module")
def nodes():
    started = TwoNodes()
    yield started
    started.stop()


@pytest.fixture
def expected(open_index):
    """Index the project in one process; return everything it stored."""

    def index() -> dict[str, list[object]]:
        plain = open_index()
        plain.index()
        return state_of(plain)

    return index


@pytest.fixture
def slow_documents(project):
    """Add documents whose workers take their time; return how many there are."""
    (project / "slow").mkdir()
    for number in range(24):
        text = f"# Page {number}\n\n{_LONG}\n\n## Part {number}\n\nThe end.\n"
        (project / "slow" / f"page-{number}.md").write_text(text)
    return 24


def test_two_nodes_store_what_one_process_stores_and_name_a_poisoned_document(
    nodes, open_index, make_url, project, expected
):
    (project / "poison.md").write_text("# Poison\n")
    url = make_url()
    output = wait_for(start_index(project, url, nodes.address))
    assert "poison.md: ended its worker process (exit status 3)" in output
    (project / "poison.md").unlink()
    index = open_index(url)
    assert state_of(index) == expected()
    output = wait_for(start_index(project, url, nodes.address))
    assert "0 added, 0 changed, 0 removed" in output
    assert not [text for text in nodes.log_texts() if PASSWORD in text]


def test_what_a_killed_driver_and_then_a_lost_node_leave_undone_is_done(
    nodes, open_index, make_url, project, expected, slow_documents
):
    url = make_url()
    run = start_index(project, url, nodes.address)
    wait_until(lambda: count_documents(url) >= 1, run)
    run.send_signal(signal.SIGKILL)
    run.communicate()
    left = count_documents(url)
    assert left < slow_documents

    run = start_index(project, url, nodes.address)
    wait_until(lambda: count_documents(url) > left and nodes.second_is_working(), run)
    nodes.kill_second()
    assert count_documents(url) < len(list(project.rglob("*.*")))
    wait_for(run, 120)
    assert state_of(open_index(url)) == expected()


@pytest.mark.full
def test_an_embedder_of_the_users_own_gets_the_gpus_that_it_needs(
    nodes, open_index, make_url, project
):
    url = make_url()
    program = f"""
from cluster.gpu_embedder import GpuEmbedder
from outcrop import Index
from outcrop.indexing.cluster.engine import Engine

with (
    Engine.open("ray", address={nodes.address!r}) as engine,
    Index.open({str(project)!r}, database_url={url!r}, embedder=GpuEmbedder()) as index,
):
    report = index.index("guides", engine=engine)
    print(report.embedded, report.problems)
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    embedded, _, problems = done.stdout.partition(" ")
    assert int(embedded) > 0
    assert problems.strip() == "[]"
