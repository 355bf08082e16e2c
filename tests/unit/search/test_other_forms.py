"""Which words are looked up for a question."""

from __future__ import annotations

from outcrop.search.question import make_question


def terms(text: str) -> dict[str, int]:
    return dict(make_question(text, limit=1).terms_with_forms)


def test_other_forms_of_a_word_count_a_quarter():
    found = terms("how requests are dispatched")
    assert found["dispatched"] == found["request"] == 4
    assert found["dispatcher"] == found["requesting"] == 1


def test_a_form_that_the_question_says_itself_counts_whole():
    found = terms("parsing what a parser parses")
    assert found["parsing"] == found["parser"] == 4


def test_a_name_has_no_other_forms():
    assert terms("dispatched") == {"dispatched": 1}


def test_a_long_text_has_no_other_forms():
    text = " ".join(f"dispatched{chr(97 + at)}{chr(98 + at)}" for at in range(24)) * 2
    long = f"{text} {' '.join(f'parsing{at}' for at in range(40))}"
    assert set(terms(long)) == set(make_question(long, limit=1).terms)
