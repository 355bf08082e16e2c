"""Headings come from the parser, and their titles are what a reader sees."""

from __future__ import annotations

import pytest

from outcrop.markdown import parse


def _outline(text: str) -> list[tuple[int, str]]:
    return [(heading.level, heading.title) for heading in parse(text).headings]


@pytest.mark.parametrize(
    ("source", "level", "title"),
    [
        ("# Plain", 1, "Plain"),
        ("###### Deepest", 6, "Deepest"),
        ("   ## Three spaces before", 2, "Three spaces before"),
        ("## Closed ##", 2, "Closed"),
        ("## Closed by many ######", 2, "Closed by many"),
        ("# C#", 1, "C#"),
        ("#\tBehind a tab", 1, "Behind a tab"),
        ("Setext one\n===", 1, "Setext one"),
        ("Setext two\n---", 2, "Setext two"),
        ("Setext of\ntwo lines\n===", 1, "Setext of two lines"),
        ("# The `run()` call", 1, "The run() call"),
        ("# See [the guide](guide.md 'x') now", 1, "See the guide now"),
        ("# ![logo](logo.png) Outcrop", 1, "logo Outcrop"),
        ("# *Very* **bold** ~~old~~", 1, "Very bold old"),
        ("# Ship it 🚀", 1, "Ship it 🚀"),
        ("# Fish &amp; chips &#35;", 1, "Fish & chips #"),
        ("# <em>Tagged</em> words", 1, "Tagged words"),
        ("# Where $a^2$ is", 1, "Where a^2 is"),
        ("# Escaped \\# and \\*", 1, "Escaped # and *"),
        ("# Input/Output", 1, "Input/Output"),
        ("# Много   пробелов", 1, "Много пробелов"),
        ("# With an id {#the-id}", 1, "With an id"),
        ("# With more {#id .wide key=value}", 1, "With more"),
        ("Setext with an id {#s}\n---", 2, "Setext with an id"),
        ("# {#not-last} is text", 1, "{#not-last} is text"),
        ("#", 1, ""),
        ("# A note[^1]\n\n[^1]: N", 1, "A note"),
    ],
)
def test_a_heading_has_its_level_and_visible_title(source, level, title):
    assert _outline(f"{source}\n\nBody.\n") == [(level, title)]


@pytest.mark.parametrize(
    "text",
    [
        "```\n# in a fence\n```\n",
        "~~~~md\n# in a fence\n~~~\n## still\n~~~~\n",
        "    # indented code\n",
        "Text.\n\n\t# code behind a tab\n",
        "<!-- a comment\n# in it\n-->\n",
        "<div>\n# in an HTML block\n</div>\n",
        "<script>\n\n# in a script\n\n</script>\n",
        "---\ntitle: x\n# in front matter\n---\n",
        "| # a | b |\n|---|---|\n| # c | d |\n",
        "Text with # in it\n",
        "#no space\n",
        "####### seven\n",
        "\\# escaped\n",
        "$$\n#1 + #2\n$$\n",
        "Title\n\n===\n",
    ],
)
def test_a_number_sign_in_other_blocks_is_text(text):
    assert _outline(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "- # in a list item\n",
        "1. Text\n\n   ## in a list item\n",
        "> # in a quote\n",
        "> Setext\n> ===\n",
        "[^1]: # in a footnote\n\nSee[^1].\n",
        "> - > # deep\n",
    ],
)
def test_a_nested_heading_is_body_text(text):
    document = parse(text)
    assert document.headings == []
    assert len(document.blocks) > 0


def test_a_heading_after_a_list_or_quote_is_outside_again():
    text = "- item\n\n# One\n\n> quote\n\n# Two\n"
    assert _outline(text) == [(1, "One"), (1, "Two")]


def test_parents_are_the_nearest_higher_headings():
    text = "# A\n\n## B\n\n#### C\n\n### D\n\n## E\n\n# F\n"
    headings = parse(text).headings
    assert [heading.parent for heading in headings] == [-1, 0, 1, 1, 0, -1]


def test_a_document_may_start_deep():
    headings = parse("### A\n\n# B\n\n### C\n").headings
    assert [heading.parent for heading in headings] == [-1, -1, 1]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_a_heading_spans_its_source_without_indent_and_line_end(newline):
    text = "Intro.\n\n  ## Indented ##  \n\nSetext\n---\n\nBody.\n".replace(
        "\n", newline
    )
    first, second = parse(text).headings
    assert text[first.start : first.end] == "## Indented ##"
    assert text[second.start : second.end] == f"Setext{newline}---"


def test_paths_are_titles_from_the_outside_in():
    document = parse("# A/B\n\n## C\n\ntext\n\n## D\n")
    assert document.path(1) == ["A/B", "C"]
    assert document.path(2) == ["A/B", "D"]
    assert document.path(-1) == []


def test_section_of_a_block_is_the_last_heading_before_it():
    document = parse("intro\n\n# A\n\none\n\ntwo\n\n# B\n")
    assert [document.section_of(block) for block in range(5)] == [-1, 0, 0, 0, 1]
