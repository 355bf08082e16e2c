"""Words of a question: their families and their weights."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outcrop.search.names import words_of
from outcrop.search.words import family, other_forms, weigh_words
from outcrop.text.analysis import count_terms


def weigh(text: str, **weights: float):
    return weigh_words(count_terms(text), weights)


def test_words_agree_in_any_form():
    words = weigh("how requests are dispatched", dispatched=3.0, request=1.0)
    assert words.agreement(words_of("dispatchRequest")) == pytest.approx(1.0)
    assert words.share(words_of("dispatcher")) == 1.0
    assert words.agreement(words_of("dispatcher")) < 1.0


def test_a_word_that_is_not_said_weighs_as_the_rarest():
    words = weigh("water and fire", water=2.0, fire=1.0)
    assert words.share(words_of("water earth")) == pytest.approx(0.5)
    assert words.share(words_of("earth")) == 0.0


def test_words_that_no_chunk_holds_weigh_the_same():
    assert set(weigh("unheard words").weights.values()) == {1.0}


def test_a_question_without_words_agrees_with_nothing():
    words = weigh("the of and")
    assert words.agreement(words_of("anything")) == 0.0
    assert words.share(words_of("")) == 0.0


@pytest.mark.parametrize(
    "words",
    [
        "parse parser parsing parsed",
        "dispatch dispatcher dispatched dispatching",
        "validate validator validation validating valid",
        "serialize serializer serialization serialized",
        "render renderer rendering rendered",
        "run running runner",
        "distill distilled distillation",
        "compress compression compressed",
    ],
)
def test_words_of_one_family_have_one_root(words: str):
    assert len({family(word) for word in words.split()}) == 1


@pytest.mark.parametrize("pair", ["use user", "state status", "route rotate"])
def test_other_words_stay_apart(pair: str):
    first, second = pair.split()
    assert family(first) != family(second)


@pytest.mark.parametrize("word", ["get_chunk", "http2", "слово", "für", "id"])
def test_names_and_words_of_other_languages_have_no_other_forms(word: str):
    assert family(word) == word
    assert other_forms(word) == ()


def test_the_forms_of_a_word_are_other_words_of_its_family():
    assert {"dispatch", "dispatcher", "dispatching"} <= set(other_forms("dispatched"))
    assert "distillation" in other_forms("distilled")


@given(st.text(alphabet="abdegilnorst", min_size=1, max_size=12))
def test_forms_are_of_the_family_and_never_the_word_itself(word: str):
    forms = other_forms(word)
    assert word not in forms
    assert len(set(forms)) == len(forms)
    assert all(family(form) == family(word) for form in forms)
