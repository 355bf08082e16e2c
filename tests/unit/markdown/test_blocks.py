"""Blocks tile the document, and each has its kind."""

from __future__ import annotations

import pytest

from outcrop.markdown import Kind, parse
from outcrop.markdown.document import NESTED, OPENS_ITEM, UNCLOSED


def _blocks(text: str) -> list[tuple[str, str]]:
    """Kind and source of every block."""
    document = parse(text)
    return [
        (Kind(kind).name, text[start : document.block_end(block)])
        for block, (kind, start) in enumerate(
            zip(document.blocks.kinds, document.blocks.starts, strict=True)
        )
    ]


def _kinds(text: str) -> list[str]:
    return [kind for kind, _ in _blocks(text)]


def _has(text: str, flag: int) -> list[bool]:
    return [bool(flags & flag) for flags in parse(text).blocks.flags]


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("# Heading", "HEADING"),
        ("A paragraph\nof two lines.", "PARAGRAPH"),
        ("[ref]: https://example.org 'Title'", "DEFINITIONS"),
        ("***", "RULE"),
        ("```py\nx = 1\n```", "FENCE"),
        ("~~~\nx\n~~~", "FENCE"),
        ("`````\n```\n`````", "FENCE"),
        ("    x = 1\n\n    y = 2", "INDENTED_CODE"),
        ("\tx = 1", "INDENTED_CODE"),
        ("<table>\n<tr></tr>\n</table>", "HTML"),
        ("<!-- one\n\ntwo -->", "HTML"),
        ("$$\nx^2\n$$", "MATH"),
        ("$$ x^2 $$", "MATH"),
        ("| a | b |\n|---|---|\n| c | d |", "TABLE"),
        ("a | b\n--|--\nc | d", "TABLE"),
    ],
)
def test_every_kind_of_block_is_told_from_the_others(source, kind):
    text = f"Before.\n\n{source}\n\nAfter.\n"
    assert _blocks(text) == [
        ("PARAGRAPH", "Before.\n\n"),
        (kind, f"{source}\n\n"),
        ("PARAGRAPH", "After.\n"),
    ]


def test_front_matter_is_one_block():
    text = "---\ntitle: A\n# no heading\n---\n\nText.\n"
    assert _kinds(text) == ["FRONT_MATTER", "PARAGRAPH"]


def test_a_rule_is_no_front_matter():
    assert _kinds("Text.\n\n---\n\nMore.\n") == ["PARAGRAPH", "RULE", "PARAGRAPH"]


def test_atomic_kinds_are_known():
    text = "text\n\n```\nx\n```\n\n| a |\n|---|\n\n<p>\n\n    code\n"
    document = parse(text)
    atomic = [document.is_atomic(block) for block in range(len(document.blocks))]
    assert atomic == [False, True, True, True, True]


def test_blank_lines_belong_to_the_block_before_them():
    assert _blocks("a\n\n\n\nb\n\n") == [
        ("PARAGRAPH", "a\n\n\n\n"),
        ("PARAGRAPH", "b\n\n"),
    ]


def test_blank_lines_before_the_first_block_belong_to_none():
    assert _blocks("\n\n  \na\n") == [("PARAGRAPH", "a\n")]


def test_list_items_are_blocks_with_their_marker():
    assert _blocks("- one\n- two\n  more\n- three\n") == [
        ("PARAGRAPH", "- one\n"),
        ("PARAGRAPH", "- two\n  more\n"),
        ("PARAGRAPH", "- three\n"),
    ]


def test_items_that_open_are_flagged():
    text = "- one\n\n  more of one\n- two\n\ntext\n"
    assert _has(text, OPENS_ITEM) == [True, False, True, False]


def test_what_lies_in_a_container_is_flagged():
    text = "text\n\n- item\n\n> quote\n\n[^1]: note\n\nlast[^1]\n"
    assert _has(text, NESTED) == [False, True, True, True, False]


def test_ranks_count_the_containers_that_a_cut_would_part():
    text = "- a\n  - b\n    - c\n  - d\n- e\n\ntext\n"
    assert list(parse(text).blocks.ranks) == [0, 1, 2, 1, 0, 0]


def test_text_between_two_lists_and_behind_the_last_has_rank_zero():
    text = "before\n\n- a\n\nbetween\n\n1. b\n\nbehind\n"
    assert list(parse(text).blocks.ranks) == [0] * 5


def test_a_paragraph_inside_an_item_has_a_higher_rank_than_the_item():
    text = "- a\n\n  second\n\n- b\n"
    assert list(parse(text).blocks.ranks) == [0, 1, 0]


def test_quotes_are_cut_inside_only_at_a_higher_rank():
    assert list(parse("> a\n>\n> b\n\nc\n").blocks.ranks) == [0, 1, 0]


def test_a_marker_of_its_own_line_belongs_to_the_block_it_opens():
    assert _blocks("text\n\n-\n  ```\n  x\n  ```\n") == [
        ("PARAGRAPH", "text\n\n"),
        ("FENCE", "-\n  ```\n  x\n  ```\n"),
    ]


def test_a_marker_with_nothing_behind_it_is_not_lost():
    text = "- a\n-\n- c\n"
    assert "".join(source for _, source in _blocks(text)) == text
    assert len(_blocks(text)) >= 2


@pytest.mark.parametrize(
    "item",
    ["- `\n`", "- a `\n`", "- <a\n  b>\n  c", "- \\\nabc", "- **a\n  b** `c\n  d` e"],
)
def test_an_element_that_runs_over_a_line_end_does_not_part_an_item(item):
    assert _blocks(f"{item}\n- b") == [
        ("PARAGRAPH", f"{item}\n"),
        ("PARAGRAPH", "- b"),
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_an_item_after_a_tab_opens_under_a_loose_item(end):
    text = f"* a{end}{end}* b{end}\t* c"
    assert _has(text, OPENS_ITEM) == [True, True, True]


def test_items_after_tabs_have_the_rank_of_their_list():
    assert list(parse("- a\n\t- b\n\t- c\n\t- d\n- e").blocks.ranks) == [0, 1, 1, 1, 0]


def test_definitions_in_an_indented_container_start_with_their_line():
    assert _blocks(" > [a]: b\nc")[0] == ("DEFINITIONS", " > [a]: b\n")


def test_a_fence_in_a_list_item_is_a_block_of_its_own():
    text = "1. Run:\n\n   ```sh\n   make\n   ```\n\n   Done.\n"
    assert _kinds(text) == ["PARAGRAPH", "FENCE", "PARAGRAPH"]


def test_a_table_in_a_quote_is_a_table():
    assert _kinds("> | a |\n> |---|\n> | b |\n") == ["TABLE"]


def test_a_task_list_is_a_list():
    text = "- [x] done\n- [ ] open\n"
    assert _kinds(text) == ["PARAGRAPH", "PARAGRAPH"]
    assert _has(text, OPENS_ITEM) == [True, True]


@pytest.mark.parametrize(
    "text",
    [
        "[a]: b\n\nText [a].\n",
        "Text [a].\n\n[a]: b\n",
        "Text [a].\n\n[a]: b\n[c]: d\n\nMore.\n",
        "# H\n\n[a]: b\n\n# I\n",
        "- item\n\n[a]: b\n",
        "- item\n\n[a]: b\n\ntext\n",
        "1. item\n   - nested\n\n[a]: b\n",
        "> [a]: b\n>\n> text\n",
        "- [a]: b\n- two\n",
        "[a]: b\nTitle\n===\n",
    ],
)
def test_link_definitions_become_blocks(text):
    blocks = _blocks(text)
    assert [kind for kind, _ in blocks].count("DEFINITIONS") == 1
    (definitions,) = [source for kind, source in blocks if kind == "DEFINITIONS"]
    assert "[a]: b" in definitions


def test_a_text_of_nothing_but_definitions_is_one_block():
    assert _blocks("[a]: b\n[c]: d\n") == [("DEFINITIONS", "[a]: b\n[c]: d\n")]


def test_display_math_inside_a_paragraph_parts_it():
    assert _blocks("We have $$x = 1$$ and more.\n") == [
        ("PARAGRAPH", "We have "),
        ("MATH", "$$x = 1$$"),
        ("PARAGRAPH", " and more.\n"),
    ]


def test_display_math_over_lines_is_one_block():
    text = "Sum:\n\n$$\na\n#1 = b\n$$\n\nDone.\n"
    assert _kinds(text) == ["PARAGRAPH", "MATH", "PARAGRAPH"]


def test_a_heading_interrupts_display_math_that_is_open():
    # The parser finds math inside paragraphs, and a heading ends a paragraph.
    assert _kinds("$$\na\n# b\n$$\n") == ["PARAGRAPH", "HEADING", "PARAGRAPH"]


def test_inline_math_and_prices_are_text():
    assert _kinds("It is $x$ and costs $5 or $$ nothing.\n") == ["PARAGRAPH"]


@pytest.mark.parametrize(
    "text",
    [
        "```\nx\n```\n",
        "```\nx\n```",
        "~~~py\nx\n~~~\n",
        "````\n```\n````\n",
        "- ```\n  x\n  ```\n",
        "> ```\n> x\n> ```\n",
        "```\nx\n  ```  \n",
        "```\r\nx\r\n```\r\n",
        "-\n  ```\n  x\n  ```\n",
        ">\n> ```\n> x\n> ```\n",
    ],
)
def test_a_closed_fence_is_not_flagged(text):
    assert _has(text, UNCLOSED) == [False]


@pytest.mark.parametrize(
    "text",
    [
        "```",
        "```\n",
        "```\nx\n",
        "```\nx\n~~~\n",
        "````\nx\n```\n",
        "~~~\nx\n```\n",
        "```\nx\n``` y\n",
        "> ```\n> x\n",
        "- ```\n  x\n",
        "```\nx\n    ```",
        "```\n> ```\n",
        "```\n- ```\n",
    ],
)
def test_an_unclosed_fence_is_flagged(text):
    assert _has(text, UNCLOSED) == [True]


def test_only_the_unclosed_fence_is_flagged():
    text = "```\na\n```\n\n- ```\n  b\n\n```\nc\n```\n"
    assert _has(text, UNCLOSED) == [False, True, False]


def test_tabs_indent_as_four_columns():
    assert _blocks("-\titem\n\n\tmore\n\n\t\tcode\n") == [
        ("PARAGRAPH", "-\titem\n\n"),
        ("PARAGRAPH", "\tmore\n\n"),
        ("INDENTED_CODE", "\t\tcode\n"),
    ]
