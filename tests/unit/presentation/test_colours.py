"""A text with colours is still the text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from outcrop.model.chunk import Chunk
from outcrop.presentation.chunks import show_chunks
from outcrop.presentation.colours import Colours
from outcrop.presentation.document_html import chunks_html

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
