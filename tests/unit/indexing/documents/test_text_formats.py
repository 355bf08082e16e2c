"""AsciiDoc and Org: titles and blocks are found, and no character is lost."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outcrop.indexing.config import IndexConfig
from outcrop.indexing.documents.formats.asciidoc import read_asciidoc
from outcrop.indexing.documents.formats.org import read_org
from outcrop.indexing.documents.formats.rst import read_plain, read_rst
from outcrop.indexing.documents.prepare import Task, prepare_bytes
from outcrop.markdown.document import MAX_TITLE_CHARS

ASCIIDOC = """\
= Harbour *guide*
:description: Where boats tie up
:keywords: boats, piers

Welcome.

== Piers

[source,ruby]
----
# no heading

== no heading either
----

=== North pier [[north]]

====
An example.

== inside an example
====

## Prices

|===
| a | b

| c | d
|===
"""
ORG = """\
#+TITLE: Harbour guide
#+filetags: :boats:piers:

Welcome.

* TODO [#A] Piers                                   :wood:
#+begin_src org

* no heading
#+END_SRC
** [[https://example.org][North]] ~pier~
Text.
* Prices
"""


def prepare(text, path):
    task = Task(path=path, file=path, kind="text", modified_ns=1)
    return prepare_bytes(task, text.encode(), IndexConfig(max_tokens=40))


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_titles_of_asciidoc_stand_outside_blocks(newline):
    outline = read_asciidoc(ASCIIDOC.replace("\n", newline))
    assert [(title.level, title.text) for title in outline.titles] == [
        (1, "Harbour guide"),
        (2, "Piers"),
        (3, "North pier"),
        (2, "Prices"),
    ]
    assert outline.front_matter.description == "Where boats tie up"
    assert outline.front_matter.keywords == ("boats", "piers")
    assert len(outline.blocks) == 3


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_titles_of_org_stand_outside_blocks(newline):
    outline = read_org(ORG.replace("\n", newline))
    assert [(title.level, title.text) for title in outline.titles] == [
        (1, "Piers"),
        (2, "North pier"),
        (1, "Prices"),
    ]
    assert outline.front_matter.title == "Harbour guide"
    assert outline.front_matter.tags == ("boats", "piers")


def test_the_title_of_an_org_file_heads_its_chunks():
    prepared = prepare(ORG, "guide.org")
    assert prepared.document.title == "Harbour guide"
    assert prepared.document.metadata == {"tags": ["boats", "piers"]}
    assert [c.section_path for c in prepared.chunks] == [
        ("Harbour guide",),
        ("Harbour guide", "Piers"),
        ("Harbour guide", "Piers", "North pier"),
        ("Harbour guide", "Prices"),
    ]
    assert prepared.sections[-1].headings == ("Harbour guide", "Prices")


UNDERLINED = """git-rebase(1)
=============

NAME
----
git-rebase - Reapply commits

[[modes]]
Modes of the command
~~~~~~~~~~~~~~~~~~~~

.Code
-----
not a title
-----

A paragraph
------------
is listed here
------------
"""


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_titles_of_asciidoc_may_be_underlined(newline):
    outline = read_asciidoc(UNDERLINED.replace("\n", newline))
    assert [(title.level, title.text) for title in outline.titles] == [
        (1, "git-rebase(1)"),
        (2, "NAME"),
        (3, "Modes of the command"),
        (2, "A paragraph"),
    ]
    assert len(outline.blocks) == 2


def test_a_listing_right_below_a_longer_line_is_no_title():
    outline = read_asciidoc("Type this command:\n----\nls\n----\n")
    assert not outline.titles
    assert len(outline.blocks) == 1


def test_a_listing_is_not_cut_at_its_blank_lines():
    words = "Some words about piers. " * 6
    text = f"== Piers\n\n{words}\n\n----\none\n\ntwo\n----\n\n{words}\n"
    chunks = [c.content for c in prepare(text, "a.adoc").chunks]
    assert len(chunks) > 1
    assert any("----\none\n\ntwo\n----" in chunk for chunk in chunks)


def test_a_listing_over_the_limit_is_cut_within_the_limit():
    text = "----\n" + "word word word\n\n" * 200 + "----\n"
    chunks = prepare(text, "a.adoc").chunks
    assert len(chunks) > 5
    assert max(c.token_count for c in chunks) <= 80


_LINES = st.sampled_from(
    [
        "= T", "== A", "=== B ===", "# M", "----", "....", "====", "|===", "```rb",
        "```", "--", "[source]", ":keywords: a", "* One", "** Two :tag:", "* TODO",
        "#+begin_src", "#+end_src", "#+BEGIN_quote x", "#+end_quote", "#+title: T",
        "text", "~~~~", "^^^^^", "", "  indent", "\ufeff= Mark", "é漢🙂", "\t", "\x0b", "- item",
    ]
)  # fmt: skip
TEXTS = st.lists(_LINES | st.text(max_size=20), max_size=20).flatmap(
    lambda lines: st.sampled_from(["\n", "\r\n", "\r"]).map(lambda end: end.join(lines))
)


@pytest.mark.parametrize("suffix", ["adoc", "asciidoc", "org", "rst", "txt"])
@given(text=TEXTS)
@settings(deadline=None)
def test_any_text_is_cut_without_loss(suffix, text):
    text = text.encode("utf-8", "replace").decode().replace("\0", "")
    prepared = prepare(text, f"a.{suffix}")
    spans = [(c.start_offset, c.end_offset) for c in prepared.chunks]
    assert spans == sorted(spans)
    assert all(
        text[c.start_offset : c.end_offset] == c.content for c in prepared.chunks
    )
    covered = "".join(c.content for c in prepared.chunks)
    assert "".join(covered.split()) == "".join(text.split())
    for chunk in prepared.chunks:
        lines = [
            text[:at].replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
            for at in (chunk.start_offset, chunk.end_offset)
        ]
        assert lines == [chunk.start_line, chunk.end_line]


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (read_org, "* " + "[#A] ~" * 50_000),
        (read_org, "* " + "[[" * 100_000),
        (read_rst, ":a:" * 100_000 + "\n===="),
        (read_asciidoc, "= a" + "\t " * 100_000 + "x"),
    ],
)
def test_a_hostile_title_takes_linear_time(read, text):
    """At this size, the quadratic patterns of before take minutes."""
    assert len(read(text).titles[0].text) <= MAX_TITLE_CHARS


@pytest.mark.parametrize(
    "markup", [".. module:: harbour", ".. _piers:", "See :ref:`tides`.", ".. note::"]
)
def test_text_with_markup_of_restructured_text_is_read_as_such(markup):
    text = f"Harbour\n=======\n\n{markup}\n\nPiers\n-----\n\nThere are two.\n"
    chunks = prepare(text, "docs/harbour.txt").chunks
    assert [chunk.section_path for chunk in chunks] == [
        ("Harbour",),
        ("Harbour", "Piers"),
    ]
    assert "".join(c.content + c.metadata["gap_after"] for c in chunks) == text


@pytest.mark.parametrize(
    "text",
    [
        "Harbour\n=======\n\nThere are two piers ...\n",
        "Harbour\n=======\n\n.. and so on::\n",
        "Harbour\n=======\n\nAt 12:30:`noon` in std::`name` and ``:ref:`x```.\n",
    ],
)
def test_other_text_has_no_titles(text):
    assert [chunk.section_path for chunk in prepare(text, "notes.txt").chunks] == [()]


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("New ``QuerySet``\\s", "New QuerySets"),
        ("*re*\\ Structured", "reStructured"),
        ("All of \\*args", "All of *args"),
    ],
)
def test_escapes_in_titles_of_rst_are_resolved(title, shown):
    (found,) = read_rst(f"{title}\n{'=' * 40}\n\nText.\n").titles
    assert found.text == shown


def test_text_that_nearly_has_roles_takes_linear_time():
    """At this size, reading on to the end from each colon takes minutes."""
    text = ":a-" * 100_000
    started = time.process_time()
    assert not read_plain(text).titles
    assert time.process_time() - started < 5
