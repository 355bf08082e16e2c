"""The section splitter, rule by rule."""

import logging
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from outcrop.errors import ConfigError
from outcrop.sections import DOCUMENT_ROOT, IndexingConfig, MarkdownSplitter
from outcrop.text.tokens import TokenCounter


def split(text, path="/test.md", **settings):
    config = IndexingConfig(**{"max_tokens_per_section": 2000, **settings})
    return MarkdownSplitter(config, TokenCounter()).split(text, path, "hash123")


def outline(text, **settings):
    return [(section.depth, section.heading) for section in split(text, **settings)]


def parents(text, **settings):
    """Heading of each section with the heading of its parent."""
    sections = split(text, **settings)
    names = {section.id: section.heading for section in sections}
    names[None] = None
    return {section.heading: names[section.parent_id] for section in sections}


def test_headings_of_level_one_to_three_start_sections():
    text = (
        "\n# H1 Section\nContent for H1\n\n## H2 Section\nContent for H2\n"
        "\n### H3 Section\nContent for H3\n    "
    )
    assert outline(text) == [(1, "H1 Section"), (2, "H2 Section"), (3, "H3 Section")]


def test_text_before_the_first_heading_is_the_document_root():
    sections = split("\n前文です。\n\n# H1 Section\n    ")
    assert [(section.depth, section.heading) for section in sections] == [
        (0, DOCUMENT_ROOT),
        (1, "H1 Section"),
    ]
    assert sections[0].heading == "(document root)"
    assert sections[0].content == "\n前文です。\n\n"
    assert sections[0].parent_id is None


def test_each_level_hangs_on_the_one_above():
    first, second, third = split("\n# H1\n## H2\n### H3\n    ")
    assert first.parent_id is None
    assert first.id == second.parent_id
    assert second.id == third.parent_id


def test_fields_that_come_later_are_none():
    (section,) = split("# Test\nContent")
    later = ("summary", "document_summary", "vector", "created_at", "updated_at")
    assert [getattr(section, name) for name in later] == [None] * 5
    assert section.is_dirty is False
    assert section.document_hash == "hash123"
    assert section.document_path == "/test.md"


def test_h3_without_h2_hangs_on_the_h1():
    assert parents("# A\n### B\ntext\n## C\n### D\n") == {
        "A": None,
        "B": "A",
        "C": "A",
        "D": "C",
    }


def test_h2_and_h3_before_any_h1_stand_at_the_top_or_on_each_other():
    assert parents("### A\n## B\n### C\n# D\n") == {
        "A": None,
        "B": None,
        "C": "B",
        "D": None,
    }


def test_deeper_headings_stay_in_their_section():
    text = "# A\n\n#### B\n\nb\n\n##### C\n\nc\n\n## D\n\n###### E\n\ne\n"
    assert outline(text) == [(1, "A"), (2, "D")]
    assert [text.index("## D")] == [section.end_offset for section in split(text)][:1]


@pytest.mark.parametrize(("depth", "count"), [(1, 1), (2, 2), (3, 3), (6, 6)])
def test_max_depth_says_which_headings_count(depth, count):
    text = "".join(f"{'#' * level} L{level}\n\n" for level in range(1, 7))
    assert count == len(split(text, max_depth=depth))


def test_setext_headings_count():
    text = "Title\n=====\n\none\n\nPart\n----\n\ntwo\n"
    assert outline(text) == [(1, "Title"), (2, "Part")]


@pytest.mark.parametrize(
    "text",
    [
        "```sh\n# not a heading\n```\n",
        "    # not a heading\n",
        "> # quoted\n",
        "- # in a list\n",
        "<div>\n# in html\n</div>\n",
        "---\n# comment: yes\n---\n",
        "[^1]: # in a footnote\n",
    ],
)
def test_only_top_level_headings_count(text):
    assert outline(f"intro\n\n{text}") == [(0, DOCUMENT_ROOT)]


def test_front_matter_belongs_to_the_root():
    text = "---\ntitle: x\n---\n\n# A\n\ntext\n"
    sections = split(text)
    assert [section.depth for section in sections] == [0, 1]
    assert sections[0].content == "---\ntitle: x\n---\n\n"


@pytest.mark.parametrize("text", ["", "\n", " \t\r\n\n"])
def test_blank_document_has_no_sections(text):
    assert split(text) == []


@pytest.mark.parametrize("text", ["\n\n# A\nx\n", "\ufeff# A\nx\n", "\ufeff\n# A\nx"])
def test_blank_lines_and_a_byte_order_mark_before_the_first_heading_go_with_it(text):
    (section,) = split(text)
    assert (section.depth, section.heading, section.content) == (1, "A", text)


@pytest.mark.parametrize("text", ["\ufeff", "\ufeff\n", "\n\ufeff"])
def test_a_byte_order_mark_alone_is_a_section_for_it_is_text(text):
    (section,) = split(text)
    assert (section.depth, section.content) == (0, text)
    assert 1 <= section.start_line <= section.end_line


def test_order_counts_siblings():
    text = "root\n# A\n## B\n### C\n### D\n## E\n# F\n## G\n"
    orders = {section.heading: section.order for section in split(text)}
    expected = {
        DOCUMENT_ROOT: 0,
        "A": 1,
        "B": 0,
        "C": 0,
        "D": 1,
        "E": 1,
        "F": 2,
        "G": 0,
    }
    assert expected == orders


def test_order_starts_at_zero_where_there_is_no_root():
    assert [section.order for section in split("# A\n# B\n")] == [0, 1]


def test_titles_are_the_visible_text():
    assert outline("# A *b* `c` [d](e) {#id}\n") == [(1, "A b c d")]


def test_heading_without_title_is_a_section_all_the_same():
    assert outline("#\n\ntext\n\n##\n\nmore\n") == [(1, ""), (2, "")]


# --- lines and offsets -----------------------------------------------------------


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_lines_are_those_with_text(end):
    text = end.join(["", "intro", "", "", "# A", "", "a", "", "## B", "b", ""])
    lines = [(section.start_line, section.end_line) for section in split(text)]
    assert lines == [(2, 2), (5, 7), (9, 10)]


def test_a_carriage_return_alone_ends_a_line():
    (section,) = split("\rintro\r\r\rtail\r\n\r")
    assert (section.start_line, section.end_line) == (2, 5)


def test_lines_of_a_subtree_reach_to_its_last_section():
    text = "# A\n\na\n\n## B\n\nb\n\n# C\n"
    sections = split(text, content_scope="subtree")
    lines = [(section.start_line, section.end_line) for section in sections]
    assert lines == [(1, 7), (5, 7), (9, 9)]


def test_indented_heading_starts_its_section_at_the_line():
    text = "# A\n\n   ## B\n\ntext\n"
    assert [section.start_offset for section in split(text)] == [0, 5]


# --- scope -----------------------------------------------------------------------


def test_subtree_gives_a_parent_the_text_of_its_children():
    text = "intro\n\n# A\n\na\n\n## B\n\nb\n\n### C\n\nc\n\n## D\n\nd\n\n# E\n\ne\n"
    contents = {
        section.heading: section.content
        for section in split(text, content_scope="subtree")
    }
    assert contents == {
        DOCUMENT_ROOT: "intro\n\n",
        "A": text[text.index("# A") : text.index("# E")],
        "B": text[text.index("## B") : text.index("## D")],
        "C": "### C\n\nc\n\n",
        "D": "## D\n\nd\n\n",
        "E": "# E\n\ne\n",
    }


def test_scope_changes_neither_ids_nor_order():
    text = "x\n# A\n## B\n### C\n# A\n## B\n"
    own, subtree = split(text), split(text, content_scope="subtree")
    assert [section.id for section in own] == [section.id for section in subtree]
    assert [section.order for section in own] == [section.order for section in subtree]


def test_tokens_are_counted_over_the_content():
    counter = TokenCounter()
    for scope in ("own", "subtree"):
        for section in split("# A\n\nтекст\n\n## B\n\n文書\n", content_scope=scope):
            assert counter(section.content) == section.token_count


# --- the limit -------------------------------------------------------------------


def test_section_over_the_limit_is_reported_and_kept_whole(caplog):
    text = "# Short\n\nx\n\n# Long\n\n" + "word " * 50
    with caplog.at_level(logging.WARNING, logger="outcrop"):
        short, long = split(text, max_tokens_per_section=20)
    assert (short.is_over_limit, long.is_over_limit) == (False, True)
    assert text[long.start_offset :] == long.content
    (record,) = caplog.records
    message = record.getMessage()
    assert "'Long'" in message
    assert "/test.md" in message
    assert f"({long.token_count} > 20)" in message


def test_section_exactly_at_the_limit_is_not_reported(caplog):
    (section,) = split("# A\n\nsome words\n")
    (again,) = split("# A\n\nsome words\n", max_tokens_per_section=section.token_count)
    assert again.is_over_limit is False
    assert caplog.records == []


# --- ids -------------------------------------------------------------------------


def ids(text, path="/test.md"):
    return {
        (section.heading, section.order): section.id for section in split(text, path)
    }


def test_ids_do_not_depend_on_content():
    assert ids("# A\n\nold\n\n## B\n\nx\n") == ids("# A\n\nnew text\n\n## B\n")


def test_ids_stay_when_other_sections_come_and_go():
    before = ids("# A\n\n## B\n\n# C\n")
    after = ids("intro\n\n# A\n\n## New\n\n## B\n\n# Other\n\n# C\n")
    assert before["A", 0] == after["A", 1]
    assert before["B", 0] == after["B", 1]
    assert before["C", 1] == after["C", 3]


def test_second_equal_heading_has_an_id_of_its_own():
    sections = split("# A\n\n## B\n\n## B\n\n# A\n\n## B\n")
    assert len({section.id for section in sections}) == 5


def test_repeated_heading_leaves_the_same_heading_of_another_chapter_alone():
    before = split("# A\n\n## B\n\n# C\n\n## B\n")[-1]
    after = split("# A\n\n## B\n\n## B\n\n# C\n\n## B\n")[-1]
    assert before.id == after.id


def test_ids_differ_between_documents():
    assert ids("# A\n", "/one.md") != ids("# A\n", "/two.md")


def test_heading_named_like_the_root_is_not_the_root():
    root, heading = split(f"text\n\n# {DOCUMENT_ROOT}\n")
    assert root.id != heading.id


def test_ids_are_the_same_in_every_run():
    assert [section.id for section in split("intro\n\n# Ünïcode 章\n")] == [
        "2bb6fa94d5ea1682",
        "09d212ff0820e804",
    ]


# --- settings --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({"max_tokens_per_section": 0}, "max_tokens_per_section"),
        ({"max_tokens_per_section": -5}, "max_tokens_per_section"),
        ({"max_depth": 0}, "max_depth"),
        ({"max_depth": 7}, "max_depth"),
        ({"content_scope": "all"}, "content_scope"),
    ],
)
def test_wrong_setting_is_refused_by_name_and_value(settings, name):
    with pytest.raises(ConfigError, match=name) as caught:
        IndexingConfig(**settings)
    assert repr(settings[name]) in str(caught.value)


# --- promises, of every text -----------------------------------------------------

LINES = st.sampled_from(
    [
        "# A",
        "# B",
        "## A",
        "## B",
        "### A",
        "#### deep",
        "   ## indented",
        "    # code",
        "#",
        "text",
        "- # item",
        "> ## quote",
        "```",
        "~~~~",
        "===",
        "---",
        "| a | b |",
        "|---|---|",
        "<div>",
        "",
        " ",
        "\t",
        "\u00a0",
        "文書。",
        "\ud800",
        "\ufeff",
        "\0",
        "$$",
        "[^1]: note",
        "[a]: b",
    ]
)
ENDS = st.sampled_from(["\n", "\r\n", "\r", "\n\n"])
DOCUMENTS = st.lists(st.tuples(LINES, ENDS), max_size=25).map(
    lambda lines: "".join(line + end for line, end in lines)
)


@settings(deadline=None)
@given(DOCUMENTS)
@example("\ufeff\r\n# A\r\n\r\n## A")
@example("# A\r## A\r\n")
def test_own_contents_joined_are_the_document(text):
    sections = split(text)
    joined = "".join(section.content for section in sections)
    assert joined == (text if sections else "")
    if not sections:
        assert text.strip() == ""
    for section in sections:
        assert section.content == text[section.start_offset : section.end_offset]
        assert 1 <= section.start_line <= section.end_line


@settings(deadline=None)
@given(DOCUMENTS, st.sampled_from(["own", "subtree"]))
def test_sections_form_a_forest_in_document_order(text, scope):
    sections = split(text, content_scope=scope)
    by_id = {section.id: section for section in sections}
    assert len(by_id) == len(sections)
    for section in sections:
        if section.parent_id is None:
            continue
        parent = by_id[section.parent_id]
        assert parent.depth < section.depth
        if scope == "subtree":
            assert parent.start_offset <= section.start_offset
            assert section.end_offset <= parent.end_offset
    for before, after in pairwise(sections):
        assert before.start_offset < after.start_offset
    for parent_id in {section.parent_id for section in sections}:
        orders = [s.order for s in sections if s.parent_id == parent_id]
        assert orders == list(range(len(orders)))
