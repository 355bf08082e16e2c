"""A document that was cut: quotations, reasons, sizes and sections."""

from __future__ import annotations

import pytest

from outcrop.chunking.config import STRATEGY_NAMES
from outcrop.web.document_cut import CutSettings, cut_again

TEXT = (
    "# A\n\nFirst words of the text.\n\n## B\n\n```\ncode\n```\n\n"
    + "More words. " * 30
)


@pytest.mark.parametrize("name", STRATEGY_NAMES)
def test_every_strategy_that_the_page_offers_can_be_sent(name):
    assert CutSettings(strategy=name).config().strategy == name


def test_what_neighbours_quote_is_marked():
    cut = cut_again("a.md", TEXT, CutSettings(size=120, overlap=40))
    marked = [
        segment.text
        for chunk in cut.chunks
        for line in chunk.lines
        for segment in line.segments
        if segment.is_marked
    ]
    assert marked
    without = cut_again("a.md", TEXT, CutSettings(size=120, overlap=0))
    assert not any(
        segment.is_marked
        for chunk in without.chunks
        for line in chunk.lines
        for segment in line.segments
    )


def test_each_boundary_has_its_reason_and_the_chart_a_bar_for_each():
    cut = cut_again("a.md", TEXT, CutSettings(size=120))
    assert cut.chunks[0].reason == "the document begins"
    assert all(chunk.reason for chunk in cut.chunks)
    assert cut.chart is not None
    assert len(cut.chart.bars) == cut.total
    assert cut.chart.largest == max(chunk.size for chunk in cut.chunks)
    assert [node.title for node in cut.nodes] == ["A", "B"]


def test_a_blank_text_has_nothing_to_show():
    cut = cut_again("a.md", " \n", CutSettings())
    assert (cut.chunks, cut.nodes, cut.chart) == ([], [], None)
