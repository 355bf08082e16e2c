"""BM25 in the store: the scores of bm25s, whatever was written, merged and deleted."""

from __future__ import annotations

import random
import sysconfig
from collections import Counter
from functools import cache
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from integration.store.samples import chunk, chunks, document
from integration.store.searches import search_words
from integration.store.servers import EVERY_SERVER
from outcrop.model.filter import Filter
from outcrop.store.lexical import maintain
from outcrop.store.lexical.maintain import merge_deltas
from outcrop.store.lexical.weights import K1, B, code_of, pin_of, unpack_vector
from outcrop.text.analysis import count_terms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from outcrop.model.candidate import Match
    from outcrop.store.store import PostgresStore

bm25s = pytest.importorskip("bm25s")

_TOP_LEVEL = 2_000  # pieces that the modules outside of packages give
Corpus = dict[str, str]  # path of a one-chunk document -> text


@cache
def _texts(number: int) -> tuple[str, ...]:
    """Return pieces of the standard library, half of them prose."""
    pieces: list[str] = []
    pattern = "*.py" if number <= _TOP_LEVEL else "**/*.py"
    for file in sorted(Path(sysconfig.get_path("stdlib")).glob(pattern)):
        try:
            paragraphs = file.read_text(encoding="utf-8").split("\n\n")
        except UnicodeDecodeError:
            continue
        for start in range(0, len(paragraphs), 4):
            piece = "\n\n".join(paragraphs[start : start + 4])
            if 200 < len(piece) < 5000 and "\0" not in piece:
                pieces.append(piece)
        if len(pieces) >= number * 4:
            break
    random.Random(3).shuffle(pieces)  # noqa: S311 - a fixed order
    assert len(pieces) >= number
    return tuple(pieces[:number])


def _corpus(number: int, start: int = 0) -> Corpus:
    texts = _texts(number + start)[start:]
    return {f"d{index % 7}/{index}.md": text for index, text in enumerate(texts, start)}


def _queries(number: int) -> list[str]:
    chance = random.Random(5)  # noqa: S311 - as above
    queries = []
    for text in _texts(2000)[-number:]:
        words = text.split()
        begin = chance.randrange(max(1, len(words) - 12))
        queries.append(" ".join(words[begin : begin + chance.randint(1, 12)]))
    return queries


def _load(store: PostgresStore, corpus: Mapping[str, str], batch: int = 500) -> None:
    items = [(document(path), [chunk(text, path)]) for path, text in corpus.items()]
    for start in range(0, len(items), batch):
        store.replace_documents(items[start : start + batch])


class _Reference:
    """bm25s over the same tokens, made to use the pinned average length."""

    def __init__(self, corpus: Mapping[str, str], pin: float) -> None:
        self._paths = list(corpus)
        tokens = [list(count_terms(text).elements()) for text in corpus.values()]
        real = sum(map(len, tokens)) / len(tokens)
        # The formula with another average is the formula with other constants.
        slope = K1 * B * real / pin
        k1 = K1 * (1 - B) + slope
        self._ranker = bm25s.BM25(k1=k1, b=slope / k1, method="lucene")
        self._ranker.index(tokens, show_progress=False)
        self._vocabulary = self._ranker.vocab_dict

    def scores(self, query: str, among: Sequence[str] | None = None) -> list[float]:
        words = [w for w in count_terms(query).elements() if w in self._vocabulary]
        if not words:
            return []
        found = self._ranker.get_scores(words)
        kept = [
            float(score)
            for path, score in zip(self._paths, found, strict=True)
            if score > 0 and (among is None or path in among)
        ]
        return sorted(kept, reverse=True)[:10]


def _check_scores(
    store: PostgresStore, corpus: Mapping[str, str], queries: Sequence[str]
) -> None:
    pin = store.status().pinned_length
    assert pin is not None
    reference = _Reference(corpus, pin)
    for query in queries:
        expected = reference.scores(query)
        actual = [match.score for match in search_words(store, query)]
        assert actual == pytest.approx(expected, abs=1e-3), query


def _check_frequencies(store: PostgresStore, corpus: Mapping[str, str]) -> None:
    """Compare what the tables say of every term with a count of everything."""
    expected: Counter[str] = Counter()
    for text in corpus.values():
        expected.update(count_terms(text).keys())
    with store._database.read() as connection:
        counted = connection.execute(
            "SELECT lexeme, count(*) FROM chunk_lex,"
            " unnest(tsvector_to_array(tsv)) AS lexeme GROUP BY lexeme"
        ).fetchall()
        told = connection.execute(
            "SELECT term, sum(df)::int, max(maxw) FROM (SELECT * FROM lex_df"
            " UNION ALL SELECT * FROM lex_delta) t GROUP BY term HAVING sum(df) <> 0"
        ).fetchall()
    assert dict(counted) == expected
    assert {term: df for term, df, _ in told} == expected
    _check_bounds(store, {term: maxw for term, _, maxw in told})


def _check_bounds(store: PostgresStore, maxw: Mapping[str, float]) -> None:
    """Make sure that no term weighs more in a chunk than its bound says."""
    query = "SELECT sv, tsvector_to_array(tsv) FROM chunk_lex"
    with (
        store._database.read() as connection,
        connection.cursor(binary=True) as cursor,
    ):
        for vector, terms in cursor.execute(query):
            weights = dict(zip(*unpack_vector(vector), strict=True))
            for term in terms:
                assert maxw[term] >= weights[code_of(term)] * (1 - 1e-6), term


def _check_totals(store: PostgresStore, corpus: Mapping[str, str]) -> None:
    lengths = [count_terms(text).total() for text in corpus.values()]
    status = store.status()
    assert status.worded == len(corpus)
    assert status.average_length == pytest.approx(np.mean(lengths))


def _change_and_delete(
    store: PostgresStore, corpus: Corpus, changes: int, fresh: Sequence[str]
) -> None:
    """Change or add some documents in small batches, then delete a fifth of all."""
    chance = random.Random(7)  # noqa: S311 - as above
    for start in range(0, changes, 50):
        batch = {}
        for number in range(start, min(start + 50, changes)):
            old = chance.random() < 0.7
            path = chance.choice(list(corpus)) if old else f"new/{number}.md"
            batch[path] = fresh[number % len(fresh)] + f" revision{number}"
        _load(store, batch)
        corpus |= batch
    gone = chance.sample(sorted(corpus), len(corpus) // 5)
    assert store.delete_documents(gone) == len(gone)
    for path in gone:
        del corpus[path]


@EVERY_SERVER
def test_scores_equal_bm25s(store: PostgresStore) -> None:
    corpus = _corpus(1200)
    _load(store, corpus)
    _check_scores(store, corpus, _queries(80))
    store.maintain()
    _check_scores(store, corpus, _queries(80))
    _check_frequencies(store, corpus)
    _check_totals(store, corpus)


def test_scores_equal_bm25s_after_changes_and_deletes(store: PostgresStore) -> None:
    corpus = _corpus(800)
    _load(store, corpus)
    _change_and_delete(store, corpus, 200, _texts(1200)[1000:])
    _check_scores(store, corpus, _queries(60))
    _check_frequencies(store, corpus)
    _check_totals(store, corpus)
    merge_deltas(store._database)
    _check_scores(store, corpus, _queries(60))
    _check_frequencies(store, corpus)
    _check_totals(store, corpus)


@pytest.mark.full
@pytest.mark.timeout(900)
def test_scores_equal_bm25s_after_2000_upserts(store: PostgresStore) -> None:
    corpus = _corpus(12_000)
    _load(store, corpus, 2000)
    _change_and_delete(store, corpus, 2000, _texts(14_000)[12_000:])
    _check_scores(store, corpus, _queries(400))
    _check_frequencies(store, corpus)
    store.maintain()
    _check_scores(store, corpus, _queries(400))
    _check_frequencies(store, corpus)
    _check_totals(store, corpus)


def test_merging_in_between_changes_nothing(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maintain, "_MAX_BATCHES", 1)
    corpus = _corpus(120)
    _load(store, corpus, 20)
    _change_and_delete(store, corpus, 60, _texts(200)[150:])
    _check_frequencies(store, corpus)
    _check_totals(store, corpus)
    _check_scores(store, corpus, _queries(20))


def test_average_length_is_pinned_until_it_drifts(store: PostgresStore) -> None:
    short = {f"s/{n}.md": f"brief note number{n}" for n in range(40)}
    _load(store, short)
    pinned = store.status().pinned_length
    assert pinned == pytest.approx(store.status().average_length, rel=0.1)

    corpus = short | _corpus(2)
    _load(store, _corpus(2))
    status = store.status()
    assert status.pinned_length is not None
    assert abs(status.average_length / status.pinned_length - 1) <= 0.15
    corpus |= _corpus(60)
    _load(store, _corpus(60), 10)
    status = store.status()
    assert status.pinned_length is not None
    assert status.pinned_length > 2 * (pinned or 0)
    assert abs(status.average_length / status.pinned_length - 1) <= 0.15
    _check_scores(store, corpus, _queries(30))
    _check_frequencies(store, corpus)


def test_pin_follows_a_shrinking_average(store: PostgresStore) -> None:
    corpus = _corpus(40)
    _load(store, corpus)
    before = store.status().pinned_length or 0
    short = {f"s/{n}.md": f"brief note number{n}" for n in range(200)}
    _load(store, short)
    assert (store.status().pinned_length or 0) < before / 2
    _check_scores(store, corpus | short, [*_queries(20), "brief", "note number7"])
    _check_frequencies(store, corpus | short)


def test_pin_follows_from_the_chunks_and_not_from_their_order(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maintain, "_MAX_DRIFT", 100)  # nothing is done meanwhile
    short = {f"s/{n}.md": f"brief note number{n}" for n in range(100)}
    _load(store, short)
    corpus = short | _corpus(100)
    _load(store, _corpus(100), 30)
    assert store.status().pinned_length != pin_of(store.status().average_length)
    store.settle()
    status = store.status()
    assert status.pinned_length == pin_of(status.average_length)
    _check_scores(store, corpus, _queries(20))
    _check_frequencies(store, corpus)
    store.settle()
    assert store.status() == status


def test_deleted_chunks_leave_no_trace_among_the_last_results(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("outcrop.store.lexical.query._MIN_CANDIDATES", 30)
    monkeypatch.setattr("outcrop.store.lexical.query.MAX_CANDIDATES", 60)
    corpus = _corpus(300)
    _load(store, corpus)
    store.settle()
    queries = [*_queries(20), *_texts(320)[300:]]
    before = [_search_inexactly(store, query) for query in queries]
    # Each says one word and nothing else, which no other chunk does so strongly.
    words = {word for query in queries for word in count_terms(query)}
    _load(store, {f"x/{n}.md": f"{word} " * 40 for n, word in enumerate(sorted(words))})
    store.delete_documents([f"x/{n}.md" for n in range(len(words))])
    store.settle()
    assert [_search_inexactly(store, query) for query in queries] == before


def _search_inexactly(store: PostgresStore, query: str) -> list[Match]:
    """Search as a hybrid search does: only the first results have to be the best."""
    return search_words(store, query, limit=20, exact=1)


@pytest.mark.parametrize("average", [0.0, 1.0, 1.09, 7.0, 68.2, 107.0, 5_000.0])
def test_pin_is_never_far_from_the_average(average: float) -> None:
    assert pin_of(average) == pytest.approx(max(1.0, average), rel=0.1)
    assert pin_of(pin_of(average)) == pin_of(average)


@pytest.mark.parametrize("most", [0, 3_000], ids=["many", "few"])
def test_filter_acts_before_the_limit(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr("outcrop.store.lexical.query.MAX_CANDIDATES", most)
    monkeypatch.setattr("outcrop.store.search_source.MAX_CANDIDATES", most)
    corpus = _corpus(700)
    _load(store, corpus)
    reference = _Reference(corpus, store.status().pinned_length or 1)
    for folder in ("d0", "d3"):
        among = {path for path in corpus if path.startswith(f"{folder}/")}
        restriction = Filter(path_globs=[f"{folder}/*.md"])
        for query in _queries(25):
            expected = reference.scores(query, sorted(among))
            found = search_words(store, query, restriction=restriction)
            assert [m.score for m in found] == pytest.approx(expected, abs=1e-3), query
            paths = {each.path for each in store.get_chunks([m.id for m in found])}
            assert paths <= among


def test_frequent_words_count_less(store: PostgresStore) -> None:
    store.replace_documents(
        [(document(), chunks(["common rare", "common word", "common thing", "common"]))]
    )
    best = search_words(store, "common rare")[0]
    assert store.get_chunk(best.id).content == "common rare"


@pytest.mark.parametrize(
    "query",
    [
        "",
        "   ",
        "the of and",
        "unknownword",
        "' OR 1=1; DROP TABLE chunks; --",
        "a & b | !c <-> (d:*",
        "\\' \\\\ ''",
        "\0\0",
        "%s %(x)s {} {0}",
        "it's 'quoted' don't",
        "☃ 🎉",
        "\ud800",
    ],
)
def test_odd_queries_have_plain_answers(store: PostgresStore, query: str) -> None:
    store.replace_documents([(document(), chunks(["some text", "drop table chunks"]))])
    found = search_words(store, query)
    assert all(match.score > 0 for match in found)
    assert store.status().chunks == 2


def test_very_long_query_is_answered(store: PostgresStore) -> None:
    corpus = _corpus(300)
    _load(store, corpus)
    page = " ".join(_texts(300))[:100_000]
    found = search_words(store, page, limit=5)
    assert len(found) == 5
    assert found == search_words(store, page, limit=5)


def test_limits_are_kept(store: PostgresStore) -> None:
    store.replace_documents(
        [(document(), chunks([f"word{n} shared" for n in range(30)]))]
    )
    assert search_words(store, "shared", limit=0) == []
    assert search_words(store, "shared", limit=-1) == []
    assert len(search_words(store, "shared", limit=7)) == 7
    assert len(search_words(store, "shared", limit=100)) == 30


def test_equal_scores_are_ordered_by_id(store: PostgresStore) -> None:
    store.replace_documents([(document(), chunks([f"shared x{n}" for n in range(50)]))])
    found = search_words(store, "shared", limit=50)
    assert len(found) == 50
    assert [match.id for match in found] == sorted(match.id for match in found)
    assert search_words(store, "shared", limit=10) == found[:10]


def test_terms_can_be_given(store: PostgresStore) -> None:
    store.replace_documents(
        [(document(), [chunk("x", terms={"it's": 1, "back\\slash": 2, "a b": 1})])]
    )
    for term in ("it's", "back\\slash", "a b"):
        assert len(search_words(store, {term: 1})) == 1
    assert search_words(store, {}) == []
    assert search_words(store, {"a": 1}) == []


def test_chunk_with_too_many_terms_keeps_the_most_frequent(
    store: PostgresStore,
) -> None:
    terms = {f"rare{n}": 1 for n in range(20_000)} | {"frequent": 5, "usual": 2}
    huge = chunk("huge", terms=terms)
    small = chunk("small", index=1)
    store.replace_documents([(document(), [huge, small])])
    assert store.status().cut == 1
    assert [m.id for m in search_words(store, {"frequent": 1})] == [huge.id]
    assert [m.id for m in search_words(store, {"usual": 1})] == [huge.id]
    found = sum(
        bool(search_words(store, {f"rare{n}": 1})) for n in range(0, 20_000, 999)
    )
    assert 0 < found < 21
    store.replace_documents([(document(), [small])])
    assert store.status().cut == 0
    assert search_words(store, {"frequent": 1}) == []


def test_chunk_with_too_many_bytes_of_terms_is_cut(store: PostgresStore) -> None:
    terms = {f"{'字' * 600}{n}": 1 for n in range(1500)} | {"found": 9, "я" * 1500: 9}
    store.replace_documents([(document(), [chunk("long", terms=terms)])])
    assert store.status().cut == 1
    assert len(search_words(store, {"found": 1})) == 1
    assert search_words(store, {"я" * 1500: 1}) == []


def test_terms_that_share_a_code_can_be_in_one_chunk(store: PostgresStore) -> None:
    first, second = _terms_with_one_code()
    both = chunk("both", terms={first: 3, second: 1, "other": 1})
    alone = chunk("alone", index=1, terms={second: 1})
    store.replace_documents([(document(), [both, alone])])
    assert {m.id for m in search_words(store, {second: 1})} == {both.id, alone.id}
    assert search_words(store, {first: 1, "other": 1})[0].id == both.id
    store.replace_documents([(document(), [])])
    assert store.status().worded == 0


@cache
def _terms_with_one_code() -> tuple[str, str]:
    seen: dict[int, str] = {}
    for number in count():
        term = f"t{number}"
        code = code_of(term)
        if code in seen:
            return seen[code], term
        seen[code] = term
    raise AssertionError


def test_chunk_without_words_counts_but_is_not_found(store: PostgresStore) -> None:
    store.replace_documents([(document(), chunks(["…", "words here"]))])
    assert store.status().worded == 2
    assert len(search_words(store, "words")) == 1


def _has_index(store: PostgresStore) -> bool:
    with store._database.read() as connection:
        row = connection.execute(
            "SELECT to_regclass('chunk_lex_terms') IS NOT NULL"
        ).fetchone()
    return row == (True,)


def _definitions(store: PostgresStore) -> object:
    with store._database.read() as connection:
        return connection.execute(
            "SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema()"
            " AND indexname IN ('chunk_lex_terms', 'lex_delta_term') ORDER BY 1"
        ).fetchall()


def test_first_load_builds_the_index_at_its_end(store: PostgresStore) -> None:
    before = _definitions(store)
    store.expect_load()
    assert not _has_index(store)
    assert store.lacks_indexes()
    path = "a.md"
    texts = [f"word{n} shared" for n in range(30)]
    chunks = [chunk(text, path, n) for n, text in enumerate(texts)]
    store.replace_documents([(document(path), chunks)])
    found = search_words(store, "word7")
    assert [match.id for match in found] == [chunks[7].id]
    store.maintain()
    assert _has_index(store)
    assert not store.lacks_indexes()
    assert _definitions(store) == before
    assert search_words(store, "word7") == found


def test_weights_of_a_first_load_are_computed_once_at_its_end(
    store: PostgresStore,
) -> None:
    store.expect_load()
    for number, words in enumerate((4, 40, 400)):
        path = f"{number}.md"
        text = " ".join(f"word{n}" for n in range(words))
        store.replace_documents([(document(path), [chunk(text, path, 0)])])
    pinned = store.word_totals().pin
    assert pinned == pytest.approx(4, rel=0.1)
    store.maintain()
    totals = store.word_totals()
    assert totals.is_pinned_to(totals.wanted)
    assert totals.pin == pytest.approx(148, rel=0.1)


def test_a_load_into_a_filled_store_keeps_its_index(store: PostgresStore) -> None:
    store.replace_documents([(document("a.md"), [chunk("some words", "a.md", 0)])])
    store.expect_load()
    assert _has_index(store)
