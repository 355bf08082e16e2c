"""A document with its chunks: the input of every renderer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from outcrop.presentation.text import count

if TYPE_CHECKING:
    from collections.abc import Callable

    from outcrop.chunking.hierarchy import HierarchicalChunkingResult
    from outcrop.model.chunk import Chunk


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkedDocument:
    """A document with its chunks.

    Attributes:
        path: As the user named it; `-` for standard input.
        text: The source.
        chunks: Its chunks, in order.
        limit: Maximum size of a chunk; a larger one has a reason.
        tree: The tree whose leaves the chunks are, if requested.
        lang: The language, if it was cut as code.
        length: Counts the size of a text in tokens; characters if None.
    """

    path: str
    text: str
    chunks: list[Chunk]
    limit: int
    tree: HierarchicalChunkingResult | None = None
    lang: str | None = None
    length: Callable[[str], int] | None = None

    @property
    def unit(self) -> str:
        """The unit of sizes."""
        return "characters" if self.length is None else "tokens"

    def measure(self, chunk: Chunk) -> int:
        """The size of a chunk."""
        return (self.length or len)(chunk.content)

    @property
    def strategy(self) -> str:
        """The strategy that was chosen; empty for a blank document."""
        return str(self.chunks[0].metadata["strategy"]) if self.chunks else ""

    @property
    def summary(self) -> str:
        """One line on the document: chunks, length and strategy."""
        if not self.chunks:
            return "no chunks: the document is blank"
        chunks = count(len(self.chunks), "chunk")
        if self.tree:
            nodes = count(len(self.tree.chunks), "node")
            chunks = f"{nodes}, {len(self.chunks):,} of them chunks,"
        size = count(len(self.text), "character")
        code = f" of {self.lang} code" if self.lang else ""
        return f"{chunks} of {size}{code}, strategy {self.strategy}"
