"""Two stages of the chunker by themselves, for chunks from any source.

Inside the chunker a stage works on drafts of a parsed document. Here it takes chunks and
returns chunks, for callers who arrange the stages in their own way.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from outcrop.chunking.headers import keep_headings_with_text
from outcrop.chunking.layout import Layout
from outcrop.chunking.metadata import MetadataRecalculator
from outcrop.chunking.placement import drafts_of
from outcrop.chunking.section_splitter import split_drafts
from outcrop.markdown import parse
from outcrop.model.chunk import NO_OFFSET

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from outcrop.chunking.config import ChunkConfig
    from outcrop.chunking.draft import Draft
    from outcrop.model.chunk import Chunk

_PARAGRAPH_END = "\n\n"


class HeaderProcessor:
    """Moves headings from the end of one chunk to the start of the next."""

    def __init__(self, config: ChunkConfig) -> None:
        self.config = config

    def prevent_dangling_headers(
        self, chunks: Sequence[Chunk], text: str | None = None
    ) -> list[Chunk]:
        """Give every heading to the chunk that holds its body.

        Args:
            chunks: In order, as the `apply` of a strategy returns them.
            text: The text they were cut from; without it, one is put together from
                the chunks.

        Returns:
            New chunks; one that was nothing but headings is part of the next.
        """
        return _run(keep_headings_with_text, chunks, text, self.config)


class SectionSplitter:
    """Splits chunks that exceed the limit, and repeats their headings in each part."""

    def __init__(self, config: ChunkConfig) -> None:
        self.config = config

    def split_oversize_sections(
        self, chunks: Sequence[Chunk], text: str | None = None
    ) -> list[Chunk]:
        """Cut each chunk that does not fit, the headings it repeats included.

        Args:
            chunks: In order.
            text: The text they were cut from; without it, one is put together from
                the chunks.

        Returns:
            New chunks within the limit, or with the reason why not.
        """
        return _run(split_drafts, chunks, text, self.config)


def _run(
    stage: Callable[[list[Draft], Layout], list[Draft]],
    chunks: Sequence[Chunk],
    text: str | None,
    config: ChunkConfig,
) -> list[Chunk]:
    if not chunks:
        return []
    is_placed = text is not None or _has_spans(chunks)
    document = parse(_rebuild(chunks) if text is None else text)
    if not len(document.blocks):
        return []
    if not is_placed:  # offsets, where some have them, are of another text
        chunks = [replace(chunk, start_offset=NO_OFFSET) for chunk in chunks]
    layout = Layout(document, config)
    strategy = str(chunks[0].metadata.get("strategy", "none"))
    drafts = stage(drafts_of(chunks, layout, strategy), layout)
    made = MetadataRecalculator(layout, strategy).recalculate_all(drafts)
    if is_placed:
        return made
    return [
        replace(chunk, start_offset=NO_OFFSET, end_offset=NO_OFFSET) for chunk in made
    ]


def _has_spans(chunks: Sequence[Chunk]) -> bool:
    """Whether the chunks say where they lie, one after the other."""
    return all(chunk.has_span for chunk in chunks) and all(
        before.end_offset <= after.start_offset for before, after in pairwise(chunks)
    )


def _rebuild(chunks: Sequence[Chunk]) -> str:
    """Build a text in which every chunk is where its offsets and lines say.

    What is between two chunks is white space: as much as their offsets tell, with as
    many line ends as their lines tell.
    """
    has_spans = _has_spans(chunks)
    pieces: list[str] = []
    length, line = 0, 1
    for chunk in chunks:
        own = chunk.content[len(chunk.prefix) : len(chunk.content) - len(chunk.suffix)]
        first_line = chunk.end_line - own.rstrip("\n").count("\n")
        if has_spans:
            gap = _gap(chunk.start_offset - length, first_line - line)
        else:
            gap = "\n" * max(0, first_line - line) or (_PARAGRAPH_END if pieces else "")
        pieces += gap, own
        length += len(gap) + len(own)
        line += gap.count("\n") + own.count("\n")
    return "".join(pieces)


def _gap(size: int, lines: int) -> str:
    line_ends = "\n" * max(0, min(size, lines))
    return " " * (size - len(line_ends)) + line_ends
