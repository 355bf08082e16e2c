"""What a question says."""

from __future__ import annotations

import pytest

from outcrop.search.asked import is_symbol, read_question, spelled_out, words_of
from outcrop.text.analysis import count_terms


def ask(text: str, **weights: float):
    return read_question(text, count_terms(text), weights)


@pytest.mark.parametrize(
    "text", ["parse", "JsonWriter", "get_chunk", "Store.get", "a::b::C", "f(int, str)"]
)
def test_a_name_is_a_symbol(text: str):
    assert is_symbol(text)


@pytest.mark.parametrize("text", ["how is it parsed", "json writer", "2 cups", "a, b"])
def test_a_sentence_is_no_symbol(text: str):
    assert not is_symbol(text)


def test_names_inside_a_sentence_are_found():
    asked = ask("How does JsonWriter.flush call `close` and write_all in HTTP?")
    assert asked.names == (("JsonWriter", "flush"), ("close",), ("write_all",))


def test_a_symbol_is_asked_for_by_its_last_name():
    assert ask("crate::de::Visitor(int)").names == (("crate", "de", "Visitor"),)


def test_words_agree_in_any_form():
    asked = ask("how requests are dispatched", dispatched=3.0, request=1.0)
    assert asked.agreement(words_of("dispatchRequest")) == pytest.approx(1.0)
    assert asked.share(words_of("dispatcher")) == 1.0
    assert asked.agreement(words_of("dispatcher")) < 1.0


def test_a_word_that_is_not_said_weighs_as_the_rarest():
    asked = ask("water and fire", water=2.0, fire=1.0)
    assert asked.share(words_of("water earth")) == pytest.approx(0.5)
    assert asked.share(words_of("earth")) == 0.0


def test_words_that_no_chunk_holds_weigh_the_same():
    assert set(ask("unheard words").weights.values()) == {1.0}


def test_a_question_without_words_agrees_with_nothing():
    asked = ask("the of and")
    assert asked.agreement(words_of("anything")) == 0.0
    assert asked.share(words_of("")) == 0.0


def test_a_name_is_spelled_out():
    assert spelled_out("HTTPServer get_all") == "http server get all"
