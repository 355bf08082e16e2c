"""A text that is cut window by window gives exactly the chunks of the whole."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from markdown_text import any_text, texts_with_headings

from outcrop import ChunkConfig, MarkdownChunker
from outcrop.chunking.config import STRATEGY_NAMES

_SETTINGS = settings(
    max_examples=60, deadline=None, suppress_health_check=list(HealthCheck)
)
_ROOT = Path(__file__).parents[2]
_CORPUS = _ROOT.parent / "shared" / "corpus" / "markdown"
_OWN = sorted([*_ROOT.glob("docs/**/*.md"), *_ROOT.glob("tests/documents/*.md")])
_FILES = sorted(_CORPUS.glob("*.md")) if _CORPUS.is_dir() else []
_WINDOWS = (60, 250, 1000, 4096)
_PARTS = 4


@st.composite
def _configs(draw: st.DrawFn) -> ChunkConfig:
    most = draw(st.sampled_from([7, 40, 100, 250, 1000]))
    return ChunkConfig(
        max_chunk_size=most,
        min_chunk_size=draw(st.none() | st.integers(1, most)),
        overlap_size=draw(st.none() | st.integers(0, most - 1)),
        oversize_blocks=draw(st.sampled_from(["keep", "split"])),
        strategy=draw(st.sampled_from([None, None, *STRATEGY_NAMES])),
        oversize_tolerance=draw(st.sampled_from([0.0, 0.0, 0.2])),
        length=draw(st.sampled_from([None, None, lambda text: len(text.split())])),
    )


def _check(text: str, config: ChunkConfig, window: int) -> None:
    chunker = MarkdownChunker(config)
    reader = io.StringIO(text, newline="")
    streamed = list(chunker.chunk_stream(reader, window_chars=window))
    assert streamed == chunker.chunk(text)
    whole = [list(chunk.metadata) for chunk in chunker.chunk(text)]
    assert [list(chunk.metadata) for chunk in streamed] == whole, "order of the fields"


_DEFINED_LATER = (
    "# [x]\n\nWords.\n\n# Two\n\nWords.\n\n# Three\n\nEnd.\n\n# Four\n\n[x]: u\n"
)
_SWALLOWED = (
    "# [x] one\n\nWords.\n\n# Two\n\nMore.\n\n# Three\n\n---\n# Four\n\n[x]: u\n\n# Five\n\n"
    "Words.\n\n# Six\n\nWords.\n\n---\n\n# Seven\n\nWords and words and words.\n"
)
_NESTED_RULE = "\n\n".join(
    ["# A", "- ---\n  foo", *(f"# H{n}\n\n[^1]: x\n\nWords." for n in range(9)), "..."]
)


@given(texts_with_headings(), _configs(), st.integers(60, 4096) | st.integers(1, 60))
@example(_DEFINED_LATER, ChunkConfig(max_chunk_size=40), 20)
@example(_DEFINED_LATER.replace("\n", "\r"), ChunkConfig(max_chunk_size=40), 20)
@example(_SWALLOWED, ChunkConfig(max_chunk_size=40), 60)
@example(_NESTED_RULE, ChunkConfig(max_chunk_size=40), 60)
@_SETTINGS
def test_windows_of_hostile_documents_give_the_chunks_of_the_whole(
    text: str, config: ChunkConfig, window: int
) -> None:
    _check(text, config, window)


_PLAIN = st.sampled_from(
    [
        *("Some words. More words.", "Words " * 40, "```\ncode\n```", "| a |\n|---|"),
        *("- a\n- b", "> quoted", "[x]: u", "[x] and $$y$$ here", "***", "    code"),
        *("{a}", "+++", "\ufeffmark", "<div>", "1. one\n\n2. two", "[^n]: note"),
    ]
)


@given(st.lists(_PLAIN, min_size=1, max_size=40), _configs(), st.integers(1, 300))
@_SETTINGS
def test_windows_of_documents_without_headings_give_the_chunks_of_the_whole(
    blocks: list[str], config: ChunkConfig, window: int
) -> None:
    _check("\n\n".join(blocks), config, window)


@given(any_text(), _configs(), st.integers(1, 60))
@_SETTINGS
def test_windows_of_any_string_give_the_chunks_of_the_whole(
    text: str, config: ChunkConfig, window: int
) -> None:
    _check(text, config, window)


@pytest.mark.parametrize("window", _WINDOWS)
@pytest.mark.parametrize("strategy", [None, *STRATEGY_NAMES])
def test_windows_of_our_own_documents_give_the_chunks_of_the_whole(strategy, window):
    config = ChunkConfig(max_chunk_size=500, strategy=strategy)
    for path in _OWN:
        _check(path.read_bytes().decode(), config, window)


@pytest.mark.skipif(not _FILES, reason="the corpus of real documents is not here")
@pytest.mark.parametrize("part", range(_PARTS))
@pytest.mark.parametrize("window", _WINDOWS)
def test_windows_of_real_documents_give_the_chunks_of_the_whole(window, part):
    for index, path in enumerate(_FILES[part::_PARTS]):
        config = ChunkConfig(
            max_chunk_size=(300, 1000, 4096)[index % 3],
            oversize_blocks=("keep", "split")[index % 2],
        )
        text = path.read_bytes().decode()
        if len(text) < 100 * window:  # much larger ones take too long in tiny windows
            _check(text, config, window)
