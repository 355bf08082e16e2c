"""Templates escape everything, and show what has no shape."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from outcrop.model.stored import Document
from outcrop.presentation.text import visible
from outcrop.web.pages import local
from outcrop.web.render import ago, count, environment, inline_code, size_in_words


def test_templates_escape_what_they_print():
    template = environment().from_string('<p title="{{ text }}">{{ text }}</p>')
    shown = template.render(text="<script>'\"&")
    assert (
        shown
        == '<p title="&lt;script&gt;&#39;&#34;&amp;">&lt;script&gt;&#39;&#34;&amp;</p>'
    )


def test_no_template_prints_anything_unescaped():
    for name in environment().list_templates():
        source = environment().loader.get_source(environment(), name)[0]
        assert "safe" not in source.replace("unsafe", ""), name
        assert "autoescape" not in source, name
        assert "<script>" not in source, name
        assert " style=" not in source, name
        assert "http" not in source.replace("http_", ""), name


def test_what_has_no_shape_is_made_visible():
    assert visible("a\x00b\x1b[31m\tc\nd\u202e\ud800") == "a␀b␛[31m\tc\nd\ufffd?"


@pytest.mark.parametrize(
    ("number", "noun", "expected"),
    [
        (1, "chunk", "1 chunk"),
        (1204, "chunk", "1,204 chunks"),
        (2, "branch", "2 branches"),
    ],
)
def test_numbers_come_with_their_noun(number, noun, expected):
    assert count(number, noun) == expected


def test_sizes_and_times_are_for_people():
    assert [size_in_words(size) for size in (None, 12, 3400, 5_600_000)] == [
        "",
        "12 B",
        "3.4 kB",
        "5.6 MB",
    ]
    now = datetime.now(UTC)
    assert ago(None) == ""
    assert ago(now) == "just now"
    assert ago(now - timedelta(minutes=5)) == "5 minutes ago"
    assert ago(now - timedelta(hours=1, minutes=5)) == "1 hour ago"
    assert ago(now - timedelta(days=3)) == "3 days ago"


@pytest.mark.parametrize("target", ["//a", "/\\a", "https://a", "a", "", "/a\nb"])
def test_only_paths_of_this_server_are_followed(target):
    assert local(target) == "/"
    assert local("/documents?q=a") == "/documents?q=a"


def test_what_is_in_backticks_is_code_and_everything_is_escaped():
    assert inline_code("a `<b>` & c") == "a <code>&lt;b&gt;</code> &amp; c"
    assert inline_code("a ` <b>") == "a ` &lt;b&gt;"


@pytest.mark.parametrize(
    ("kind", "places"),
    [("html", "lines of the file"), ("notebook", "cells"), ("markdown", "")],
)
def test_a_document_that_was_converted_says_what_its_numbers_count(kind, places):
    head = environment().get_template("document_head.html")
    page = head.render(
        document=Document(path="a", kind=kind, fingerprint="f"), is_markdown=True
    )
    assert (f"search results name {places}." in page) == bool(places)
    assert ("extracted text" in page) == bool(places)
