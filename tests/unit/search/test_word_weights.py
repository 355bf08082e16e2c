"""How much the words of a question count."""

from __future__ import annotations

import pytest

from outcrop.search.names import words_of
from outcrop.search.word_weights import weigh_words
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
