"""Display math right above a line of dashes is a heading, and still never cut."""

from __future__ import annotations

import pytest

from outcrop.markdown import parse

FORMULA = "$$\n" + "x = y + z\n" * 14 + "$$"


@pytest.mark.parametrize("underline", ["---", "===", "-"])
@pytest.mark.parametrize("mode", ["keep", "split"])
@pytest.mark.parametrize("after", ["", "\n\ntext", "\n\n```\ncode\n```", "\n\n## B"])
def test_a_formula_over_a_rule_stays_whole(cut, underline, mode, after):
    heading = f"{FORMULA}\n{underline}"
    text = f"# A\n\ntext\n\n{heading}{after}\n"
    chunks = cut(text, max_chunk_size=100, min_chunk_size=1, oversize_blocks=mode)
    (large,) = [chunk for chunk in chunks if chunk.metadata["allow_oversize"]]
    assert large.content.startswith(heading)
    assert large.metadata["oversize_reason"] == "code_block_integrity"


def test_several_formulas_over_a_rule_stay_whole(cut):
    heading = f"{FORMULA}\n{FORMULA}\n---"
    chunks = cut(f"{heading}\n\ntext\n", max_chunk_size=100, min_chunk_size=1)
    assert chunks[0].content == heading


def test_text_over_a_rule_is_cut_though_it_holds_a_formula(cut):
    words = "many words of a title " * 20
    chunks = cut(f"{words}\n$$x$$ {words}\n---\n", max_chunk_size=100)
    assert all(len(chunk.content) <= 100 for chunk in chunks)


def test_a_formula_that_fits_is_a_heading_like_others(cut):
    (chunk,) = cut("$$x$$\n---\n\ntext\n", max_chunk_size=100)
    assert chunk.metadata["headers"] == ["x"]


def test_only_headings_of_nothing_but_formulas_are_unbreakable():
    document = parse(
        "$$a$$ b\n---\n\n$$a$$\n===\n\n# $$a$$ {#id}\n\n# a\n\ntext $$b$$\n"
    )
    unbreakable = [document.is_unbreakable(block) for block in range(4)]
    assert unbreakable == [False, True, True, False]
