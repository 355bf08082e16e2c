"""Sections and documents are found by their chunks and ranked by all they have."""

from __future__ import annotations

import pytest

from outcrop.errors import InputError
from outcrop.search.question import Unit, make_filter, make_question
from outcrop.search.searcher import search
from unit.search.library import EMBEDDER, make_library

LIBRARY = make_library()


def ask(text, *, limit=10, mode="hybrid", unit=None, max_hit_tokens=1000, **filters):
    question = make_question(
        text,
        limit=limit,
        mode=mode,
        restriction=make_filter(**filters),
        unit=unit,
        max_hit_tokens=max_hit_tokens,
    )
    return search(LIBRARY.source().open, question, EMBEDDER)


def test_row_4_35_the_section_that_answers_comes_first():
    best = ask("green tea wants water at eighty degrees", unit="section")[0]
    assert (best.heading, best.depth, best.unit) == ("Water", 2, "section")
    assert best.headers == ("Brewing", "Water")
    assert (best.order, best.start_line, best.end_line) == (1, 11, 12)
    assert best.parent_id is not None
    assert LIBRARY.names(list(best.matches)) == ["water"]
    assert (best.summary, best.document_summary) == (
        "About Water.",
        "How tea is brewed.",
    )


def test_row_4_35_a_section_has_the_text_of_all_its_chunks():
    best = ask("cups of porcelain and glass", unit="section")[0]
    assert best.heading == "Cups"
    assert best.content == (
        "A cup of porcelain keeps the tea warm.\nA cup of glass shows its colour."
    )
    assert set(LIBRARY.names(list(best.matches))) == {"cups, first", "cups, second"}
    assert {"chunks", "lexical", "vector"} == best.scores.keys()
    assert sum(best.scores.values()) == pytest.approx(best.score)


@pytest.mark.parametrize("mode", ["text", "vector"])
def test_row_4_35_one_signal_ranks_sections_by_their_own(mode):
    hits = ask("green tea and water", unit="section", mode=mode)
    assert [hit.score for hit in hits] == sorted((h.score for h in hits), reverse=True)
    assert hits[0].scores.keys() == {"lexical" if mode == "text" else "vector"}


def test_row_4_35_the_text_is_cut_to_the_budget():
    best = ask("cups of porcelain and glass", unit="section", max_hit_tokens=6)[0]
    assert best.is_cut
    assert best.content == "A cup of porcelain keeps the"
    assert best.token_count == 15


def test_row_2_50_depth_0_finds_documents():
    best = ask("green tea wants water at eighty degrees", depth=0)[0]
    assert (best.unit, best.path, best.depth) == ("document", "docs/tea.md", 0)
    assert best.document_summary == "How tea is brewed."
    assert set(LIBRARY.names(list(best.matches))) == {"water", "time"}


def test_row_2_50_depth_1_finds_the_section_around_the_match():
    best = ask("green tea wants water at eighty degrees", depth=1)[0]
    assert (best.unit, best.heading, best.depth) == ("section", "Brewing", 1)
    assert "eighty degrees" in best.content
    assert "four minutes" in best.content
    assert set(LIBRARY.names(list(best.matches))) == {"water", "time"}


def test_row_2_50_a_range_of_depths_finds_the_innermost():
    best = ask("green tea wants water at eighty degrees", depth=(1, 2))[0]
    assert best.heading == "Water"


def test_chunks_of_a_level_are_found_on_request():
    hits = ask("green tea and water", depth=2, unit="chunk")
    assert {hit.unit for hit in hits} == {"chunk"}
    assert {hit.level for hit in hits} == {2}


def test_code_has_levels_but_no_sections():
    hits = ask("charge the customer", depth=2, kind="code")
    assert {hit.unit for hit in hits} == {"chunk"}
    assert ask("charge the customer", unit="section", kind="code") == []


def test_documents_of_code_are_found_too():
    best = ask("charge", unit="document")[0]
    assert (best.path, best.source) == ("shop/money.py", "code")


@pytest.mark.parametrize(
    "section", ["Brewing/Water", "water", "WATER", "/brewing/ water"]
)
def test_a_heading_restricts_the_search(section):
    hits = ask("green tea", section=section)
    assert LIBRARY.names([hit.id for hit in hits]) == ["water"]


def test_a_heading_restricts_to_everything_below_it():
    hits = ask("tea", section="brewing", unit="section")
    assert {hit.heading for hit in hits} == {"Water", "Time"}
    assert ask("tea", section="brew") == []


def test_a_section_without_a_name_is_refused():
    with pytest.raises(InputError, match="section ' / ' does not name a heading"):
        make_filter(section=" / ")


def test_an_unknown_unit_is_refused_with_those_there_are():
    with pytest.raises(InputError, match="chunk, section, document"):
        make_question("x", limit=1, unit="page")
    assert make_question("x", limit=1).unit is Unit.CHUNK


def test_a_budget_of_nothing_is_refused():
    with pytest.raises(InputError, match="max_hit_tokens is 0"):
        make_question("x", limit=1, unit="section", max_hit_tokens=0)
