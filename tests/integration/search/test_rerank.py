"""Reranking: a model orders the hits, and search answers without it."""

from __future__ import annotations

import logging
import subprocess
import sys

import pytest

from integration.providers.conftest import server
from integration.providers.endpoint_server import Answer
from outcrop.errors import ConfigError, RerankError
from outcrop.indexing.index import Index
from outcrop.search.rerank import count_needed

__all__ = ["server"]

QUESTION = "limit the memory of a container"
# Twenty documents that match alike, each with one section.
NOTES = {
    f"note-{at:02}.md": f"# Note {at}\n\nLimit the memory of a container, part {at}.\n"
    for at in range(20)
}
LONG = "# Guide\n\n## Memory\n\n" + "\n\n".join(
    f"The memory of container {at} is limited by its owner. " * 6 for at in range(18)
)


class WordReranker:
    """Prefers texts that contain a word."""

    name = "word"

    def __init__(self, word: str) -> None:
        self.word = word
        self.texts: list[str] = []

    def score(self, question, texts):
        self.texts += texts
        return [float(self.word in text) - at / 1000 for at, text in enumerate(texts)]


class BrokenReranker:
    name = "broken"

    def score(self, question, texts):
        raise RerankError("the model is away", stage="rerank")


@pytest.fixture(scope="module")
def place(server_url, tmp_path_factory):
    """Return the folder of an index and its database."""
    folder = tmp_path_factory.mktemp("rerank")
    for name, text in (NOTES | {"guide.md": LONG}).items():
        (folder / name).write_text(text)
    with Index.open(folder, database_url=server_url) as index:
        index.index(".")
    return folder, server_url


@pytest.fixture
def index(place):
    folder, url = place
    with Index.open(folder, database_url=url) as opened:
        yield opened


def paths(hits):
    return [hit.path for hit in hits]


def test_a_hit_below_the_limit_can_become_the_first(index):
    before = index.search(QUESTION, 20)
    last = [hit.path for hit in before if hit.path.startswith("note")][-1]
    number = int(last[5:7])
    reranker = WordReranker(f"part {number}.")
    [hit] = index.search(QUESTION, 1, rerank=reranker)
    assert hit.path == last
    assert hit.score == hit.scores["rerank"] > 0.9
    assert "lexical" in hit.scores
    assert any(f"{last} > Note {number}" in text for text in reranker.texts)


def test_all_hits_are_kept_and_marked(index):
    hits = index.search(QUESTION, 10, rerank=WordReranker("nothing"))
    assert len(hits) == 10
    assert all("rerank" in hit.scores for hit in hits)
    assert paths(hits)[0] == paths(index.search(QUESTION, 10))[0]


@pytest.mark.parametrize("unit", ["chunk", "section", "document"])
def test_a_reranker_that_fails_leaves_the_order_and_is_reported(index, unit, caplog):
    plain = index.search(QUESTION, 10, unit=unit, group=False)
    hits = index.search(QUESTION, 10, unit=unit, group=False, rerank=BrokenReranker())
    assert {hit.id for hit in hits[:3]} == {hit.id for hit in plain[:3]}
    assert not any("rerank" in hit.scores for hit in hits)
    [record] = caplog.records
    assert record.levelno == logging.WARNING
    assert record.getMessage() == "hits are not reranked: the model is away"


@pytest.mark.parametrize("unit", ["section", "document"])
def test_sections_and_documents_are_reranked(index, unit):
    hits = index.search(QUESTION, 5, unit=unit, rerank=WordReranker("Note 13"))
    assert hits[0].path == "note-13.md"
    assert len(hits) == 5


def test_parts_of_one_section_are_folded_after_reranking(index):
    reranker = WordReranker("guide.md > Guide > Memory")
    hits = index.search(QUESTION, 5, rerank=reranker)
    assert paths(hits).count("guide.md") == 1
    assert hits[0].path == "guide.md"
    loose = index.search(QUESTION, 5, rerank=reranker, group=False)
    assert paths(loose).count("guide.md") > 1


def test_modes_of_one_signal_are_not_reranked(index):
    reranker = WordReranker("note")
    index.search(QUESTION, 3, mode="text", rerank=reranker)
    index.search(QUESTION, 3, mode="vector", rerank=reranker)
    assert reranker.texts == []


def test_an_index_is_opened_with_a_reranker_and_a_search_can_do_without(place):
    folder, url = place
    reranker = WordReranker("Note 13")
    with Index.open(folder, database_url=url, reranker=reranker) as opened:
        assert opened.search(QUESTION, 1)[0].path == "note-13.md"
        assert "Note 13" in opened.context(QUESTION, 400).splitlines()[0]
        reranker.texts.clear()
        opened.search(QUESTION, 1, rerank="off")
        assert reranker.texts == []


def test_the_environment_names_a_reranker(place, server, monkeypatch):
    folder, url = place
    monkeypatch.setenv("OUTCROP_RERANK", f"endpoint:{server.address}/rerank#small")
    with Index.open(folder, database_url=url) as opened:
        hits = opened.search(QUESTION, 3)
    [request] = server.requests
    assert request["body"]["query"] == QUESTION
    assert len(request["body"]["documents"]) <= count_needed(3)
    assert all("rerank" in hit.scores for hit in hits)


@pytest.mark.parametrize("given", ["nonsense", "", False, True, 5, b"local"])
def test_an_unknown_reranker_is_refused(index, given):
    with pytest.raises(ConfigError, match=f"reranker (is )?{given!r}"):
        index.search(QUESTION, rerank=given)


@pytest.mark.parametrize("fails", [False, True])
def test_the_command_says_if_hits_are_not_reranked(place, server, fails):
    folder, url = place
    if fails:
        server.rules.append(("query", Answer(status=503, body="busy")))
    command = [sys.executable, "-m", "outcrop", "search", QUESTION]
    command += ["--project", str(folder), "--database-url", url]
    command += ["--rerank", f"endpoint:{server.address}/rerank"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    expected = "hits are not reranked: 127.0.0.1 answered 503: busy\n"
    assert done.stderr == (expected if fails else "")
    assert "memory" in done.stdout
