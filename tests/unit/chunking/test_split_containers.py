"""Parts of a split block by themselves, whatever container the block lies in."""

from __future__ import annotations

import pytest

from outcrop import ChunkConfig, InvariantValidator, MarkdownChunker
from outcrop.chunking.parts import is_same_block
from outcrop.markdown import Kind, parse
from promises import check_promises

CODE = [f"line_{number:02} = {number}" for number in range(20)]
FENCE = ["~~~py", *CODE, "~~~"]
TABLE = ["| a |", "|---|", *(f"| row {number:02} |" for number in range(20))]


def _text(first: str, rest: str, lines: list[str]) -> str:
    return "\n".join([first + lines[0], *(rest + line for line in lines[1:])]) + "\n"


def _split(text, size=100):
    config = ChunkConfig(max_chunk_size=size, min_chunk_size=1, oversize_blocks="split")
    chunks = MarkdownChunker(config).chunk(text)
    check_promises(text, chunks, config)
    result = InvariantValidator(config, strict=True).validate(chunks, text)
    assert result.errors == []
    return chunks


CONTAINERS = {
    "number and four columns": ("10.    ", " " * 7),
    "parenthesis and four columns": ("2)    ", " " * 6),
    "dash and four columns": ("-    ", " " * 5),
    "dash and tab": ("-\t", "    "),
    "indented number": ("   1. ", " " * 6),
    "long number": ("123456789. ", " " * 11),
    "marker on its own line": ("-\n  ", "  "),
    "number on its own line": ("10.\n    ", "    "),
    "indented marker on its own line": ("   1.\n      ", " " * 6),
    "quoted marker on its own line": ("> -\n>   ", ">   "),
    "footnote": ("[^1]: ", "    "),
    "footnote with a list": ("[^1]: - ", "      "),
    "quoted footnote": ("> [^1]: ", ">     "),
    "list in a quote": ("> 10.    ", ">        "),
    "quote in a list": ("10. > ", "    > "),
}


@pytest.mark.parametrize("heading", ["", "# H\n\n"])
@pytest.mark.parametrize("lines", [FENCE, TABLE], ids=["fence", "table"])
@pytest.mark.parametrize("container", CONTAINERS)
def test_a_block_that_opens_a_container_repeats_it(container, lines, heading):
    first, rest = CONTAINERS[container]
    chunks = _split(heading + _text(first, rest, lines))
    assert len(chunks) > 2
    assert not any(chunk.metadata["allow_oversize"] for chunk in chunks)
    assert chunks[0].start_line == 1
    assert chunks[0].prefix == ""
    assert {chunk.start_line for chunk in chunks[1:]} == {1}
    assert all(chunk.prefix.startswith(heading + first) for chunk in chunks[1:])


@pytest.mark.parametrize("indent", [2, 3, 4, 5, 7, 8, 11])
@pytest.mark.parametrize("closing", [0, 1, 3])
def test_a_fence_further_down_in_an_item_is_closed_where_it_ends(indent, closing):
    marker = "-".ljust(indent) if indent <= 5 else f"{'1' * (indent - 2)}."
    marker = marker.ljust(indent)
    pad = " " * indent
    block = [pad + "~~~py", *(pad + line for line in CODE), pad + " " * closing + "~~~"]
    text = "\n".join([f"{marker}text", "", *block, "", f"{pad}after", ""])
    chunks = _split(text)
    parts = [chunk for chunk in chunks if "line_" in chunk.content]
    assert len(parts) > 2
    for part in parts:
        assert is_same_block(part.content, Kind.FENCE)
        assert len(part.content) <= 100


@pytest.mark.parametrize(
    ("before", "mark"),
    [
        ("", ">     "),
        ("", ">\t\t"),
        ("> text\n>\n", ">     "),
        ("> > text\n> >\n", "> >     "),
        ("1. text\n\n", "       "),
        ("[^1]: text\n\n", "        "),
    ],
)
def test_indented_code_in_a_container_is_cut_into_indented_code(before, mark):
    chunks = _split(before + _text(mark, mark, CODE))
    parts = [chunk for chunk in chunks if "line_" in chunk.content]
    assert len(parts) > 2
    for part in parts:
        assert list(parse(part.content).blocks.kinds) == [Kind.INDENTED_CODE]
        assert len(part.content) <= 100


def test_indented_code_that_opens_an_item_is_cut_into_indented_code():
    chunks = _split(_text("-     ", "      ", CODE))
    assert len(chunks) > 2
    for chunk in chunks:
        assert list(parse(chunk.content).blocks.kinds) == [Kind.INDENTED_CODE]


def test_indented_code_of_list_markers_is_cut_between_lines():
    chunks = _split("    -\n" * 60)
    assert len(chunks) > 2
    assert not any(chunk.metadata["allow_oversize"] for chunk in chunks)


def test_lines_of_code_that_look_like_fences_end_no_part():
    code = ["~~", "    ~~~", "```", "~~~~x", "  ```py"] * 8
    pad = " " * 6
    block = [pad + "~~~py", *(pad + line for line in code), pad + "~~~"]
    chunks = _split("\n".join(["- a", "  - b", "    - c", "", *block, ""]))
    assert len(chunks) > 3
    assert not any(chunk.metadata["allow_oversize"] for chunk in chunks)


@pytest.mark.parametrize("size", [20, 40, 60, 100, 150])
def test_a_table_with_an_unbreakable_space_in_its_last_row(size):
    """The last row was parted from the marker that stands alone on its line."""
    text = (
        "   1.\n      |a | b |\n      |---|:-:|\n      | End word | x |\n"
        "      | これは文です。 👩\u200d👩\u200d👧 | x |\n      | \xa0 | x"
    )
    _split(text, size)


def test_html_in_an_item_is_cut_between_its_lines():
    text = " *\n   <div>\n" + "   <p>x</p>\n" * 20 + "   </div>\n"
    chunks = _split(text, 25)
    assert chunks[0].content.startswith(" *\n   <div>")
    assert "\n".join(chunk.content for chunk in chunks) == text.rstrip()
    assert all(len(chunk.content) <= 25 for chunk in chunks)


def test_html_after_a_marker_on_its_own_line_is_cut_to_any_limit():
    assert all(len(chunk.content) == 1 for chunk in _split(" *\n   ><v>", 1))
