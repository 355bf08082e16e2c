"""Questions to start with."""

from __future__ import annotations

from outcrop.web.search_pages import make_questions


def test_a_heading_that_tells_what_to_do_becomes_a_question():
    headings = ["Install on Linux", "Where is it stored?", "Limits of a search", "Run"]
    assert list(make_questions(headings)) == [
        "how to install on Linux",
        "Where is it stored?",
        "Limits of a search",
        "how to run",
    ]


def test_a_heading_of_several_documents_is_one_question():
    headings = ["Why is it slow?", "Run", "Why is it slow?"]
    assert list(make_questions(headings)) == ["Why is it slow?", "how to run"]
