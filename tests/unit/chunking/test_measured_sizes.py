"""Sizes that are measured, tokens above all: parts do not add up to the whole."""

from __future__ import annotations

import pytest

from outcrop import ChunkConfig, MarkdownChunker, TokenCounter
from outcrop.errors import ChunkConfigError
from promises import check_promises


def _cut(text, **settings):
    config = ChunkConfig(**settings)
    chunks = MarkdownChunker(config).chunk(text)
    check_promises(text, chunks, config)
    return chunks


def _octets(text):
    return len(text.encode("utf-8", "surrogatepass"))


def _more_behind_an_a(text):
    return len(text) + 5 * text.rstrip().endswith("a")


def test_a_block_exactly_at_the_limit_is_not_oversize():
    text = "> # word\n> \n> 10. ```py\n> \n>     ```\n"
    chunks = _cut(text, max_chunk_size=24, length=_octets)
    assert not any(chunk.metadata["allow_oversize"] for chunk in chunks)


def test_a_heading_that_nearly_fills_the_limit_keeps_its_body():
    text = f"###### Нет? {'a' * 60} Stop! Нет? ##\n\n  ---\n\n#\n    a"
    first, *_ = _cut(text, max_chunk_size=100, length=_octets, oversize_tolerance=0.2)
    assert first.content.endswith("---")


@pytest.mark.parametrize("size", range(6, 30))
def test_a_measure_that_falls_as_text_grows_is_kept(size):
    text = "bbbb bbba bbbbbbbbb bbbb bbbb bbba bbbb"
    chunks = _cut(text, max_chunk_size=size, length=_more_behind_an_a)
    assert all(_more_behind_an_a(chunk.content) <= size for chunk in chunks)


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        (
            (
                "# \n## \n# `epoを直接返す{#-apoe-ir\n識\n\n`epo パラメータを使わずに"
                "レスポンスを直接返す場合、tI はのレスポンスをのまま返します。\n\n正"
            ),
            64,
        ),
        (
            (
                '# aic 認証{#hbsth\nれを受け取れない場合、HTTP 1"Unauthorized" エラーを'
                "返します。\n\n。\n\n# \n## "
            ),
            40,
        ),
        ("# нтйнерысескькпроцси  сослчаи{#oerh-uoceadil-ss}\n\nКо*", 40),
    ],
)
def test_tokens_keep_the_promises(text, limit):
    chunks = _cut(text, max_chunk_size=limit, length=TokenCounter().count)
    assert all(TokenCounter().count(chunk.content) <= limit for chunk in chunks)


def test_a_part_keeps_its_number_where_the_next_heading_is_cut_too():
    chunks = _cut("# word\n## word\n", max_chunk_size=3)
    continued = [c for c in chunks if c.metadata.get("continued_from_header")]
    assert continued
    assert all(chunk.metadata["split_index"] > 0 for chunk in continued)


@pytest.mark.parametrize("size", ["3", None, -1, float("nan")])
def test_a_function_that_returns_no_size_is_named(size):
    chunker = MarkdownChunker(ChunkConfig(length=lambda _: size))
    with pytest.raises(ChunkConfigError, match="must return a number of at least 0"):
        chunker.chunk("# Tea\n\nHeat the water.\n")
