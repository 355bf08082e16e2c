"""Headings without text are no hits of their own; their words are found after them."""

from __future__ import annotations

import time

import pytest

from outcrop.indexing.config import IndexConfig
from outcrop.indexing.documents.prepare import Task, prepare_bytes

OVERLOADS = """# HTTP

Requests and answers.

## `http.get(options)`

## `http.get(url)`

Sends a request.
"""


def chunks_of(text: str, path: str = "guide.md", kind: str = "markdown"):
    task = Task(path=path, file=path, kind=kind, modified_ns=1)
    return prepare_bytes(task, text.encode(), IndexConfig(max_tokens=40)).chunks


def searchable(text: str, path: str = "guide.md", kind: str = "markdown") -> list[str]:
    """Return the texts of the chunks that search can find."""
    chunks = chunks_of(text, path, kind)
    return [chunk.content.strip() for chunk in chunks if chunk.indexable]


def test_a_heading_before_its_sibling_is_found_by_the_section_after_it():
    chunks = chunks_of(OVERLOADS)
    by_text = {chunk.content.strip(): chunk for chunk in chunks if chunk.is_leaf}
    bare = by_text["## `http.get(options)`"]
    described = by_text["## `http.get(url)`\n\nSends a request."]
    assert (bare.indexable, dict(bare.terms)) == (False, {})
    assert described.indexable
    assert "option" in described.terms


@pytest.mark.parametrize(
    "heading",
    [
        "## Next",
        "Next\n----",
        "### Next ###",
        "##",
        "   ## Next",
        "## Next\n\n## After",
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_heading_at_the_end_is_not_found(heading: str, end: str):
    text = f"# Guide\n\nSome text.\n\n{heading}\n".replace("\n", end)
    assert [line.split(end)[0] for line in searchable(text)] == ["# Guide"]


@pytest.mark.parametrize(
    "text",
    [
        "# Guide\n\nText.\n\n## Next\n\n- one\n",
        "# Guide\n\nText.\n\n## Next\n\n```sh\n# comment\n```\n",
        "# Guide\n\nText.\n\n## Next\n\n    # code\n",
        "# Guide\n\nText.\n\n## Next\n\n| a |\n|---|\n",
        "# Guide\n\nText.\n\n## Next\n\n[a]: https://example.org\n",
    ],
)
def test_a_heading_with_anything_below_is_found(text: str):
    assert any("Next" in content for content in searchable(text))


def test_a_document_of_headings_alone_is_found():
    assert searchable("# Guide\n\n## One\n\n## Two\n")


def test_the_words_of_a_heading_do_not_wander_to_another_section():
    text = "# Guide\n\nText.\n\n## Part\n\n### Zebra\n\n## Other\n\nMore.\n"
    other = next(c for c in chunks_of(text) if c.content.startswith("## Other"))
    assert "zebra" not in other.terms


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("a.rst", "References\n=========="),
        ("a.adoc", "== References"),
        ("a.org", "* References"),
    ],
)
def test_a_title_cut_from_a_long_text_is_not_found(path: str, title: str):
    listing = "\n".join(f"a line that is number {n} of a long text." for n in range(60))
    found = searchable(f"{title}\n\n{listing}\n", path, "text")
    assert len(found) > 1
    assert title not in found


def test_a_text_of_one_title_is_found():
    assert searchable("References\n==========\n", "a.rst", "text")


def test_a_long_line_takes_no_longer_than_a_short_one():
    text = "# Guide\n\nText.\n\n## Next\n\n" + "x" * 200_000 + "\n"
    started = time.process_time()
    assert len(searchable(text)) > 1
    assert time.process_time() - started < 10


def test_a_heading_in_a_list_before_all_sections_is_found():
    words = "words and more words here. " * 12
    found = searchable(f"- {words}\n\n  # Harbour\n\n  {words}\n")
    assert "# Harbour" in found
