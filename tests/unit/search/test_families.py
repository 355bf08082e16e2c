"""Words of one family."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outcrop.search.families import family, other_forms


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
