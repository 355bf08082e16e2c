"""Rerankers that add to the ranking: code and documents are each ordered apart."""

from __future__ import annotations

import pytest

from outcrop.indexing.index import Index
from outcrop.store.search_source import PostgresSource

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

    def __init__(self, path: str, document_weight: float | None = None) -> None:
        self.path = path
        self.document_weight = document_weight
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
    plain = paths(index.search(QUESTION, 10, rerank="off"))
    worst = [path for path in plain if is_code(path)][-1]
    reranker = LastReranker(worst)
    hits = index.search(QUESTION, 10, rerank=reranker)
    assert next(path for path in paths(hits) if is_code(path)) == worst
    ranks = [at for at, path in enumerate(plain) if not is_code(path)]
    assert ranks
    assert [paths(hits)[at] for at in ranks] == [plain[at] for at in ranks]
    assert len(reranker.texts) == sum(map(is_code, plain))


def test_with_a_weight_documents_are_ordered_among_the_ranks_of_documents(index):
    plain = paths(index.search(QUESTION, 10, rerank="off"))
    worst = [path for path in plain[:4] if not is_code(path)][-1]
    reranker = LastReranker(worst, document_weight=100.0)
    hits = index.search(QUESTION, 10, rerank=reranker)
    assert next(path for path in paths(hits) if not is_code(path)) == worst
    ranks = [at for at, path in enumerate(plain) if is_code(path)]
    assert ranks
    assert [paths(hits)[at] for at in ranks] == [plain[at] for at in ranks]
    read = [path for at, path in enumerate(plain) if is_code(path) or at < 4]
    assert {hit.path for hit in hits if "rerank" in hit.scores} == {*read}
    assert len(reranker.texts) == len(read)
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)


def test_documents_keep_their_ranks_if_a_name_is_asked_for(index):
    reranker = LastReranker("waiting-2", document_weight=100.0)
    hits = index.search("call_again", 10, rerank=reranker)
    plain = index.search("call_again", 10, rerank="off")
    assert [path for path in paths(hits) if not is_code(path)] == [
        path for path in paths(plain) if not is_code(path)
    ]
    assert not any("docs/" in text for text in reranker.texts)


def test_text_without_headings_keeps_its_ranks(server_url, tmp_path):
    for at in range(4):
        (tmp_path / f"note-{at}.md").write_text(f"Wait {at} days for an answer.\n")
    (tmp_path / "guide.md").write_text("# Waiting\n\nWait for an answer.\n")
    with Index.open(tmp_path, database_url=server_url) as index:
        index.index(".")
        reranker = LastReranker("note-3", document_weight=100.0)
        plain = paths(index.search("how long to wait", 10, rerank="off"))
        assert len(plain) == 5
        assert paths(index.search("how long to wait", 10, rerank=reranker)) == plain
        assert reranker.texts == []


def test_too_few_scores_leave_the_order_as_it_is(index):
    reranker = LastReranker("src/queue.py", document_weight=100.0)
    reranker.score = lambda question, texts: [1.0] * (len(texts) - 1)
    plain = index.search(QUESTION, 10, rerank="off")
    assert index.search(QUESTION, 10, rerank=reranker) == plain


def test_scores_descend_and_only_code_has_one_of_the_reranker(index):
    hits = index.search(QUESTION, 10, rerank=LastReranker("src/queue.py"))
    assert [hit.score for hit in hits] == sorted(
        (hit.score for hit in hits), reverse=True
    )
    assert all(("rerank" in hit.scores) == is_code(hit.path) for hit in hits)


@pytest.mark.parametrize("unit", ["section", "document"])
def test_sections_and_documents_stay_as_they_are(index, unit):
    plain = paths(index.search(QUESTION, 5, unit=unit, rerank="off"))
    reranker = LastReranker("src/queue.py")
    assert paths(index.search(QUESTION, 5, unit=unit, rerank=reranker)) == plain
    assert reranker.texts == []


def test_the_bundled_one_lifts_the_code_that_answers_by_default(index):
    hits = index.search(QUESTION, 10, rerank="off")
    plain = [path for path in paths(hits) if is_code(path)]
    hits = index.search(QUESTION, 10)
    found = [path for path in paths(hits) if is_code(path)]
    assert plain[:2] == ["src/panel.py", "src/calls.py"]
    assert found[:2] == ["src/calls.py", "src/panel.py"]
    assert sorted(found) == sorted(plain)
    by_path = {hit.path: hit.scores.get("rerank", 0.0) for hit in hits}
    assert max(filter(is_code, by_path), key=by_path.__getitem__) == "src/calls.py"
    assert hits == index.search(QUESTION, 10, rerank="local")


def test_the_bundled_one_scores_documents_unless_told_otherwise(index):
    hits = index.search(QUESTION, 10)
    assert {"rerank" in hit.scores for hit in hits if not is_code(hit.path)} == {
        True,
        False,
    }
    assert all("rerank" in hit.scores for hit in hits if is_code(hit.path))
    hits = index.search(QUESTION, 3, kind="doc")
    assert len({hit.scores["rerank"] for hit in hits}) > 1
    hits = index.search(QUESTION, 10, rerank="local:code")
    assert all(("rerank" in hit.scores) == is_code(hit.path) for hit in hits)


def test_the_context_of_a_question_is_reranked_too(index):
    assert (
        index.context(QUESTION).pieces != index.context(QUESTION, rerank="off").pieces
    )


def test_reports_are_left_to_the_ranking(index):
    question = f"{QUESTION}\n```\nwait(failed)\n```\nwhy is the queue empty?"
    reranker = LastReranker("src/queue.py")
    hits = index.search(question, 10, rerank=reranker)
    assert reranker.texts == []
    assert hits == index.search(question, 10, rerank="off")


@pytest.mark.parametrize("options", [{"kind": "doc"}, {"path_glob": "src/calls.py"}])
def test_less_than_two_pieces_of_code_are_not_scored(index, options):
    reranker = LastReranker("src/calls.py")
    assert index.search(QUESTION, 10, rerank=reranker, **options)
    assert reranker.texts == []


def test_only_the_first_passages_are_scored(server_url, tmp_path):
    body = "def queue_{0}(wait):\n    return wait + {0}\n"
    for at in range(40):
        (tmp_path / f"queue_{at}.py").write_text(body.format(at))
    with Index.open(tmp_path, database_url=server_url) as index:
        index.index(".")
        scored = []
        for limit in (5, 20, 40):
            reranker = LastReranker("queue_7.py")
            assert len(index.search("wait in a queue", limit, rerank=reranker)) == limit
            scored.append(len(reranker.texts))
    assert scored == [16, 20, 30]


def test_documents_are_ordered_among_the_first_four(server_url, tmp_path):
    for at in range(24):
        text = f"# Queue {at}\n\nHow long to wait in queue {at}.\n"
        (tmp_path / f"queue-{at}.md").write_text(text)
    with Index.open(tmp_path, database_url=server_url) as index:
        index.index(".")
        for limit in (5, 20):
            plain = paths(index.search("wait in a queue", 20, rerank="off"))
            reranker = LastReranker(plain[3], document_weight=100.0)
            hits = index.search("wait in a queue", limit, rerank=reranker)
            assert len(reranker.texts) == 4
            assert paths(hits) == [plain[3], *plain[:3], *plain[4:]][:limit]


def test_texts_of_all_hits_are_read_at_once(server_url, tmp_path, monkeypatch):
    for at in range(12):
        text = f"# Queue {at}\n\nHow long to wait in queue {at}.\n"
        (tmp_path / f"queue-{at}.md").write_text(text)
    read = []
    leaves = PostgresSource.leaves
    monkeypatch.setattr(
        PostgresSource, "leaves", lambda *given: read.append(1) or leaves(*given)
    )
    with Index.open(tmp_path, database_url=server_url) as index:
        index.index(".")
        hits = index.search("wait in a queue", 10)
    assert sum("rerank" in hit.scores for hit in hits) == 4
    assert len(hits) == 10
    assert read == [1]


@pytest.mark.parametrize("way", ["argument", "environment"])
def test_it_can_be_turned_off_for_all_searches(place, monkeypatch, way):
    folder, url = place
    if way == "environment":
        monkeypatch.setenv("OUTCROP_RERANK", "off")
    name = "off" if way == "argument" else None
    with Index.open(folder, database_url=url, reranker=name) as index:
        assert not any("rerank" in hit.scores for hit in index.search(QUESTION, 10))
        hits = index.search(QUESTION, 10, rerank="local")
    assert any("rerank" in hit.scores for hit in hits)
