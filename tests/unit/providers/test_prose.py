"""The running text of a document."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outcrop.providers.extractive import read_prose


def test_markup_leaves_its_words():
    text = "# A *b* `c`\n\nSome **bold** [link](url) and `code`, <b>html</b>.\n"
    prose = read_prose(text)
    assert prose.headings == ["A b c"]
    assert prose.paragraphs == ["Some bold link and code, html."]


@pytest.mark.parametrize(
    "block",
    [
        "```\nhidden\n```\n",
        "    hidden\n",
        "| hidden | b |\n|---|---|\n| c | hidden |\n",
        "<div>\nhidden\n</div>\n",
        "![hidden](image.png)\n",
        "- item\n\n  ```\n  hidden\n  ```\n",
        "> | hidden |\n> |---|\n",
        "$$\nhidden\n$$\n",
    ],
)
def test_what_is_not_running_text_is_left_out(block):
    prose = read_prose(f"Before.\n\n{block}\nAfter.\n")
    assert "hidden" not in " ".join(prose.paragraphs)
    assert prose.paragraphs[0] == "Before."
    assert prose.paragraphs[-1] == "After."


def test_front_matter_is_left_out():
    assert read_prose("---\ntitle: hidden\n---\n\nText.\n").paragraphs == ["Text."]


def test_list_items_and_quotes_are_paragraphs():
    text = "- one\n- two\n  more\n\n> quoted\n> text\n"
    assert read_prose(text).paragraphs == ["one", "two more", "quoted text"]


def test_japanese_lines_are_joined_without_a_space():
    assert read_prose("日本語の\n文です。\nNext line\n").paragraphs == [
        "日本語の文です。 Next line"
    ]


def test_sentences_are_split_within_paragraphs():
    text = "One here. Two, e.g. this!\n\nТри. Четыре\n\n一つ。二つ。\n"
    assert read_prose(text).sentences() == [
        "One here.",
        "Two, e.g. this!",
        "Три.",
        "Четыре",
        "一つ。",
        "二つ。",
    ]


@settings(deadline=None)
@given(st.text(alphabet=st.sampled_from("ab.。 \n#`|-*>$[]()!<\ud800"), max_size=40))
def test_any_text_can_be_read(text):
    prose = read_prose(text)
    assert all(part == part.strip() != "" for part in prose.sentences())
