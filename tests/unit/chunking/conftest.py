"""Cutting a document and holding it to the promises, in one step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import pytest

from outcrop import ChunkConfig, MarkdownChunker
from outcrop.chunking.layout import Layout
from outcrop.markdown import parse
from promises import check_promises

if TYPE_CHECKING:
    from outcrop import Chunk


class Cut(Protocol):
    """Chunks a text with the settings given."""

    def __call__(self, text: str, **settings: Any) -> list[Chunk]: ...


@pytest.fixture
def cut() -> Cut:
    """Cut a text; whatever else a test is about, the promises hold."""

    def run(text: str, **settings: Any) -> list[Chunk]:
        config = ChunkConfig(**settings)
        chunks = MarkdownChunker(config).chunk(text)
        check_promises(text, chunks, config)
        return chunks

    return run


@pytest.fixture
def own() -> Any:
    """The texts that chunks hold themselves, without what they repeat."""

    def read(chunks: list[Chunk]) -> list[str]:
        return [
            chunk.content[len(chunk.prefix) : len(chunk.content) - len(chunk.suffix)]
            for chunk in chunks
        ]

    return read


@pytest.fixture
def lay_out() -> Any:
    """A document laid out for its stages."""

    def build(text: str, **settings: Any) -> Layout:
        return Layout(parse(text), ChunkConfig(**settings))

    return build
