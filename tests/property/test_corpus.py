"""The promises over real documents, where the corpus is at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from outcrop import ChunkConfig, MarkdownChunker
from promises import check_promises

_CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "markdown"
_FILES = sorted(_CORPUS.glob("*.md")) if _CORPUS.is_dir() else []
_PARTS = 8  # of the corpus, so that workers share it


@pytest.mark.skipif(not _FILES, reason="the corpus of real documents is not here")
@pytest.mark.parametrize("part", range(_PARTS))
@pytest.mark.parametrize("oversize_blocks", ["keep", "split"])
@pytest.mark.parametrize("limit", [200, 1000, 4000])
def test_real_documents_keep_every_promise(limit, oversize_blocks, part):
    config = ChunkConfig(max_chunk_size=limit, oversize_blocks=oversize_blocks)
    chunker = MarkdownChunker(config)
    for path in _FILES[part::_PARTS]:
        text = path.read_bytes().decode()
        try:
            check_promises(text, chunker.chunk(text), config)
        except AssertionError as broken:
            raise AssertionError(f"{path.name}: {broken}") from broken
