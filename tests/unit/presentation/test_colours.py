"""A text with colours is still the text."""

from __future__ import annotations

import re
from importlib import resources
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outcrop.codegraph.colouring import TokenKind
from outcrop.model.chunk import Chunk
from outcrop.presentation.chunks import show_chunks
from outcrop.presentation.document_html import chunks_html
from outcrop.presentation.text import Colours

PAPER = {0: ["#f1eee7", "#fffefb"], 1: ["#15171b", "#1a1c21"]}  # light and dark
MIN_CONTRAST = 4.5
STYLE = (
    resources.files("outcrop.presentation").joinpath("static/colours.css").read_text()
)
TEXT = 'def f(x: int) -> str:\n    """Text."""\n    return f"a {x} b"  # why\n'


@given(st.integers(0, len(TEXT)), st.integers(0, len(TEXT)), st.booleans())
def test_segments_of_a_range_are_its_text(start, end, is_marked):
    segments = list(Colours(TEXT, "python").segments(start, end, is_marked=is_marked))
    assert "".join(segment.text for segment in segments) == TEXT[start:end]
    assert all(segment.text for segment in segments)
    assert all(segment.is_marked == is_marked for segment in segments)


def test_a_text_without_a_language_is_one_segment():
    (segment,) = Colours(TEXT).segments(0, len(TEXT))
    assert (segment.text, segment.kind) == (TEXT, "")


def test_a_chunk_of_code_has_colours_and_everything_is_escaped():
    text = 'x = "<script>"\n'
    whole = Chunk(
        content=text,
        start_line=1,
        end_line=1,
        start_offset=0,
        end_offset=len(text),
        metadata={},
    )
    shown = chunks_html(show_chunks(text, [whole], None, lang="python"), 1)
    assert '<span class="t-string">&quot;&lt;script&gt;&quot;</span>' in shown
    assert "<script" not in shown
    assert "t-string" not in chunks_html(show_chunks(text, [whole], None), 1)


def luminance(colour):
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4
        for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("kind", get_args(TokenKind))
def test_every_kind_of_token_can_be_read_in_the_light_and_in_the_dark(kind):
    rule = re.search(rf"\.t-{kind} {{ color: light-dark\((#\w+), (#\w+)\)", STYLE)
    assert rule is not None
    for theme, colour in enumerate(rule.groups()):
        for paper in PAPER[theme]:
            low, high = sorted([luminance(colour), luminance(paper)])
            assert (high + 0.05) / (low + 0.05) >= MIN_CONTRAST
