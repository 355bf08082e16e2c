"""Plain text is cut exactly, completely and within the limit."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from outcrop.indexing.documents.plain_text import cut_plain_text

TEXTS = st.text(
    st.sampled_from("ab. \n\r\t!é漢字🙂\u0301") | st.characters(codec="utf-8"),
    max_size=300,
)


@given(text=TEXTS, limit=st.integers(1, 40))
def test_every_visible_character_lies_in_one_span_in_order(text, limit):
    spans = cut_plain_text(text, limit, len)
    covered = "".join(text[start:end] for start, end in spans)
    assert "".join(covered.split()) == "".join(text.split())
    assert all(a[1] <= b[0] for a, b in pairwise(spans))


@given(text=TEXTS, limit=st.integers(1, 40))
def test_no_span_is_over_the_limit_or_blank(text, limit):
    for start, end in cut_plain_text(text, limit, len):
        assert 0 < len(text[start:end].strip()) <= end - start <= limit


def test_paragraphs_stay_together_while_they_fit():
    text = "one one\n\ntwo two\n\nthree three three\n"
    pieces = [text[s:e] for s, e in cut_plain_text(text, 20, len)]
    assert pieces == ["one one\n\ntwo two", "three three three"]


def test_a_long_paragraph_is_cut_at_lines_before_sentences():
    text = "First line. More of it\nsecond line of text\nthird line"
    pieces = [text[s:e] for s, e in cut_plain_text(text, 30, len)]
    assert pieces[0] == "First line. More of it"


def test_work_grows_with_the_text_and_not_faster():
    measured = []

    def length(text: str) -> int:
        measured.append(len(text))
        return len(text)

    cut_plain_text("word " * 2_000, 100, length)
    once = sum(measured)
    measured.clear()
    cut_plain_text("word " * 8_000, 100, length)
    assert sum(measured) < 5 * once
