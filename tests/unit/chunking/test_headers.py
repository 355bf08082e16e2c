"""No chunk ends in a heading whose text is in the next."""

from __future__ import annotations

import pytest

from outcrop.chunking.headers import keep_headings_with_text
from outcrop.chunking.strategies import FallbackStrategy, StructuralStrategy


@pytest.fixture
def mended(lay_out):
    """Drafts of a strategy after the headings were moved."""

    def run(strategy, text, **settings):
        layout = lay_out(text, **settings)
        drafts = strategy.drafts(layout)
        result = keep_headings_with_text(drafts, layout)
        assert "".join(text[draft.start : draft.end] for draft in result) == text
        return result

    return run


def _texts(text, drafts):
    return [text[draft.start : draft.end].strip() for draft in drafts]


def test_a_heading_moves_to_its_body(mended):
    text = f"{'word ' * 8}\n\n# A\n\n{'body ' * 8}\n"
    first, second = mended(FallbackStrategy(), text, max_chunk_size=50)
    assert text[first.start : first.end].strip() == ("word " * 8).strip()
    assert text[second.start :].startswith("# A\n\nbody")
    assert second.heading_moved
    assert not second.is_merged
    assert (second.stage, second.rule) == ("headers", "dangling_heading")


def test_a_run_of_headings_moves_as_one(mended):
    text = f"{'word ' * 6}\n\n# A\n\n## B\n\n#### C\n\n{'body ' * 8}\n"
    drafts = mended(FallbackStrategy(), text, max_chunk_size=55)
    assert _texts(text, drafts)[1].startswith("# A\n\n## B\n\n#### C\n\nbody")


def test_a_chunk_of_nothing_but_headings_vanishes(mended):
    text = "# A\n\n## B\n\nbody\n"
    (draft,) = mended(StructuralStrategy(), text)
    assert draft.is_merged
    assert draft.heading_moved
    assert (draft.stage, draft.rule) == ("strategy", "heading")


def test_an_empty_section_before_an_equal_heading_stays(mended):
    text = "## A\n\n## B\n\nbody\n"
    drafts = mended(StructuralStrategy(), text)
    assert _texts(text, drafts) == ["## A", "## B\n\nbody"]
    assert not any(draft.heading_moved for draft in drafts)


def test_an_empty_section_before_a_higher_heading_stays(mended):
    text = "### A\n\n# B\n\nbody\n"
    drafts = mended(StructuralStrategy(), text)
    assert _texts(text, drafts) == ["### A", "# B\n\nbody"]


def test_only_the_headings_over_the_body_move(mended):
    text = "# A\n\n## B\n\n## C\n\nbody\n"
    drafts = mended(StructuralStrategy(), text)
    assert _texts(text, drafts) == ["# A\n\n## B", "## C\n\nbody"]


def test_a_heading_at_the_end_of_the_document_stays_in_the_last_chunk(cut):
    chunks = cut("# A\n\ntext\n\n## Last\n", max_chunk_size=4000)
    assert chunks[-1].content.endswith("## Last")


def test_all_levels_are_kept_with_their_body(cut):
    for level in range(1, 7):
        text = f"{'word ' * 8}\n\n{'#' * level} A\n\n{'body ' * 7}\n"
        first, second = cut(text, max_chunk_size=50, strategy="fallback")
        assert not first.content.endswith("A")
        assert second.content.startswith("#" * level + " A")


def test_a_setext_heading_is_kept_with_its_body(cut):
    text = f"{'word ' * 7}\n\nTitle\n===\n\n{'body ' * 7}\n"
    _, second = cut(text, max_chunk_size=50, strategy="fallback")
    assert second.content.startswith("Title\n===\n\nbody")


# What the metadata tells of it


def test_a_moved_heading_names_the_chunk_it_came_from(cut):
    text = f"{'word ' * 8}\n\n# A\n\n{'body ' * 7}\n"
    first, second = cut(text, max_chunk_size=50, strategy="fallback")
    assert second.metadata["dangling_header_fixed"] is True
    assert second.metadata["header_moved_from_id"] == first.chunk_id
    assert "merge_reason" not in second.metadata
    assert "dangling_header_fixed" not in first.metadata


def test_the_id_is_the_final_one_of_the_chunk_before(cut):
    text = f"# S\n\n{'word ' * 30}\n\n{'more ' * 6}\n\n## A\n\n{'body ' * 8}\n"
    chunks = cut(text, max_chunk_size=60, min_chunk_size=1, strategy="fallback")
    (moved,) = [c for c in chunks if c.metadata.get("header_moved_from_id")]
    before = chunks[chunks.index(moved) - 1]
    assert moved.metadata["header_moved_from_id"] == before.chunk_id


def test_a_merged_heading_has_no_source_left(cut):
    text = "# A\n\n## B\n\nbody\n"
    (chunk,) = cut(text, min_chunk_size=1, strategy="structural")
    assert chunk.metadata["dangling_header_fixed"] is True
    assert chunk.metadata["merge_reason"] == "dangling_header_prevention"
    assert chunk.metadata["header_moved_from_id"] is None


def test_chunks_without_a_moved_heading_say_nothing_of_it(cut):
    for chunk in cut("# A\n\none\n\n# B\n\ntwo\n", min_chunk_size=1):
        assert not {
            "dangling_header_fixed",
            "header_moved_from_id",
            "merge_reason",
        } & set(chunk.metadata)
