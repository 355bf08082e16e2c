from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_text import any_text, documents

from outcrop import ChunkConfig, MarkdownChunker
from promises import check_promises

_SETTINGS = settings(
    max_examples=300, deadline=None, suppress_health_check=list(HealthCheck)
)


@st.composite
def configs(draw: st.DrawFn) -> ChunkConfig:
    return ChunkConfig(
        max_chunk_size=draw(st.sampled_from([1, 7, 40, 100, 250, 1000])),
        oversize_blocks=draw(st.sampled_from(["keep", "split"])),
        strategy=draw(st.sampled_from([None, "code_aware", "structural", "fallback"])),
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
