"""Searches over a library in memory."""

from __future__ import annotations

from dataclasses import replace

import pytest

from outcrop.errors import NotFoundError, SchemaVersionError
from outcrop.model.embedder_identity import EmbedderIdentity
from outcrop.search.neighbours import find_related
from outcrop.search.question import make_filter, make_question
from outcrop.search.relations import read_expansion
from outcrop.search.searcher import search
from unit.search.library import EMBEDDER, make_library

LIBRARY = make_library()


def ask(text, *, limit=10, source=None, embedder=EMBEDDER, expand=None, **given):
    mode = given.pop("mode", "hybrid")
    question = make_question(
        text, limit=limit, mode=mode, restriction=make_filter(**given), expand=expand
    )
    return search((source or LIBRARY.source()).open, question, embedder)


def names(hits):
    return LIBRARY.names([hit.id for hit in hits])


def test_the_chunk_that_answers_comes_first():
    assert names(ask("how are cards debited"))[0] == "paying"
    assert names(ask("what does a glass cup show"))[0] == "cups, second"


def test_the_definition_of_a_name_comes_first():
    assert names(ask("charge"))[0] == "charge"
    assert names(ask("Order"))[0] == "Order"


def test_tests_rank_below_what_they_test():
    found = names(ask("charge the customer when an order is placed", kind="code"))
    assert found.index("place, first") < found.index("test")


def test_a_section_replaces_its_subsections_if_both_match():
    best = ask("green tea water minutes")[0]
    assert LIBRARY.names([best.id]) == ["brewing"]
    assert LIBRARY.names(best.parts) == ["water", "time"]
    assert best.document_summary == "How tea is brewed."


def test_the_parts_of_a_split_section_become_one_hit():
    hits = [hit for hit in ask("cups of porcelain and glass") if "cups.md" in hit.path]
    assert [LIBRARY.names(hit.parts) for hit in hits] == [
        ["cups, first", "cups, second"]
    ]
    assert hits[0].content == (
        "A cup of porcelain keeps the tea warm.\nA cup of glass shows its colour."
    )


def test_words_alone_need_no_vectors():
    bare = replace(LIBRARY.source(), identity=None)
    assert names(ask("debited", mode="text", source=bare)) == ["paying"]
    assert ask("debited", source=bare) == []


def test_vectors_alone_find_what_shares_no_word():
    assert names(ask("purchase", mode="vector", kind="doc"))[0] == "paying"
    assert ask("money", mode="text") == []


def test_a_boost_multiplies_the_score():
    (hit,) = ask("debited", mode="text")
    assert hit.score == pytest.approx(1.5 * hit.scores["lexical"])


def test_callees_of_the_best_gain_from_it():
    assert all("graph" not in hit.scores for hit in ask("ship the order"))
    hits = ask("place an order", limit=5, expand="calls")
    gained = {LIBRARY.names([hit.id])[0] for hit in hits if hit.scores["graph"] > 0}
    assert "charge" in gained


def test_filters_apply_before_the_limit():
    assert names(ask("tea", limit=1, path_glob="notes/**")) == ["todo"]


def test_vectors_of_another_model_are_rejected():
    other = EmbedderIdentity(name="other", dimension=3)
    with pytest.raises(SchemaVersionError, match="built with embedder 'other'"):
        ask("tea", source=replace(LIBRARY.source(), identity=other))


def relate(name, expand="all", limit=10):
    found = find_related(LIBRARY.source().open, name, read_expansion(expand), limit)
    return [(LIBRARY.names([item.hit.id])[0], str(item.relation)) for item in found]


def test_callers_callees_and_mentions_are_related_to_a_symbol():
    assert relate("place") == [("charge", "callee"), ("test", "caller")]
    assert relate("shop.money.charge") == [
        ("place, first", "caller"),
        ("paying", "mention"),
    ]


def test_what_is_related_is_sorted_by_how_certain_it_is():
    found = find_related(
        LIBRARY.source().open, "shop.money.charge", read_expansion("all"), 10
    )
    certain = [item.confidence for item in found]
    assert certain == sorted(certain, reverse=True)
    assert len(set(certain)) > 1


def test_a_chunk_of_a_document_is_related_to_what_it_mentions():
    assert relate(LIBRARY.id("paying")[:10]) == [("charge", "mention")]


def test_an_unknown_symbol_is_reported():
    with pytest.raises(NotFoundError, match="'nothing'"):
        relate("nothing")


@pytest.mark.parametrize("nonsense", ["zzzqqqxxy", "xkcdzz", "qwertzuiop blarg"])
def test_made_up_words_find_nothing(nonsense):
    assert ask(nonsense) == []


def test_a_question_without_a_common_word_finds_by_meaning():
    # "How does one pay with a card?" in German; the library is in English.
    assert names(ask("Wie bezahlt man mit einer Kreditkarte?"))
