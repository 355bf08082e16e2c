"""Summaries made of the document's own sentences."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outcrop.errors import ConfigError, SummaryError
from outcrop.providers import open_summarizer
from outcrop.providers.extractive import (
    ExtractiveSummarizer,
    rank_by_centrality,
    read_prose,
)
from outcrop.sections import Summarizer

np = pytest.importorskip("numpy")
pytest.importorskip("tokenizers")

DATABASE = """# Storage

The database keeps every chunk with its vector. A database table holds the chunks of
all documents. By the way, my cat likes fish. Chunks are written to the database in
batches. The vector of a chunk is stored in the database table.

```sql
SELECT this IS code about the database table of chunks and vectors;
```

| database | chunk |
|---|---|
| A database table cell about chunks and vectors. | x |
"""

RUSSIAN = """Документ делится на разделы по заголовкам. Каждый раздел документа хранит
свой заголовок. Вчера шёл дождь. Разделы документа ищутся по тексту заголовков.
"""

JAPANESE = """文書は見出しごとに分割されます。各セクションは文書の見出しを保持します。
昨日は雨でした。文書のセクションは見出しの文字列で検索されます。
"""


def summarize(text, **settings):
    return asyncio.run(ExtractiveSummarizer().summarize(text, **settings))


def test_it_is_a_summarizer_and_the_default_one():
    assert isinstance(open_summarizer(), ExtractiveSummarizer)
    assert isinstance(open_summarizer(), Summarizer)
    assert open_summarizer().name == "extractive"


def test_central_sentences_are_kept_and_the_aside_is_not():
    summary = summarize(DATABASE, max_chars=170)
    assert "database" in summary
    assert "cat" not in summary


def test_code_and_tables_are_left_out():
    summary = summarize(DATABASE, max_chars=5000)
    assert "SELECT" not in summary
    assert "cell" not in summary


def test_sentences_keep_the_order_of_the_text():
    summary = summarize(DATABASE, max_chars=5000)
    found = ["every chunk", "all documents", "in batches", "is stored"]
    places = [summary.index(words) for words in found if words in summary]
    assert len(places) > 1
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("text", "aside"),
    [(RUSSIAN, "дождь"), (JAPANESE, "雨")],
    ids=["russian", "japanese"],
)
def test_other_languages_are_summarised_too(text, aside):
    summary = summarize(text, max_chars=len(text) * 2 // 3)
    assert summary
    assert aside not in summary


def test_japanese_sentences_are_joined_without_a_space():
    assert " " not in summarize(JAPANESE, max_chars=500)


def test_same_sentence_is_not_chosen_twice():
    summary = summarize("The server starts on port 80.\n\n" * 5, max_chars=500)
    assert summary == "The server starts on port 80."


def test_sentence_longer_than_the_limit_is_cut_between_words():
    summary = summarize("word " * 100 + "end.", max_chars=50)
    assert len(summary) <= 50
    assert summary.endswith("word…")


def test_text_without_a_sentence_is_summarised_by_its_headings():
    assert summarize("# Usage\n\n## Options\n\n```\ncode\n```\n") == "Usage; Options"


def test_text_without_any_words_is_summarised_by_its_heading():
    assert summarize("```\ncode\n```\n", heading="Usage") == "Usage"


@pytest.mark.parametrize("text", ["", "\n", "```\ncode\n```\n", "***\n", "..."])
def test_nothing_to_say_is_an_error(text):
    with pytest.raises(SummaryError, match="no text to summarise"):
        summarize(text)


def test_fragments_are_used_where_there_are_no_sentences():
    assert "apples" in summarize("- apples\n- pears\n- plums\n")


def test_limit_below_one_is_refused():
    with pytest.raises(ConfigError, match="max_chars is 0"):
        summarize("Text.", max_chars=0)


def test_same_text_gives_the_same_summary():
    assert summarize(DATABASE) == summarize(DATABASE)


def test_most_central_row_comes_first_and_equal_rows_keep_their_order():
    rows = np.array([[0, 1], [1, 0], [1, 0], [0.8, 0.6]], dtype=np.float32)
    assert rank_by_centrality(rows) == [3, 1, 2, 0]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.text(alphabet="абв xyz文字.!。", min_size=1, max_size=40),
        min_size=1,
        max_size=9,
    ),
    st.integers(1, 120),
)
def test_summary_is_never_longer_than_asked(paragraphs, max_chars):
    text = "\n\n".join(paragraphs)
    try:
        summary = summarize(text, max_chars=max_chars)
    except SummaryError:
        assert not any(map(str.isalnum, text))
    else:
        assert 0 < len(summary) <= max_chars


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
