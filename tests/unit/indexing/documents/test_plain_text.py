"""Plain text is cut exactly, completely and within the limit."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outcrop.indexing.config import IndexConfig
from outcrop.indexing.documents.formats.document_text import TextSection
from outcrop.indexing.documents.formats.rst import read_rst
from outcrop.indexing.documents.prepare import Task, prepare_bytes
from outcrop.indexing.documents.text_chunks import cut_plain_text


def find_sections(text):
    return read_rst(text).sections(text)


TEXTS = st.text(
    st.sampled_from("ab. \n\r\t!é漢字🙂\u0301") | st.characters(codec="utf-8"),
    max_size=300,
)

GUIDE = """\
.. module:: tea

Tea
===

About tea.

Kinds
-----

Green
~~~~~

Steep it short.

Tools
-----

A pot::

    not a title
    -----------
"""


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


def test_a_block_over_the_limit_is_cut_at_blank_lines_before_others():
    text = "one\n two\n\none\n two\n"
    spans = cut_plain_text(text, 15, len, [(0, len(text))])
    assert [text[start:end] for start, end in spans] == ["one\n two", "one\n two"]


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


def test_the_first_mark_is_the_outermost_level():
    assert [section.headers for section in find_sections(GUIDE)] == [
        (),
        ("Tea",),
        ("Tea", "Kinds", "Green"),
        ("Tea", "Tools"),
    ]


def test_a_title_without_text_belongs_to_the_next():
    section = find_sections(GUIDE)[2]
    assert GUIDE[section.start : section.end].startswith("Kinds\n-----\n\nGreen\n")


def test_a_line_above_makes_another_level():
    text = "====\nBook\n====\n\nOne\n====\n\ntext\n\n=====\nOther\n=====\n\nmore\n"
    assert [s.headers for s in find_sections(text)] == [("Book", "One"), ("Other",)]


def test_markup_is_left_out_of_titles():
    text = (
        ":mod:`json` --- a *small* ``codec``\n===================================\n\nx"
    )
    assert find_sections(text)[0].headers == ("json --- a small codec",)
    text = ":class:`~tea.Pot <pots>` of :ref:`tea <all-tea>`\n" + "=" * 50 + "\n\nx"
    assert find_sections(text)[0].headers == ("tea.Pot of tea",)


def test_tables_transitions_and_short_lines_are_no_titles():
    for text in (
        "=====  =====\nA      B\n=====  =====\n1      2\n=====  =====\n",
        "text\n\n-----\n\nmore\n",
        "A sentence of many words\n--\n",
        "two lines\nof text\n--------\n",
    ):
        assert [section.headers for section in find_sections(text)] == [()]


def test_line_ends_of_all_kinds_are_understood():
    for newline in ("\n", "\r\n", "\r"):
        found = find_sections(GUIDE.replace("\n", newline))
        assert [section.headers[-1:] for section in found][1:] == [
            ("Tea",),
            ("Green",),
            ("Tools",),
        ]


@given(st.text(st.sampled_from("ab =-~\n\r\t`:é"), max_size=200))
def test_sections_cover_the_text_once_in_order(text):
    found = find_sections(text)
    assert found[0].start == 0
    assert found[-1].end == len(text)
    assert all(a.end == b.start for a, b in pairwise(found))


def test_chunks_of_a_document_stand_under_their_titles():
    task = Task(path="tea.rst", file="tea.rst", kind="text", modified_ns=0)
    prepared = prepare_bytes(task, GUIDE.encode(), IndexConfig())
    assert prepared.document is not None
    assert prepared.document.title == "Tea"
    assert [tuple(chunk.section_path) for chunk in prepared.chunks] == [
        (),
        ("Tea",),
        ("Tea", "Kinds", "Green"),
        ("Tea", "Tools"),
    ]
    assert all(
        GUIDE[chunk.start_offset : chunk.end_offset] == chunk.content
        for chunk in prepared.chunks
    )


@pytest.mark.parametrize("above", ["", "=====\n"])
def test_a_byte_order_mark_is_no_part_of_a_title(above):
    text = f"\ufeff{above}Title\n=====\n\nText.\n"
    assert find_sections(text) == [TextSection(0, len(text), ("Title",))]


def test_code_and_tables_of_rst_are_not_cut_at_blank_lines():
    text = (
        "Tea\n===\n\nBoil the water well before pouring it::\n\n"
        "    boil()\n\n    pour()\n\n"
        ".. note::\n\n   Careful.\n\n   Hot.\n\n"
        "- item\n\n  .. list-table::\n     :header-rows: 1\n\n     * - a\n       - b\n\n"
        "after\n\n.. a comment::\n\n.. code-block:: python\n\nno code\n"
    )
    blocks = [text[start:end] for start, end in read_rst(text).blocks]
    assert blocks == [
        "Boil the water well before pouring it::\n\n    boil()\n\n    pour()\n",
        "  .. list-table::\n     :header-rows: 1\n\n     * - a\n       - b\n",
    ]


def test_a_chunk_ends_before_code_of_rst_that_would_not_fit():
    code = ".. code:: sh\n\n    boil water\n\n    pour water\n\n    drink tea"
    text = f"{'Tea is hot. ' * 5}\n\n{code}\n"
    task = Task(path="tea.rst", file="tea.rst", kind="text", modified_ns=0)
    chunks = prepare_bytes(task, text.encode(), IndexConfig(max_tokens=16)).chunks
    assert chunks[-1].content == code
