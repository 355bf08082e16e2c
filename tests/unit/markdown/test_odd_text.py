"""Any string can be parsed, and offsets are those of the untouched text."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_text import any_text, documents

from outcrop.markdown import Kind, parse

_SETTINGS = settings(
    max_examples=40, deadline=None, suppress_health_check=list(HealthCheck)
)


@pytest.mark.parametrize("text", ["", "\n", " \t\r\n ", "\u3000\n"])
def test_blank_text_has_no_headings_and_nothing_to_read(text):
    document = parse(text)
    assert document.headings == []
    assert document.text == text


def test_a_byte_order_mark_hides_no_heading():
    (heading,) = parse("\ufeff# Title\n\ntext").headings
    assert (heading.title, heading.start, heading.end) == ("Title", 1, 8)


def test_a_byte_order_mark_hides_no_front_matter():
    assert parse("\ufeff---\na: b\n---\n").blocks.kinds[0] == Kind.FRONT_MATTER


def test_a_byte_order_mark_belongs_to_the_first_block():
    assert list(parse("\ufeffone\n\ntwo").blocks.starts) == [0, 6]


def test_a_byte_order_mark_alone_is_a_block():
    assert list(parse("\ufeff").blocks.starts) == [0]


def test_a_mark_further_on_is_a_character_like_others():
    assert parse("a\n\n\ufeff# no heading\n").headings == []


@pytest.mark.parametrize(
    "char", ["\udc80", chr(0xD800), chr(0xDFFF), "\x00", "\ufffe", "é", "👩"]
)
def test_offsets_count_code_points_of_any_kind(char):
    text = f"{char}\n\n# {char * 3} title\n\n{char} body\n"
    document = parse(text)
    (heading,) = document.headings
    assert text[heading.start : heading.end] == f"# {char * 3} title"
    assert list(document.blocks.starts) == [0, 3, text.index(f"{char} body")]


def test_a_lone_surrogate_does_not_break_a_title():
    (heading,) = parse("# a \udc80 b\n").headings
    assert heading.title.startswith("a ")
    assert heading.title.endswith(" b")


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_the_kind_of_line_end_changes_no_block(newline):
    text = (
        "# A\n\ntext\nmore\n\n- one\n- two\n\n```\nx\n\n# y\n```\n\n"
        "| a |\n|---|\n| b |\n\nSetext\n===\n\n    code\n\n> quote\n"
    )
    expected = parse(text)
    document = parse(text.replace("\n", newline))
    assert document.blocks.kinds == expected.blocks.kinds
    assert [h.title for h in document.headings] == ["A", "Setext"]
    lines = [text[:at].count("\n") for at in expected.blocks.starts]
    starts = document.blocks.starts
    assert [document.text[:at].count(newline) for at in starts] == lines


@pytest.mark.parametrize("mark", ["", "> ", "  "])
@pytest.mark.parametrize("fence", ["```", "~~~~"])
@pytest.mark.parametrize("blank", ["\t", " \t", "\t \t"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_a_closing_fence_may_be_followed_by_tabs(mark, fence, blank, newline):
    lines = [f"{fence}py", "x\t", f"{fence}{blank}"]
    text = "".join(f"{mark}{line}\n" for line in lines) + "\n# Title\n\ntext\n"
    text = text.replace("\n", newline)
    document = parse(text)
    kinds = [Kind.FENCE, Kind.HEADING, Kind.PARAGRAPH]
    assert list(document.blocks.kinds) == kinds
    assert list(document.blocks.starts)[1:] == [text.index("# T"), text.index("text")]
    assert document.text == text


def test_a_fence_with_a_word_after_its_tab_closes_nothing():
    document = parse("```py\nx\n```\tword\n# no title\n")
    assert list(document.blocks.kinds) == [Kind.FENCE]


def test_unicode_line_separators_end_no_line():
    document = parse("text\u2028# no heading\x0b# nor here\x0c# nor here\n")
    assert document.headings == []
    assert len(document.blocks) == 1


def test_eighty_thousand_nested_quotes_are_one_paragraph():
    text = ">" * 80_000 + " deep\n\n# After\n"
    document = parse(text)
    assert list(document.blocks.kinds) == [Kind.PARAGRAPH, Kind.HEADING]


def test_ten_thousand_nested_list_items_are_one_paragraph():
    document = parse("- " * 10_000 + "deep\n\n# After\n")
    assert list(document.blocks.kinds) == [Kind.PARAGRAPH, Kind.HEADING]


def test_a_list_nested_a_thousand_levels_has_a_block_each():
    text = "".join("  " * level + "- item\n" for level in range(1000))
    document = parse(text)
    assert len(document.blocks) == 1000
    assert max(document.blocks.ranks) < 63


@_SETTINGS
@given(st.one_of(documents(), any_text()))
def test_blocks_tile_every_text(text: str) -> None:
    document = parse(text)
    starts = list(document.blocks.starts)
    assert starts == sorted(set(starts))
    assert all(
        text[start : document.block_end(block)].strip(" \t\r\n")
        for block, start in enumerate(starts)
    )
    assert not text[: starts[0] if starts else len(text)].strip()


@_SETTINGS
@given(documents())
def test_headings_lie_in_the_blocks_they_name(text: str) -> None:
    document = parse(text)
    kinds = document.blocks.kinds
    named = [block for block, kind in enumerate(kinds) if kind == Kind.HEADING]
    assert document.heading_blocks == named
    for heading in document.headings:
        assert document.blocks.starts[heading.block] <= heading.start
        assert heading.start < heading.end <= document.block_end(heading.block)
        assert heading.parent < 0 or (
            document.headings[heading.parent].level < heading.level
        )
