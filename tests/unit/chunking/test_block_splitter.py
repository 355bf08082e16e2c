"""Oversize tables and code, cut into parts that are valid by themselves."""

from __future__ import annotations

import pytest

from outcrop.markdown import Kind, parse
from promises import read_truth

ROWS = "".join(f"| row {number:02} | value |\n" for number in range(12))
TABLE = f"| name | value |\n|------|-------|\n{ROWS}"
CODE = "".join(f"line_{number:02} = {number}\n" for number in range(20))


def _is_one(tag: str, content: str) -> bool:
    """Whether a text by itself holds exactly one block of a kind."""
    return [one for *_, one in read_truth(content).atomic] == [tag]


@pytest.fixture
def split(cut):
    def run(text, size=100, **settings):
        chunks = cut(
            text,
            max_chunk_size=size,
            min_chunk_size=1,
            oversize_blocks="split",
            **settings,
        )
        assert len(chunks) > 1
        return chunks

    return run


# Tables


def test_a_table_is_cut_between_rows_with_its_header_repeated(split, own):
    chunks = split(TABLE)
    assert "".join(piece + "\n" for piece in own(chunks)) == TABLE
    assert chunks[0].prefix == ""
    header = "| name | value |\n|------|-------|\n"
    assert {chunk.prefix for chunk in chunks[1:]} == {header}
    assert {chunk.suffix for chunk in chunks} == {""}
    assert {chunk.metadata["boundary"]["rule"] for chunk in chunks[1:]} == {"table_row"}


def test_every_part_of_a_table_is_a_table(split):
    for chunk in split(TABLE):
        assert _is_one("Table", chunk.content)
        assert chunk.metadata["content_type"] == "table"
        assert len(chunk.content) <= 100


def test_a_table_under_a_heading_repeats_both(split):
    chunks = split(f"# Values\n\n{TABLE}")
    assert chunks[0].content.startswith("# Values\n\n| name | value |")
    assert chunks[1].prefix == "# Values\n\n| name | value |\n|------|-------|\n"
    assert chunks[1].metadata["headers"] == ["Values"]
    assert chunks[1].start_line == 1


def test_later_parts_repeat_fewer_headings_where_a_row_then_fits(split):
    header = f"| {'a' * 32} |\n|---|\n"
    row = f"| {'b' * 32} |\n"
    chunks = split(f"# Port table\n\n{header}{row * 4}", size=90)
    assert chunks[0].metadata["allow_oversize"]  # its own heading cannot be left out
    for chunk in chunks[1:]:
        assert chunk.content == f"{header}{row}".strip()
        assert not chunk.metadata["allow_oversize"]


def test_a_row_that_cannot_fit_stays_whole_with_its_reason(split, own):
    text = f"{TABLE}| long | {'x' * 150} |\n{ROWS}"
    chunks = split(text)
    (large,) = [chunk for chunk in chunks if chunk.metadata["allow_oversize"]]
    assert large.metadata["oversize_reason"] == "table_integrity"
    assert own([large]) == [f"| long | {'x' * 150} |"]
    assert _is_one("Table", large.content)


def test_a_table_of_one_row_that_cannot_be_cut_stays_whole(cut):
    text = f"| a |\n|---|\n| {'x' * 200} |\n"
    (chunk,) = cut(text, max_chunk_size=100, oversize_blocks="split")
    assert chunk.metadata["oversize_reason"] == "table_integrity"


# Fences


@pytest.mark.parametrize("fence", ["```", "~~~", "`````", "~~~~"])
def test_a_fence_is_reopened_and_closed(split, own, fence):
    chunks = split(f"{fence}py\n{CODE}{fence}\n")
    first, *middle, last = chunks
    assert first.prefix == ""
    assert {chunk.prefix for chunk in [*middle, last]} == {f"{fence}py\n"}
    assert {chunk.suffix for chunk in [first, *middle]} == {f"\n{fence}"}
    assert last.suffix == ""
    assert "\n".join(own(chunks)) == f"{fence}py\n{CODE}{fence}"
    assert {c.metadata["boundary"]["rule"] for c in chunks[1:]} == {"code_line"}


@pytest.mark.parametrize("fence", ["```", "~~~", "`````"])
def test_every_part_of_a_fence_is_a_fence(split, fence):
    for chunk in split(f"{fence}py\n{CODE}{fence}\n"):
        assert _is_one("CodeBlock", chunk.content)
        assert chunk.content.startswith(f"{fence}py\n")
        assert chunk.content.endswith(f"\n{fence}")
        assert len(chunk.content) <= 100
        assert chunk.metadata["fence_count"] == 2
        assert "fence_balance_error" not in chunk.metadata
        assert chunk.metadata["content_type"] == "code"


def test_a_fence_inside_a_longer_one_is_text(split):
    inner = "".join(f"```\nx{number}\n```\n" for number in range(12))
    for chunk in split(f"````md\n{inner}````\n"):
        assert _is_one("CodeBlock", chunk.content)


def test_code_is_cut_at_blank_lines_where_it_can_be(split, own):
    functions = "".join(
        f"def f{number}():\n    first()\n    return {number}\n\n" for number in range(6)
    )
    chunks = split(f"```py\n{functions}```\n", size=110)
    assert all(piece.startswith("def f") for piece in own(chunks)[1:])


def test_code_without_blank_lines_is_cut_at_outer_lines(split, own):
    functions = "".join(
        f"def f{number}():\n    first()\n    return {number}\n" for number in range(6)
    )
    chunks = split(f"```py\n{functions}```\n", size=110)
    assert all(piece.startswith("def f") for piece in own(chunks)[1:])


def test_a_line_that_cannot_fit_stays_whole_with_its_reason(split, own):
    text = f"```py\n{CODE}long = '{'x' * 150}'\n{CODE}```\n"
    chunks = split(text)
    (large,) = [chunk for chunk in chunks if chunk.metadata["allow_oversize"]]
    assert large.metadata["oversize_reason"] == "code_block_integrity"
    assert own([large]) == [f"long = '{'x' * 150}'"]
    assert _is_one("CodeBlock", large.content)


def test_a_block_of_one_long_line_stays_whole(cut):
    text = f"```\n{'x' * 300}\n```\n"
    (chunk,) = cut(text, max_chunk_size=100, oversize_blocks="split")
    assert chunk.content == text.strip()
    assert chunk.metadata["oversize_reason"] == "code_block_integrity"


def test_an_unclosed_fence_stays_unclosed_in_its_last_part_alone(split):
    *closed, last = split(f"```py\n{CODE}")
    assert all(chunk.metadata["fence_count"] == 2 for chunk in closed)
    assert last.metadata["fence_count"] == 1
    assert last.metadata["fence_balance_error"] is True
    for chunk in [*closed, last]:
        assert _is_one("CodeBlock", chunk.content)


def test_code_under_headings_repeats_the_headings_too(split):
    chunks = split(f"# A\n\n## B\n\n```py\n{CODE}```\n")
    assert chunks[1].prefix == "# A\n\n## B\n\n```py\n"
    assert chunks[1].metadata["headers"] == ["A", "B"]
    assert chunks[1].metadata["continued_from_header"] is True


def test_indented_code_is_cut_between_lines(split, own):
    text = "".join(f"    {line}\n" for line in CODE.splitlines())
    chunks = split(text)
    assert "".join(piece + "\n" for piece in own(chunks)) == text
    for chunk in chunks:
        assert chunk.prefix == chunk.suffix == ""
        assert parse(chunk.content).blocks.kinds == bytes([Kind.INDENTED_CODE])


# In containers


@pytest.mark.parametrize(
    ("first", "rest"),
    [
        ("- ", "  "),
        ("* ", "  "),
        ("1. ", "   "),
        ("10) ", "    "),
        ("> ", "> "),
        (">", ">"),
        ("> > ", "> > "),
        ("- > ", "  > "),
        ("> - ", ">   "),
        ("- - - ", "      "),
        ("-   ", "    "),
    ],
)
@pytest.mark.parametrize(
    ("block", "tag"),
    [
        (f"```py\n{CODE}```", "CodeBlock"),
        (f"~~~\n{CODE}~~~", "CodeBlock"),
        (TABLE, "Table"),
    ],
)
def test_containers_are_reproduced(split, first, rest, block, tag):
    lines = block.strip().splitlines()
    text = "\n".join([first + lines[0], *(rest + line for line in lines[1:])]) + "\n"
    for chunk in split(text):
        assert _is_one(tag, chunk.content), chunk.content
        assert len(chunk.content) <= 100 or chunk.metadata["allow_oversize"]


@pytest.mark.parametrize("block", [f"```py\n{CODE}```", TABLE.strip()])
def test_a_block_further_down_in_an_item_is_reproduced(split, block):
    body = "\n".join("  " + line for line in block.splitlines())
    tag = "Table" if block.startswith("|") else "CodeBlock"
    for chunk in split(f"- Text first.\n\n{body}\n\n  Text behind.\n"):
        if "Text" not in chunk.content:
            assert _is_one(tag, chunk.content)


@pytest.mark.parametrize("depth", [2, 3, 5])
def test_a_block_deep_in_a_list_is_not_taken_for_indented_code(split, depth):
    items = "".join("  " * level + "- item\n" for level in range(depth))
    indent = "  " * depth
    body = "\n".join(indent + line for line in f"```py\n{CODE}```".splitlines())
    parts = [chunk for chunk in split(f"{items}\n{body}\n") if "line_" in chunk.content]
    for chunk in parts:
        source = [
            kind for kind in parse(chunk.content).blocks.kinds if kind >= Kind.FENCE
        ]
        assert source == [Kind.FENCE]


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
@pytest.mark.parametrize("block", [f"```py\n{CODE}```\n", TABLE])
def test_other_line_ends_are_kept(split, newline, block):
    chunks = split(block.replace("\n", newline))
    tag = "Table" if block is TABLE else "CodeBlock"
    for chunk in chunks:
        assert _is_one(tag, chunk.content)
        assert chunk.content.replace(newline, "").count("\n") == 0


@pytest.mark.parametrize("char", ["\u2028", "\u2029", "\x0b", "\x0c", "\x1c", "\x85"])
def test_characters_that_end_no_line_stay_in_the_repeated_opening(split, char):
    table = split(f"| a{char}b | c |\n|---|---|\n" + "| x | y |\n" * 12)
    assert table[1].prefix == f"| a{char}b | c |\n|---|---|\n"
    code = split(f"```py{char}x\n{CODE}```\n")
    assert code[1].prefix == f"```py{char}x\n"


# Blocks whose parts do not parse alone


@pytest.mark.parametrize(
    "block",
    [
        "<div>\n" + "text text text\n" * 12 + "</div>",
        "<!--\n" + "text text text\n" * 12 + "-->",
        "<div>\n" + "  <p>text</p>\n" * 12 + "</div>",
        "---\n" + "".join(f"key_{n}: value\n" for n in range(20)) + "---",
    ],
)
def test_html_and_front_matter_are_cut_between_lines(split, own, block):
    chunks = split(f"{block}\n\ntext\n")
    parts = [chunk for chunk in chunks if chunk.start_offset < len(block)]
    assert "\n".join(own(parts)) == block
    assert all(len(chunk.content) <= 100 for chunk in chunks)
    assert not any(chunk.metadata["allow_oversize"] for chunk in chunks)
    for part in parts[1:]:
        assert part.metadata["boundary"] == {"stage": "split", "rule": "line"}
        assert part.prefix == part.suffix == ""


def test_html_under_a_heading_repeats_the_heading(split):
    first, *rest = split("# A\n\n<div>\n" + "<p>text</p>\n" * 20 + "</div>\n")
    assert first.prefix == ""
    assert {chunk.prefix for chunk in rest} == {"# A\n\n"}


@pytest.mark.parametrize("word", ["<b>word</b> ", "x"])
def test_a_line_of_html_over_the_limit_is_cut_inside(split, own, word):
    text = f"<div>\n{word * 100}\n</div>\n"
    chunks = split(text)
    assert all(len(chunk.content) <= 100 for chunk in chunks)
    assert not any(chunk.metadata["allow_oversize"] for chunk in chunks)
    assert "".join("".join(own(chunks)).split()) == "".join(text.split())


def test_lines_of_front_matter_keep_their_indent(split, own):
    text = "---\nkeys:\n" + "  - one of many\n" * 12 + "---\n"
    parts = own(split(text))
    assert "\n".join(parts) == text.strip()
    assert parts[1].startswith("  - one")


def test_html_that_fits_with_fewer_headings_is_left_alone(split):
    html = "<div>\n" + "<p>text</p>\n" * 7 + "</div>"
    chunks = split(f"# Title\n\n{'words ' * 20}\n\n{html}\n")
    assert chunks[-1].content == html


# What is not cut


def test_display_math_stays_whole_in_this_mode_too(cut):
    block = "$$\n" + "x = y + z\n" * 14 + "$$"
    chunks = cut(f"{block}\n", max_chunk_size=100, oversize_blocks="split")
    assert [chunk.content for chunk in chunks] == [block]
    assert chunks[0].metadata["oversize_reason"] == "code_block_integrity"


def test_blocks_that_fit_are_left_alone(cut):
    text = f"{TABLE}\ntext\n\n```py\n{CODE}```\n"
    kept = cut(text, max_chunk_size=400)
    assert cut(text, max_chunk_size=400, oversize_blocks="split") == kept


def test_nothing_is_oversize_where_lines_are_short(split):
    text = f"# H\n\n{TABLE}\n```py\n{CODE}```\n\n> ```\n" + "> a b c\n" * 30 + "> ```\n"
    assert not any(chunk.metadata["allow_oversize"] for chunk in split(text))


def test_sizes_of_parts_are_counted_as_the_user_counts(split):
    chunks = split(TABLE, size=25, length=lambda piece: len(piece.split()))
    assert max(len(chunk.content.split()) for chunk in chunks) <= 25
    for chunk in chunks:
        assert _is_one("Table", chunk.content)
