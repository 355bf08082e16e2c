"""Stages by themselves keep every promise, whatever a strategy proposes."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_text import documents

from outcrop import (
    ChunkConfig,
    HeaderProcessor,
    SectionSplitter,
    StrategySelector,
    analyse,
)
from promises import check_promises

_SETTINGS = settings(
    max_examples=150, deadline=None, suppress_health_check=list(HealthCheck)
)
_CONFIGS = st.builds(
    ChunkConfig,
    max_chunk_size=st.sampled_from([1, 7, 40, 100, 1000]),
    oversize_blocks=st.sampled_from(["keep", "split"]),
    oversize_tolerance=st.sampled_from([0.0, 0.2]),
)
_STRATEGIES = st.sampled_from(StrategySelector().strategies)


def _run(chunks, config, text=None):
    chunks = HeaderProcessor(config).prevent_dangling_headers(chunks, text)
    return SectionSplitter(config).split_oversize_sections(chunks, text)


@given(documents(), _CONFIGS, _STRATEGIES)
@_SETTINGS
def test_row_0_12_the_stages_keep_every_promise(text, config, strategy):
    chunks = _run(strategy.apply(text, analyse(text), config), config, text)
    check_promises(text, chunks, config)


@given(documents(), _CONFIGS, _STRATEGIES)
@_SETTINGS
def test_row_0_12_nothing_is_lost_without_the_text(text, config, strategy):
    chunks = _run(strategy.apply(text, analyse(text), config), config)
    own = [
        chunk.content[len(chunk.prefix) : len(chunk.content) - len(chunk.suffix)]
        for chunk in chunks
    ]
    assert "".join("".join(own).split()) == "".join(text.split())
