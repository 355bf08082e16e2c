"""The lines of a document on a page, each with its number and its style."""

from __future__ import annotations

import pytest

from outcrop import ChunkConfig, MarkdownChunker
from outcrop.markdown import parse
from outcrop.presentation.chunks import show_chunks

TEXT = (
    "# A\n\nFirst words of the text.\n\n## B\n\n```\ncode\n```\n\n"
    + "More words. " * 30
)


def shown_text(chunks):
    return {
        line.number: "".join(segment.text for segment in line.segments)
        for chunk in chunks
        for line in chunk.lines
    }


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_every_line_is_shown_with_its_number(end):
    text = TEXT.replace("\n", end)
    chunks = MarkdownChunker(ChunkConfig(max_chunk_size=2000)).chunk(text)
    shown = shown_text(show_chunks(text, chunks, parse(text)))
    for number, line in enumerate(text.split(end), 1):
        assert shown.get(number, "").strip() == line.strip()


def test_headings_and_blocks_look_different():
    chunks = MarkdownChunker(ChunkConfig(max_chunk_size=2000)).chunk(TEXT)
    styles = {
        line.number: line.style
        for chunk in show_chunks(TEXT, chunks, parse(TEXT))
        for line in chunk.lines
    }
    assert (styles[1], styles[3], styles[8]) == ("heading", "", "block")
