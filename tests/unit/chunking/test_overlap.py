"""Neighbours are quoted in the metadata; a chunk's own text stays its own."""

from __future__ import annotations

from itertools import pairwise

TEXT = "\n\n".join(
    f"This is paragraph number {number}, with a few words in it."
    for number in range(12)
)


def test_neighbours_are_quoted(cut):
    chunks = cut(TEXT, max_chunk_size=200, overlap_size=40)
    assert len(chunks) > 2
    for before, after in pairwise(chunks):
        assert before.content.endswith(after.metadata["previous_content"])
        assert after.content.startswith(before.metadata["next_content"])
        assert 0 < len(after.metadata["previous_content"]) <= 40
        assert 0 < len(before.metadata["next_content"]) <= 40


def test_the_first_has_nothing_before_it_and_the_last_nothing_behind(cut):
    chunks = cut(TEXT, max_chunk_size=200, overlap_size=40)
    assert "previous_content" not in chunks[0].metadata
    assert "next_content" not in chunks[-1].metadata


def test_overlap_changes_metadata_alone(cut):
    quoted = cut(TEXT, max_chunk_size=200, overlap_size=40)
    plain = cut(TEXT, max_chunk_size=200, overlap_size=0)
    assert [chunk.content for chunk in quoted] == [chunk.content for chunk in plain]
    assert [chunk.chunk_id for chunk in quoted] == [chunk.chunk_id for chunk in plain]


def test_no_overlap_quotes_nothing(cut):
    for chunk in cut(TEXT, max_chunk_size=200, overlap_size=0):
        assert not {"previous_content", "next_content"} & set(chunk.metadata)


def test_quotations_hold_whole_words(cut):
    words = set(TEXT.split())
    for chunk in cut(TEXT, max_chunk_size=200, overlap_size=33):
        for field in ("previous_content", "next_content"):
            assert set(chunk.metadata.get(field, "").split()) <= words


def test_a_neighbour_smaller_than_the_overlap_is_quoted_whole(cut):
    text = f"# A\n\nshort\n\n# B\n\n{'word ' * 30}\n"
    first, second, *_ = cut(
        text,
        max_chunk_size=100,
        min_chunk_size=1,
        overlap_size=80,
        strategy="structural",
    )
    assert second.metadata["previous_content"] == first.content


def test_repeated_headings_are_not_quoted(cut):
    text = f"# Title\n\n{TEXT}"
    chunks = cut(text, max_chunk_size=200, overlap_size=60)
    assert all(chunk.prefix for chunk in chunks[1:])
    for chunk in chunks[:-1]:
        assert "# Title" not in chunk.metadata["next_content"]


def test_the_overlap_is_measured_as_the_user_measures(cut):
    chunks = cut(
        TEXT, max_chunk_size=30, overlap_size=5, length=lambda piece: len(piece.split())
    )
    assert len(chunks) > 2
    for before, after in pairwise(chunks):
        assert 0 < len(after.metadata["previous_content"].split()) <= 5
        assert 0 < len(before.metadata["next_content"].split()) <= 5
        assert before.content.endswith(after.metadata["previous_content"])


def test_quotations_are_verbatim_with_any_line_end(cut):
    text = TEXT.replace("\n", "\r\n")
    for before, after in pairwise(cut(text, max_chunk_size=200, overlap_size=70)):
        assert before.content.endswith(after.metadata["previous_content"])


def test_a_single_chunk_has_no_neighbours(cut):
    (chunk,) = cut("All of it.", overlap_size=50)
    assert not {"previous_content", "next_content"} & set(chunk.metadata)
