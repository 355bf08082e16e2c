"""Whatever the document and the settings, every promise holds."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_text import any_text, documents

from outcrop import ChunkConfig, InvariantValidator, MarkdownChunker
from outcrop.chunking.config import STRATEGY_NAMES
from promises import check_promises

_SETTINGS = settings(
    max_examples=300, deadline=None, suppress_health_check=list(HealthCheck)
)


@st.composite
def configs(draw: st.DrawFn) -> ChunkConfig:
    return ChunkConfig(
        max_chunk_size=draw(st.sampled_from([1, 7, 40, 100, 250, 1000])),
        oversize_blocks=draw(st.sampled_from(["keep", "split"])),
        strategy=draw(st.sampled_from([None, *STRATEGY_NAMES])),
        oversize_tolerance=draw(st.sampled_from([0.0, 0.0, 0.2])),
        length=draw(st.sampled_from([None, None, lambda text: len(text.split())])),
    )


@given(documents(), configs())
@_SETTINGS
def test_hostile_documents_keep_every_promise(text: str, config: ChunkConfig) -> None:
    check_promises(text, MarkdownChunker(config).chunk(text), config)


@given(any_text(), configs())
@_SETTINGS
def test_any_string_keeps_every_promise(text: str, config: ChunkConfig) -> None:
    check_promises(text, MarkdownChunker(config).chunk(text), config)


@st.composite
def odd_configs(draw: st.DrawFn) -> ChunkConfig:
    """Any settings that `ChunkConfig` accepts."""
    most = draw(st.integers(1, 300))
    return ChunkConfig(
        max_chunk_size=most,
        min_chunk_size=draw(st.none() | st.integers(1, most)),
        overlap_size=draw(st.none() | st.integers(0, most - 1)),
        code_threshold=draw(st.floats(0, 1)),
        structure_threshold=draw(st.integers(1, 6)),
        oversize_tolerance=draw(st.sampled_from([0.0, 0.05, 0.2, 0.5, 3.0])),
        oversize_blocks=draw(st.sampled_from(["keep", "split"])),
        strategy=draw(st.sampled_from([None, *STRATEGY_NAMES])),
        length=draw(st.sampled_from([None, lambda text: len(text.split())])),
    )


@given(documents(), odd_configs())
@_SETTINGS
def test_row_1_21_the_strict_validator_agrees_with_the_chunker(
    text: str, config: ChunkConfig
) -> None:
    chunker = MarkdownChunker(config)
    leaves = chunker.chunk_hierarchical(text).get_flat_chunks()
    for chunks in (chunker.chunk(text), leaves):
        result = InvariantValidator(config, strict=True).validate(chunks, text)
        assert result.errors == []
        assert all(
            chunk.metadata["allow_oversize"] == ("oversize_reason" in chunk.metadata)
            for chunk in chunks
        )
