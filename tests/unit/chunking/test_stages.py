"""Stages of the chunker by themselves, with a configuration and chunks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from outcrop import (
    Chunk,
    ChunkConfig,
    FallbackStrategy,
    HeaderProcessor,
    MarkdownChunker,
    SectionSplitter,
    StructuralStrategy,
    analyse,
)
from outcrop.model.chunk import NO_OFFSET
from promises import check_promises

TEXT = "# Guide\n\n" + "\n\n".join(
    f"## Part {part}\n\n" + " ".join(f"Sentence {n} of part {part}." for n in range(6))
    for part in range(4)
)
CONFIG = ChunkConfig(max_chunk_size=90, min_chunk_size=1, overlap_size=0)


def _apply(strategy, text=TEXT, config=CONFIG):
    return strategy.apply(text, analyse(text), config)


def _foreign(*contents):
    """Chunks of another program: it knows their lines alone."""
    return [
        Chunk(content=content, start_line=line, end_line=line, metadata={})
        for line, content in enumerate(contents, 1)
    ]


def test_row_0_13_a_heading_goes_to_the_chunk_with_its_text():
    chunks = _foreign("one\n\n## Title", "text of it")
    first, second = HeaderProcessor(CONFIG).prevent_dangling_headers(chunks)
    assert first.content == "one"
    assert second.content.split() == ["##", "Title", "text", "of", "it"]
    assert second.metadata["dangling_header_fixed"]


def test_row_0_13_a_chunk_of_headings_alone_joins_the_next():
    chunks = _foreign("# A", "text")
    (chunk,) = HeaderProcessor(CONFIG).prevent_dangling_headers(chunks)
    assert chunk.content.split() == ["#", "A", "text"]


def test_row_0_12_a_section_over_the_limit_repeats_its_headings():
    content = "## Title\n\n" + "Some words here. " * 12
    (chunk,) = _foreign(content.strip())
    parts = SectionSplitter(CONFIG).split_oversize_sections([chunk])
    assert len(parts) > 2
    assert all(part.content.startswith("## Title\n\n") for part in parts)
    assert all(len(part.content) <= 90 for part in parts)
    assert [part.metadata["split_index"] for part in parts] == list(range(len(parts)))


def test_row_0_12_what_fits_stays_as_it_is():
    chunks = _foreign("one", "two")
    parts = SectionSplitter(CONFIG).split_oversize_sections(chunks)
    assert [part.content for part in parts] == ["one", "two"]
    assert [part.start_line for part in parts] == [1, 2]


@pytest.mark.parametrize("strategy", [StructuralStrategy(), FallbackStrategy()])
@pytest.mark.parametrize("text", [TEXT, None])
def test_row_0_12_the_stages_one_after_the_other_give_what_the_chunker_gives(
    strategy, text
):
    config = replace(CONFIG, strategy=strategy.name)
    chunks = _apply(strategy)
    chunks = HeaderProcessor(config).prevent_dangling_headers(chunks, text)
    chunks = SectionSplitter(config).split_oversize_sections(chunks, text)
    check_promises(TEXT, chunks, config)
    expected = MarkdownChunker(config).chunk(TEXT)
    assert [chunk.content for chunk in chunks] == [one.content for one in expected]
    assert [chunk.start_line for chunk in chunks] == [
        one.start_line for one in expected
    ]


def test_row_0_12_chunks_without_offsets_stay_without_them():
    (chunk,) = SectionSplitter(CONFIG).split_oversize_sections(_foreign("one"))
    assert chunk.start_offset == chunk.end_offset == NO_OFFSET


def test_row_0_12_fields_of_others_are_kept_and_computed_ones_are_not():
    (chunk,) = _foreign("word " * 30)
    chunk.metadata.update(topic="tea", oversize_reason="none of yours")
    parts = SectionSplitter(CONFIG).split_oversize_sections([chunk])
    assert {part.metadata["topic"] for part in parts} == {"tea"}
    assert not any("oversize_reason" in part.metadata for part in parts)


@pytest.mark.parametrize("chunks", [[], _foreign(" ")])
def test_row_0_12_nothing_gives_nothing(chunks):
    assert HeaderProcessor(CONFIG).prevent_dangling_headers(chunks) == []
    assert SectionSplitter(CONFIG).split_oversize_sections(chunks) == []
