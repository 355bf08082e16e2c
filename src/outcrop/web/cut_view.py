"""A chunked document with everything that the Document view shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from outcrop.chunking.chunker import MarkdownChunker
from outcrop.chunking.config import ChunkConfig
from outcrop.indexing.documents.document_text import leaves_of, text_of
from outcrop.markdown import parse
from outcrop.model.chunk import Chunk
from outcrop.presentation.chunked_document import ChunkedDocument
from outcrop.presentation.page.chunks import ShownChunk, show_chunks
from outcrop.presentation.page.nodes import PageNode, page_nodes
from outcrop.presentation.page.sizes import SizeChart, chart_sizes
from outcrop.text.tokens import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from outcrop.indexing.config import IndexConfig
    from outcrop.indexing.index import Index
    from outcrop.markdown import Document as ParsedDocument
    from outcrop.model.stored import Document, StoredChunk

# Browsers are slow with longer documents: only the beginning is shown.
_MAX_CHUNKS = 3_000
_TEXT_FACTOR = 2  # chunks of plain text are larger, as `IndexConfig` says


@dataclass(frozen=True, slots=True, kw_only=True)
class CutSettings:
    """Settings for cutting a document.

    Attributes:
        size: Maximum size of a chunk.
        overlap: Size of the quotation of each neighbour.
        strategy: The strategy; chosen by the content if empty.
        oversize: What happens to a block over the limit.
        unit: The unit of sizes.
    """

    size: int = 1000
    overlap: int = 0
    strategy: str = ""
    oversize: Literal["keep", "split"] = "keep"
    unit: str = "characters"

    def config(self) -> ChunkConfig:
        """Return the settings of the chunker."""
        return ChunkConfig(
            max_chunk_size=self.size,
            overlap_size=self.overlap,
            strategy=self.strategy or None,
            oversize_blocks=self.oversize,
            length=TokenCounter() if self.unit == "tokens" else None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """A document, cut.

    Attributes:
        text: The document.
        chunks: The chunks that are shown.
        total: Number of chunks.
        nodes: Its sections, or the symbols of a file of code.
        chart: The sizes of its chunks; None if there are none.
        limit: Maximum size of a chunk.
        unit: The unit of sizes.
        strategy: The strategy that was used.
        is_indexed: Whether these are the stored chunks.
        ids: Ids of the stored chunks.
    """

    text: str
    chunks: list[ShownChunk]
    total: int
    nodes: list[PageNode]
    chart: SizeChart | None
    limit: int
    unit: str
    strategy: str
    is_indexed: bool
    ids: list[str]


def cut_again(path: str, text: str, settings: CutSettings) -> Cut:
    """Cut a Markdown text with the given settings.

    Raises:
        ChunkConfigError: Two settings are incompatible.
    """
    config = settings.config()
    chunks = MarkdownChunker(config).chunk(text)
    count = config.length or len
    return _finish(
        path,
        text,
        chunks,
        limit=config.limit,
        unit=settings.unit,
        strategy=str(chunks[0].metadata["strategy"]) if chunks else "",
        measure=lambda chunk: count(chunk.content),
    )


def cut_as_indexed(index: Index, document: Document) -> Cut:
    """Return a document of the index as it is stored."""
    leaves = leaves_of(index.store.chunks_of(document.path))
    text = text_of(leaves)
    chunks = [_as_chunk(leaf) for leaf in leaves]
    sizes = {
        id(chunk): leaf.token_count or 0
        for chunk, leaf in zip(chunks, leaves, strict=True)
    }
    is_markdown = document.kind == "markdown"
    return _finish(
        document.path,
        text,
        chunks,
        limit=_limit(index.config, document.kind),
        unit="tokens",
        strategy=str(chunks[0].metadata.get("strategy", "")) if chunks else "",
        measure=lambda chunk: sizes[id(chunk)],
        is_markdown=is_markdown,
        ids=[leaf.id for leaf in leaves],
    )


def _limit(config: IndexConfig, kind: str) -> int:
    """Return the maximum tokens of a chunk, by kind of document."""
    if kind == "code":
        return config.max_code_tokens
    return config.max_tokens * (1 if kind == "markdown" else _TEXT_FACTOR)


def _finish(  # noqa: PLR0913 - the parts of one value
    path: str,
    text: str,
    chunks: list[Chunk],
    *,
    limit: int,
    unit: str,
    strategy: str,
    measure: Callable[[Chunk], int],
    is_markdown: bool = True,
    ids: Sequence[str] = (),
) -> Cut:
    some = chunks[:_MAX_CHUNKS]
    parsed = parse(text) if is_markdown and some else None
    shown = show_chunks(text, some, parsed, measure=measure)
    return Cut(
        text=text,
        chunks=shown,
        total=len(chunks),
        nodes=_nodes(path, text, some, limit, parsed),
        chart=chart_sizes(shown, limit),
        limit=limit,
        unit=unit,
        strategy=strategy,
        is_indexed=bool(ids),
        ids=list(ids)[:_MAX_CHUNKS],
    )


def _nodes(
    path: str,
    text: str,
    chunks: list[Chunk],
    limit: int,
    parsed: ParsedDocument | None,
) -> list[PageNode]:
    """Return the tree beside the text, without the document itself."""
    if not chunks:
        return []
    if parsed is not None:
        document = ChunkedDocument(path=path, text=text, chunks=chunks, limit=limit)
        return page_nodes(document, parsed)[1:]
    first = str(chunks[0].metadata.get("title") or "")
    return [
        PageNode(
            title=(title := _relative(str(chunk.metadata["title"]), first)),
            headers=[],
            depth=1 + title.count("."),
            start_line=chunk.start_line,
            end_line=chunk.end_line,
            size=len(chunk.content),
            chunk=at,
        )
        for at, chunk in enumerate(chunks)
        if chunk.metadata.get("title")
    ]


def _relative(name: str, module: str) -> str:
    """Return a qualified name without its module."""
    inner = name.removeprefix(f"{module}.")
    return inner if name != module else name.rpartition(".")[2]


def _as_chunk(stored: StoredChunk) -> Chunk:
    metadata: dict[str, Any] = {
        **stored.metadata,
        "headers": list(stored.section_path),
        "title": stored.title,
        "source": stored.source,
    }
    return Chunk(
        content=stored.content,
        start_line=stored.start_line or 1,
        end_line=stored.end_line or 1,
        start_offset=stored.start_offset or 0,
        end_offset=stored.end_offset or 0,
        prefix=stored.prefix,
        suffix=stored.suffix,
        metadata=metadata,
    )
