"""Header stacks, and which blocks must not be parted."""

from __future__ import annotations

import pytest


def _block(layout, text: str) -> int:
    """The block that starts with a text."""
    starts = layout.document.blocks.starts
    return list(starts).index(layout.document.text.index(text))


def _stack(layout, text: str) -> str:
    return layout.stack_at(_block(layout, text)).source


def test_a_stack_is_the_heading_of_its_section(lay_out):
    layout = lay_out("# A\n\none\n\n## B\n\ntwo\n", max_chunk_size=100)
    assert _stack(layout, "one") == "# A\n\n"
    assert _stack(layout, "two") == "## B\n\n"


def test_a_stack_is_the_run_of_headings_that_opens_the_section(lay_out):
    layout = lay_out("# A\n\n## B\n\n#### C\n\nbody\n", max_chunk_size=100)
    assert _stack(layout, "body") == "# A\n\n## B\n\n#### C\n\n"


def test_text_between_headings_ends_the_run(lay_out):
    layout = lay_out("# A\n\ntext\n\n## B\n\n### C\n\nbody\n", max_chunk_size=100)
    assert _stack(layout, "body") == "## B\n\n### C\n\n"


def test_an_equal_or_higher_heading_before_is_not_of_the_run(lay_out):
    layout = lay_out(
        "## A\n\n## B\n\nbody\n\n### C\n\n# D\n\nend\n", max_chunk_size=100
    )
    assert _stack(layout, "body") == "## B\n\n"
    assert _stack(layout, "end") == "# D\n\n"


def test_outer_headings_drop_until_the_stack_takes_half_the_limit(lay_out):
    text = "# Outer title\n\n## Inner\n\n### C\n\nbody\n"
    sources = {
        size: _stack(lay_out(text, max_chunk_size=size), "body")
        for size in (100, 40, 33, 20, 16, 13)
    }
    assert sources == {
        100: "# Outer title\n\n## Inner\n\n### C\n\n",
        40: "## Inner\n\n### C\n\n",
        33: "### C\n\n",
        20: "### C\n\n",
        16: "### C\n\n",
        13: "",
    }


def test_half_the_limit_exactly_is_allowed(lay_out):
    text = "# Title\n\nbody\n"  # with its line ends the stack takes nine
    assert _stack(lay_out(text, max_chunk_size=18), "body") == "# Title\n\n"
    assert _stack(lay_out(text, max_chunk_size=17), "body") == ""


def test_a_heading_too_long_is_not_repeated(lay_out):
    layout = lay_out("# " + "long " * 20 + "\n\nbody\n", max_chunk_size=60)
    assert _stack(layout, "body") == ""


def test_a_stack_repeats_headings_in_source_form(lay_out):
    text = "Setext *title*\n---\n\n### Closed ### \n\nbody\n"
    layout = lay_out(text, max_chunk_size=200)
    assert _stack(layout, "body") == "Setext *title*\n---\n\n### Closed ###\n\n"


def test_a_stack_ends_its_lines_as_the_document_does(lay_out):
    layout = lay_out("# A\r\n\r\n## B\r\n\r\nbody\r\n", max_chunk_size=100)
    assert _stack(layout, "body") == "# A\r\n\r\n## B\r\n\r\n"


def test_a_stack_has_no_byte_order_mark(lay_out):
    layout = lay_out("\ufeff# A\n\nbody\n", max_chunk_size=100)
    assert _stack(layout, "body") == "# A\n\n"


def test_a_stack_is_measured_as_the_user_measures(lay_out):
    text = "# One two three\n\nbody\n"
    words = lambda piece: len(piece.split())  # noqa: E731 - a name for a measure
    assert _stack(lay_out(text, max_chunk_size=8, length=words), "body") != ""
    assert _stack(lay_out(text, max_chunk_size=7, length=words), "body") == ""


def test_headings_and_preambles_repeat_nothing(lay_out):
    layout = lay_out("intro\n\n# A\n\nbody\n", max_chunk_size=100)
    assert _stack(layout, "intro") == ""
    assert _stack(layout, "# A") == ""


@pytest.mark.parametrize(
    ("text", "glued"),
    [
        ("# A\n\nbody\n", [0, 1]),
        ("# A\n\n## B\n\nbody\n", [0, 1, 1]),
        ("# A\n\n# B\n\nbody\n", [0, 0, 1]),
        ("## A\n\n# B\n", [0, 0]),
        ("text\n\n# A\n", [0, 0]),
        ("# A\n\n[ref]: x\n", [0, 1]),
        ("# A\n\n```\nx\n```\n\ntext\n", [0, 1, 0]),
        ("# A\n\n- one\n- two\n", [0, 1, 0]),
    ],
)
def test_a_heading_is_glued_to_its_body_and_to_a_deeper_heading(lay_out, text, glued):
    layout = lay_out(text)
    assert list(layout.glued[: len(layout.document.blocks)]) == glued


def test_a_stretch_fits_without_the_space_behind_it(lay_out):
    layout = lay_out("abcde\n\n\n\nf\n", max_chunk_size=100)
    assert layout.fits(0, 9, 5)
    assert not layout.fits(0, 9, 4)
    assert not layout.fits(0, 10, 9)


def test_a_measured_stretch_fits_by_its_measure(lay_out):
    text = "one two\n\nthree four\n\nfive\n"
    layout = lay_out(text, max_chunk_size=100, length=lambda piece: len(piece.split()))
    assert layout.fits(0, len(text), 5)
    assert not layout.fits(0, len(text), 4)
    assert layout.fits(0, text.index("five"), 4)


def test_the_first_block_of_a_section_is_its_outermost_heading(lay_out):
    layout = lay_out("text\n\n# A\n\n## B\n\nbody\n\n## C\n")
    assert [layout.first_block(section) for section in range(3)] == [1, 1, 4]
