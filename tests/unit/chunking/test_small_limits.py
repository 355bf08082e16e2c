"""Limits of a few tokens, where every space and every heading counts."""

from __future__ import annotations

import pytest

from outcrop import ChunkConfig, InvariantValidator, MarkdownChunker, TokenCounter
from promises import check_promises

FAMILY = "👩\u200d👩\u200d👧"


def _cut(text, size, **settings):
    config = ChunkConfig(max_chunk_size=size, **settings)
    chunks = MarkdownChunker(config).chunk(text)
    check_promises(text, chunks, config)
    result = InvariantValidator(config, strict=True).validate(chunks, text)
    assert result.errors == []
    return chunks


@pytest.mark.parametrize(("size", "mode"), [(12, "keep"), (12, "split"), (13, "keep")])
def test_the_space_after_display_math_is_not_counted_on_as_a_token(size, mode):
    text = f"$$$$ {FAMILY}"
    chunks = _cut(text, size, length=TokenCounter(), oversize_blocks=mode)
    assert not any(chunk.metadata["allow_oversize"] for chunk in chunks)


def test_display_math_after_many_spaces_is_within_the_limit():
    chunks = _cut("$$$$     $$$$", 7, oversize_tolerance=0.2)
    assert [chunk.content for chunk in chunks] == ["$$$$", "$$$$"]
    assert not any(chunk.metadata["allow_oversize"] for chunk in chunks)


def test_a_heading_is_repeated_where_it_fits_as_counted_in_one():
    text = "#\na\n- ~~~~y\n   > q\n   ~~~~~\n "
    settings = {"oversize_blocks": "split", "oversize_tolerance": 0.2}
    _cut(text, 12, strategy="fallback", length=TokenCounter(), **settings)


@pytest.mark.parametrize("size", range(10, 26))
@pytest.mark.parametrize("mode", ["keep", "split"])
def test_every_promise_holds_at_any_small_number_of_tokens(size, mode):
    text = (
        "# One\n\n## Two $$$$\n\nSome words. $$$$ More words!\n\n### これは文です。\n\n"
        f"- item {FAMILY}\n\n  ```py\n  x = 1\n\n  y = 2\n  ```\n\n"
        "$$\nx = y + z\n$$\n---\n\n| a | b |\n|---|---|\n| c | d |\n| e | f |\n\n"
        "## Title that is long enough to take most of the room\n\nbody $$$$ text\n"
    )
    _cut(text, size, length=TokenCounter(), oversize_blocks=mode)
