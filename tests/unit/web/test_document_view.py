"""A document on the page: every line once, with the reason of every boundary."""

from __future__ import annotations

import pytest

from outcrop import ChunkConfig, MarkdownChunker
from outcrop.web.cut_view import CutSettings, cut_anew
from outcrop.web.document_view import show_chunks

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
    shown = shown_text(show_chunks(text, chunks, measure=lambda chunk: 1))
    for number, line in enumerate(text.split(end), 1):
        assert shown.get(number, "").strip() == line.strip()


def test_headings_and_blocks_look_different():
    chunks = MarkdownChunker(ChunkConfig(max_chunk_size=2000)).chunk(TEXT)
    styles = {
        line.number: line.style
        for chunk in show_chunks(TEXT, chunks, measure=lambda chunk: 1)
        for line in chunk.lines
    }
    assert (styles[1], styles[3], styles[8]) == ("heading", "", "block")


def test_what_neighbours_quote_is_marked():
    cut = cut_anew("a.md", TEXT, CutSettings(size=120, overlap=40))
    marked = [
        segment.text
        for chunk in cut.chunks
        for line in chunk.lines
        for segment in line.segments
        if segment.is_marked
    ]
    assert marked
    without = cut_anew("a.md", TEXT, CutSettings(size=120, overlap=0))
    assert not any(
        segment.is_marked
        for chunk in without.chunks
        for line in chunk.lines
        for segment in line.segments
    )


def test_each_boundary_has_its_reason_and_the_chart_a_bar_for_each():
    cut = cut_anew("a.md", TEXT, CutSettings(size=120))
    assert cut.chunks[0].reason == "the document begins"
    assert all(chunk.reason for chunk in cut.chunks)
    assert cut.chart is not None
    assert len(cut.chart.bars) == cut.total
    assert cut.chart.largest == max(chunk.size for chunk in cut.chunks)
    assert [node.title for node in cut.nodes] == ["A", "B"]


def test_a_blank_text_has_nothing_to_show():
    cut = cut_anew("a.md", " \n", CutSettings())
    assert (cut.chunks, cut.nodes, cut.chart) == ([], [], None)
