"""How candidates are ranked."""

from __future__ import annotations

import pytest

from outcrop.model.candidate import SectionSpan
from outcrop.search import fusion
from outcrop.search.fusion import Ranking
from outcrop.search.passages import choose_sections, join_parts, parents_of_best
from outcrop.search.question import Question
from outcrop.search.signals import SIGNALS
from outcrop.search.signals.signal import Pool
from outcrop.search.words import weigh_words
from unit.search.candidates import candidate, code

WORDS_ALONE = Ranking(signals=SIGNALS[:1], counts_documents=False)


def fuse(found, *, lexical, vector, terms, term_weights, ranking=None):
    pool = Pool(
        question=Question(text=" ".join(terms), terms=terms, limit=10),
        words=weigh_words(terms, term_weights),
        candidates=[c._replace(lexical=lexical.get(c.id, 0.0)) for c in found],
        nearest=list(vector.values()),
    )
    return fusion.fuse(pool, ranking or Ranking())


def ids(candidates, **given):
    values = {"lexical": {}, "vector": {}, "terms": {}, "term_weights": {}}
    return [r.candidate.id for r in fuse(candidates, **{**values, **given})]


def test_without_other_parts_the_words_decide():
    found = [candidate("a", similarity=0.1), candidate("b", similarity=0.9)]
    order = ids(
        found,
        lexical={"a": 5, "b": 4},
        vector={"b": 0.9, "a": 0.1},
        ranking=WORDS_ALONE,
    )
    assert order == ["a", "b"]


def test_vectors_decide_among_equal_words():
    found = [candidate("a", similarity=0.1), candidate("b", similarity=0.9)]
    order = ids(found, lexical={"a": 5, "b": 5}, vector={"b": 0.9, "a": 0.1})
    assert order == ["b", "a"]


def test_what_only_vectors_found_is_ranked_by_them():
    found = [candidate("a", similarity=0.1), candidate("b", similarity=0.9)]
    assert ids(found, vector={"b": 0.9, "a": 0.1}) == ["b", "a"]


def test_a_heading_that_the_query_names_wins():
    found = [
        candidate("a", section_path=("Tea", "Cups")),
        candidate("b", section_path=("Tea", "Water")),
    ]
    order = ids(
        found,
        lexical={"a": 5, "b": 4.9},
        terms={"water": 1},
        term_weights={"water": 2.0},
    )
    assert order == ["b", "a"]


def test_a_whole_heading_counts_more_than_a_part_of_one():
    found = [
        candidate("a", section_path=("Water and fire and earth",)),
        candidate("b", section_path=("Water",)),
    ]
    parts = {
        r.candidate.id: r.parts["title"]
        for r in fuse(
            found,
            lexical={"a": 5, "b": 5},
            vector={},
            terms={"water": 1},
            term_weights={"water": 2.0},
        )
    }
    assert parts["b"] > parts["a"] > 0


def test_a_document_with_more_matches_lifts_its_chunks():
    found = [
        candidate("a", document_id="x"),
        candidate("b", document_id="y"),
        candidate("c", document_id="y"),
    ]
    asked = dict.fromkeys(["how", "tea", "is", "poured", "into", "cups"], 1)
    assert ids(found, lexical={"a": 5, "b": 4.9, "c": 4.8}, terms=asked)[0] == "b"


def test_a_boost_multiplies_the_score():
    found = [candidate("a"), candidate("b", rank_boost=3.0)]
    ranked = fuse(found, lexical={"a": 5, "b": 4}, vector={}, terms={}, term_weights={})
    assert ranked[0].candidate.id == "b"
    assert ranked[0].score == pytest.approx(3 * sum(ranked[0].parts.values()))


def test_ties_are_in_the_order_of_ids():
    assert ids([candidate("b"), candidate("a")], lexical={"a": 1, "b": 1}) == ["a", "b"]


def test_nothing_is_ranked_of_nothing():
    assert ids([]) == []


def test_a_small_section_stands_for_its_parts_once():
    found = [
        candidate("a", document_id="x", place=3, part=1, parts=3),
        candidate("b", document_id="x", place=2, part=0, parts=3),
        candidate("c", document_id="x", place=9, part=0, parts=40),
        candidate("d", document_id="x", place=1),
    ]
    lexical = {"a": 4, "b": 3, "c": 2, "d": 1}
    ranked = fuse(found, lexical=lexical, vector={}, terms={}, term_weights={})
    ranges = [item.range for item in join_parts(ranked)]
    assert ranges == [("x", 2, 4), ("x", 9, 9), ("x", 1, 1)]


def ranked_children(*tokens: int):
    found = [
        candidate(f"c{at}", document_id="x", parent_id="p", place=at + 1, token_count=n)
        for at, n in enumerate(tokens)
    ]
    lexical = {c.id: 10.0 - at for at, c in enumerate(found)}
    return fuse(found, lexical=lexical, vector={}, terms={}, term_weights={})


def span(tokens: int, last: int) -> SectionSpan:
    return SectionSpan("p", "x", 0, last, tokens, ("A",))


def test_a_section_stands_for_several_of_its_subsections():
    ranked = ranked_children(100, 100)
    assert parents_of_best(ranked) == ["p"]
    chosen = choose_sections(ranked, [span(300, 3)])
    joined = join_parts(ranked, chosen)
    assert [(item.id, item.range) for item in joined] == [("p", ("x", 0, 3))]


def test_a_large_section_stands_for_nothing():
    ranked = ranked_children(400, 400)
    assert choose_sections(ranked, [span(900, 3)]) == {}


def test_a_section_of_which_little_was_found_stands_for_nothing():
    ranked = ranked_children(50, 50)
    assert choose_sections(ranked, [span(300, 9)]) == {}


def test_one_subsection_stands_for_itself():
    ranked = ranked_children(100)
    assert parents_of_best(ranked) == []
    assert [item.id for item in join_parts(ranked)] == ["c0"]


def test_a_section_whose_others_match_badly_stands_for_nothing():
    found = [
        candidate(f"c{at}", document_id="x", parent_id="p", place=at + 1)
        for at in range(3)
    ]
    lexical = {"c0": 10.0, "c1": 1.0, "c2": 1.0}
    ranked = fuse(found, lexical=lexical, vector={}, terms={}, term_weights={})
    assert choose_sections(ranked, [span(30, 3)]) == {}


def test_the_parts_add_up_to_the_score_also_of_what_stands_aside():
    found = [
        code("boil"),
        code("test_boil", path="tests/test_boil.py"),
        candidate("a", rank_boost=1.5, section_path=("Boil",)),
    ]
    ranked = fuse(
        found,
        lexical={"boil": 5, "test_boil": 9, "a": 3},
        vector={},
        terms={"boil": 1},
        term_weights={"boil": 2.0},
    )
    assert {item.candidate.id for item in ranked} == {"boil", "test_boil", "a"}
    for item in ranked:
        expected = sum(item.parts.values()) * item.candidate.rank_boost
        assert item.score == pytest.approx(expected)
