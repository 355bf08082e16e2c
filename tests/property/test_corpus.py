"""The promises over real documents, where the corpus is at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from outcrop import ChunkConfig, MarkdownChunker
from promises import check_promises

_CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "markdown"
_FILES = sorted(_CORPUS.glob("*.md")) if _CORPUS.is_dir() else []
_PARTS = 8
_LIMITS = [200, 1000, 4000]
# `make test` tries every document with one of the limits, `make test-full` with all.
_TRIED = [
    pytest.param(
        part, limit, marks=[] if part % len(_LIMITS) == number else [pytest.mark.full]
    )
    for part in range(_PARTS)
    for number, limit in enumerate(_LIMITS)
]


@pytest.mark.skipif(not _FILES, reason="the corpus of real documents is not here")
@pytest.mark.parametrize("oversize_blocks", ["keep", "split"])
@pytest.mark.parametrize(("part", "limit"), _TRIED)
def test_real_documents_keep_every_promise(part, limit, oversize_blocks):
    config = ChunkConfig(max_chunk_size=limit, oversize_blocks=oversize_blocks)
    chunker = MarkdownChunker(config)
    for path in _FILES[part::_PARTS]:
        text = path.read_bytes().decode()
        try:
            check_promises(text, chunker.chunk(text), config)
        except AssertionError as broken:
            raise AssertionError(f"{path.name}: {broken}") from broken
