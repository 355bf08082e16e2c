"""Words in memory: the same chunks and scores as a scan of all chunks gives."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from outcrop.model.candidate import LexicalQuery, Match
from outcrop.store.lexical import postings
from outcrop.store.lexical.postings import PostingLists, PostingsBuilder
from outcrop.store.lexical.query import WeighedTerm, WordSearch, find_best
from outcrop.store.lexical.weights import code_of, pack_postings
from unit.store.ranker import Ranker, make_terms

TERMS = ("a", "b", "c", "d", "e")


def _ids(count: int) -> list[str]:
    return [f"{number:016x}" for number in range(count)]


def _build(counts: list[dict[str, int]], page: int = 3) -> PostingLists | None:
    """Return the lists of chunks that contain terms so often."""
    vectors = [row[1] for row in pack_postings(counts, 10.0).rows]
    builder = PostingsBuilder(Counter(term for terms in counts for term in terms))
    for start in range(0, len(counts), page):
        part = slice(start, start + page)
        assert builder.add(_ids(len(counts))[part], vectors[part])
    return builder.build(is_fused=False)


def _counts(number: int, seed: int) -> list[dict[str, int]]:
    chance = random.Random(seed)  # noqa: S311 - the same chunks every time
    return [
        {term: chance.randint(1, 5) for term in TERMS if chance.random() < share}
        for share in [chance.uniform(0.05, 0.9) for _ in range(number)]
    ]


@pytest.mark.parametrize("is_pure", [False, True])
@pytest.mark.parametrize("is_fused", [False, True])
def test_scores_are_sums_in_the_order_of_codes(
    *, is_pure: bool, is_fused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_pure:
        monkeypatch.setattr(postings, "NATIVE", None)
    counts = _counts(200, 1)
    vectors = [row[1] for row in pack_postings(counts, 10.0).rows]
    builder = PostingsBuilder(df := Counter(t for terms in counts for t in terms))
    assert builder.add(_ids(200), vectors)
    lists = builder.build(is_fused=is_fused)
    assert lists is not None
    weights = {term: 1.1 + at for at, term in enumerate(TERMS)}
    scored = lists.score(weights, df)
    assert scored is not None
    stored = pack_postings(counts, 10.0)
    assert stored.df == df
    expected = []
    exact = np.float64 if is_fused else np.float32
    for number, terms in enumerate(counts):
        total = np.float32(0)
        for term in sorted(terms, key=code_of):
            one = _weight(terms, term)
            product = exact(one) * exact(np.float32(weights[term]))
            total = np.float32(exact(total) + product)
        expected.append(Match(_ids(200)[number], float(total)))
    expected = [match for match in expected if match.score]
    expected.sort(key=lambda match: (-match.score, match.id))
    assert scored.best_with(TERMS, 1000) == expected
    threshold = expected[20].score
    above = [match for match in expected if match.score >= threshold]
    assert scored.best_above(threshold, 1000) == above
    assert scored.best_above(threshold, 7) == expected[:7]


def _weight(terms: dict[str, int], term: str) -> np.float32:
    """Return the weight of a term that is stored for a chunk."""
    alone = pack_postings([terms], 10.0)
    return np.float32(alone.maxw[term])


@pytest.mark.parametrize("seed", range(20))
def test_the_lists_give_what_the_scans_find(seed: int) -> None:
    counts = _counts(500, seed)
    lists = _build(counts, page=50)
    assert lists is not None
    df = Counter(term for terms in counts for term in terms)
    chunks = [{term: float(_weight(terms, term)) for term in terms} for terms in counts]
    terms = make_terms(chunks, TERMS)
    assert {term.text: term.df for term in terms} == dict(df)
    for exact in (None, 3):
        query = LexicalQuery(dict.fromkeys(TERMS, 1), 5, exact)
        found = WordSearch(query, terms, few=False)
        assert found.find_in(lists)
        expected = find_best(Ranker(chunks, terms), WordSearch(query, terms, few=False))
        assert [int(m.id, 16) for m in found.result()] == [int(m.id) for m in expected]


def test_a_code_of_two_terms_is_left_to_the_database(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    codes_of = {"a": 7, "b": 7, "c": 8}
    monkeypatch.setattr(postings, "code_of", lambda term: codes_of.get(term, 9))
    builder = PostingsBuilder({"a": 2, "b": 2, "c": 1})
    vectors = [
        (np.array([10, count, 0, *codes], ">i4").tobytes())
        + np.ones(count, ">f4").tobytes()
        for count, codes in ((1, [7]), (1, [7]), (2, [7, 8]))
    ]
    assert builder.add(_ids(3), vectors)
    lists = builder.build(is_fused=False)
    assert lists is not None
    assert lists.score({"a": 1.0}, {"a": 2}) is None
    assert lists.score({"b": 1.0, "c": 1.0}, {"b": 2, "c": 1}) is None
    scored = lists.score({"c": 1.0}, {"c": 1})
    assert scored is not None
    assert scored.best_with(["c"], 5) == [Match(_ids(3)[2], 1.0)]
    assert lists.score({"unknown": 1.0}, {"unknown": 1}) is None


def test_the_words_of_single_chunks_are_known() -> None:
    counts = _counts(40, 3)
    lists = _build(counts)
    df = Counter(term for terms in counts for term in terms)
    assert lists is not None
    scored = lists.score(dict.fromkeys(df, 1.5), df)
    assert scored is not None
    ids = [_ids(40)[number] for number in (7, 39, 0, 20)]
    found = scored.of_chunks([*ids, f"{99:016x}"], ["e", "b", "unknown"])
    expected = {match.id: match.score for match in scored.best_with(TERMS, 40)}
    assert [score for score, _ in found] == [
        *(expected.get(each, 0.0) for each in ids),
        0.0,
    ]
    contained = [tuple(t for t in "eb" if t in counts[int(each, 16)]) for each in ids]
    assert [terms for _, terms in found] == [*contained, ()]


def test_rows_that_do_not_fit_the_counts_are_refused() -> None:
    vectors = [row[1] for row in pack_postings([{"a": 1}, {"a": 2}], 10.0).rows]
    assert not PostingsBuilder({"b": 2}).add(_ids(2), vectors)
    assert not PostingsBuilder({"a": 1}).add(_ids(2), vectors)
    builder = PostingsBuilder({"a": 3})
    assert builder.add(_ids(2), vectors)
    assert builder.build(is_fused=False) is None


def test_an_empty_index_has_empty_lists() -> None:
    lists = PostingsBuilder({}).build(is_fused=False)
    assert lists is not None
    assert lists.score({"a": 1.0}, {"a": 1}) is None
    scored = lists.score({}, {})
    assert scored is not None
    assert scored.of_chunks(_ids(2), ["a"]) == [(0.0, ())] * 2


def test_postings_outside_of_the_chunks_are_an_error() -> None:
    native = postings.NATIVE
    if native is None:
        pytest.skip("the module in C is not built")
    one = np.ones(1, np.float32)
    start, end = np.zeros(1, np.int64), np.ones(1, np.int64)
    for places, last in ((5, end), (0, end + 1)):
        place = np.full(1, places, np.int32)
        sums = np.zeros(2, np.float32)
        with pytest.raises(ValueError, match="do not fit"):
            native.add_postings(place, one, start, last, one, False, sums)  # noqa: FBT003 - C has no names


def test_weighed_terms_of_a_query_are_found() -> None:
    lists = _build([{"a": 1}, {"a": 3, "b": 1}, {"b": 1}])
    assert lists is not None
    term = WeighedTerm(text="a", df=2, weight=1.0, bound=1.0, chunks=3)
    search = WordSearch(LexicalQuery({"a": 1}, 5), [term], few=False)
    assert search.find_in(lists)
    assert [match.id for match in search.result()] == [_ids(3)[1], _ids(3)[0]]
