"""Rerankers of code: code is ordered among the ranks of code, documents stay."""

from __future__ import annotations

import pytest

from outcrop.indexing.index import Index

QUESTION = "repeat a request that failed, with growing pauses"
DOCUMENTS = {
    f"docs/waiting-{at}.md": f"# Waiting {at}\n\nHow long to wait after an attempt.\n"
    for at in range(3)
}
RETRY = """\
def call_again(request, attempts):
    for number in range(attempts):
        try:
            return send(request)
        except ConnectionError:
            time.sleep(2**number)
"""
CODE = {
    "src/calls.py": RETRY,
    "src/panel.py": "def show(panel, failed):\n    return panel.each(failed)\n",
    "src/trim.py": "def trim(first, longer):\n    return first[: len(longer)]\n",
    "src/queue.py": "def pop(queue, wait):\n    return queue.pop(each=wait)\n",
}


class LastReranker:
    """Prefers one file, however the ranking likes it."""

    name = "last"
    code_weight = 100.0

    def __init__(self, path: str) -> None:
        self.path = path
        self.texts: list[str] = []

    def score(self, question, texts):
        self.texts += texts
        return [float(self.path in text) for text in texts]


@pytest.fixture(scope="module")
def place(server_url, tmp_path_factory):
    folder = tmp_path_factory.mktemp("rerank-code")
    for name, text in (DOCUMENTS | CODE).items():
        file = folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
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


def is_code(path):
    return path.startswith("src/")


def test_documents_keep_their_ranks_and_code_takes_those_of_code(index):
    plain = paths(index.search(QUESTION, 10))
    worst = [path for path in plain if is_code(path)][-1]
    reranker = LastReranker(worst)
    hits = index.search(QUESTION, 10, rerank=reranker)
    assert next(path for path in paths(hits) if is_code(path)) == worst
    ranks = [at for at, path in enumerate(plain) if not is_code(path)]
    assert ranks
    assert [paths(hits)[at] for at in ranks] == [plain[at] for at in ranks]
    assert len(reranker.texts) == sum(map(is_code, plain))


def test_scores_descend_and_only_code_has_one_of_the_reranker(index):
    hits = index.search(QUESTION, 10, rerank=LastReranker("src/queue.py"))
    assert [hit.score for hit in hits] == sorted(
        (hit.score for hit in hits), reverse=True
    )
    assert all(("rerank" in hit.scores) == is_code(hit.path) for hit in hits)


@pytest.mark.parametrize("unit", ["section", "document"])
def test_sections_and_documents_stay_as_they_are(index, unit):
    plain = paths(index.search(QUESTION, 5, unit=unit))
    reranker = LastReranker("src/queue.py")
    assert paths(index.search(QUESTION, 5, unit=unit, rerank=reranker)) == plain
    assert reranker.texts == []


def test_the_bundled_one_lifts_the_code_that_answers(index):
    plain = [path for path in paths(index.search(QUESTION, 10)) if is_code(path)]
    hits = index.search(QUESTION, 10, rerank="local")
    found = [path for path in paths(hits) if is_code(path)]
    assert plain[:2] == ["src/panel.py", "src/calls.py"]
    assert found[:2] == ["src/calls.py", "src/panel.py"]
    assert sorted(found) == sorted(plain)
    by_path = {hit.path: hit.scores.get("rerank", 0.0) for hit in hits}
    assert max(filter(is_code, by_path), key=by_path.__getitem__) == "src/calls.py"


def test_it_can_be_the_reranker_of_all_searches(place, monkeypatch):
    folder, url = place
    monkeypatch.setenv("OUTCROP_RERANK", "local")
    with Index.open(folder, database_url=url) as index:
        hits = index.search(QUESTION, 10)
    assert any("rerank" in hit.scores for hit in hits)
