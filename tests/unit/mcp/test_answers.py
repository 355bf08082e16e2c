"""Answers are cut to what fits, where it reads best."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from outcrop.mcp.answers import make_snippet
from outcrop.text.boundaries import cut_to_tokens
from outcrop.text.tokens import TokenCounter

count = TokenCounter()
TEXTS = st.text(alphabet="ab .\n語é\u0301👩\u200d🔬", max_size=300)


@settings(deadline=None)  # the first call loads the tokenizer
@given(TEXTS, st.integers(0, 60))
def test_a_cut_text_is_a_beginning_that_fits(text, budget):
    piece, tokens = cut_to_tokens(text, budget, count)
    assert text.startswith(piece)
    assert tokens == count(piece) <= budget
    assert piece == text or count(text) > budget or not budget


def test_a_text_that_fits_is_not_touched():
    assert cut_to_tokens(" as it is \n", 10, count) == (
        " as it is \n",
        count(" as it is \n"),
    )


def test_a_cut_is_at_the_end_of_a_line():
    text = "first line of it\nsecond line of it\nthird line of it\n"
    piece, _ = cut_to_tokens(text, 12, count)
    assert piece == "first line of it\nsecond line of it"


def test_the_cost_is_that_of_what_fits():
    counted = []

    def measure(text: str) -> int:
        counted.append(len(text))
        return count(text)

    cut_to_tokens("word " * 1_000_000, 100, measure)
    assert max(counted) <= 1_000
    assert len(counted) < 20


@given(TEXTS, st.lists(st.integers(0, 299), max_size=8), st.integers(30, 120))
def test_a_snippet_is_a_short_stretch_of_the_text(text, starts, length):
    marks = [(at, at + 1) for at in sorted(set(starts)) if at < len(text)]
    snippet = make_snippet(text, marks, length)
    assert len(snippet) <= length + 4
    bare = snippet.removeprefix("… ").removesuffix(" …")
    assert bare in text


def test_a_snippet_shows_where_most_words_are():
    text = "one " + "blah " * 50 + "the deep north quay is deep" + " blah" * 50
    words = ("one", "deep", "north", "quay")
    marks = [(text.index(word), text.index(word) + len(word)) for word in words]
    snippet = make_snippet(text, sorted(marks), 60)
    assert "deep north quay" in snippet
    assert snippet.startswith("… ")
    assert snippet.endswith(" …")


def test_a_short_text_is_its_own_snippet():
    assert make_snippet("\nshort\n", [], 100) == "short"
