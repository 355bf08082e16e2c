"""A text with its chunks, as indexed or cut with other settings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from markupsafe import Markup
from pydantic import BaseModel, ConfigDict, Field

from outcrop.chunking.chunker import MarkdownChunker
from outcrop.chunking.config import ChunkConfig, StrategyName
from outcrop.indexing.config import SUMMARIES
from outcrop.indexing.documents.document_text import leaves_of, text_of
from outcrop.indexing.files.content import fingerprint
from outcrop.indexing.files.kinds import MARKDOWN_KINDS
from outcrop.markdown import parse
from outcrop.model.chunk import Chunk
from outcrop.presentation.chunks import ShownChunk, SizeChart, chart_sizes, show_chunks
from outcrop.presentation.document import ChunkedDocument, PageNode, page_nodes
from outcrop.presentation.document_html import (
    chart_html,
    chunks_html,
    tree_html,
    tree_items,
)
from outcrop.text.tokens import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from outcrop.indexing.config import IndexConfig
    from outcrop.indexing.sharded import AnyIndex
    from outcrop.markdown import Document as ParsedDocument
    from outcrop.model.stored import Document, StoredChunk

# Browsers are slow with longer documents: only the beginning is shown.
_MAX_CHUNKS = 3_000
MAX_TEXT_CHARS = 500_000
MIN_SIZE = 16
MAX_SIZE = 20_000
_FIRST = 1  # number of the first chunk in anchors
_TEXT_FACTOR = 2  # chunks of plain text are larger, as `IndexConfig` says


class CutSettings(BaseModel):
    """Settings for cutting a document; a strategy is chosen by content if it is empty."""

    model_config = ConfigDict(extra="forbid")

    size: int = Field(default=1000, ge=MIN_SIZE, le=MAX_SIZE)
    overlap: int = Field(default=0, ge=0, le=MAX_SIZE)
    strategy: Literal["", StrategyName] = ""
    oversize: Literal["keep", "split"] = "keep"
    unit: Literal["characters", "tokens"] = "characters"

    @classmethod
    def of_index(cls, config: IndexConfig) -> CutSettings:
        """Return the settings that an index cuts Markdown with."""
        chunking = config.chunking()
        return cls(
            size=min(chunking.max_chunk_size, MAX_SIZE),
            overlap=chunking.overlap_size or 0,
            oversize=chunking.oversize_blocks,
            unit="tokens",
        )

    def config(self) -> ChunkConfig:
        """Return the settings of the chunker; the overlap is kept below the size."""
        return ChunkConfig(
            max_chunk_size=self.size,
            overlap_size=min(self.overlap, self.size - 1),
            strategy=self.strategy or None,
            oversize_blocks=self.oversize,
            length=TokenCounter() if self.unit == "tokens" else None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """A document, cut."""

    text: str
    chunks: list[ShownChunk]  # those that are shown
    total: int
    nodes: list[PageNode]  # its sections, or the symbols of a file of code
    chart: SizeChart | None
    limit: int
    unit: str
    strategy: str
    ids: list[str]  # of stored chunks; empty if the document was cut again
    tree_title: str
    is_as_set: bool  # whether the limit is the one it was cut with

    @property
    def chart_html(self) -> Markup:
        """The chart of sizes; like the other parts, escaped where it is made."""
        return Markup(chart_html(self.chart, _FIRST, self.unit))  # noqa: S704 - escaped

    @property
    def chunks_html(self) -> Markup:
        """The chunks with their reasons."""
        return Markup(chunks_html(self.chunks, _FIRST, self.ids))  # noqa: S704 - escaped

    @property
    def tree_html(self) -> Markup:
        """The tree of sections or symbols."""
        items = "".join(tree_items(self.nodes, 0, _FIRST))
        return Markup(tree_html(items, self.tree_title))  # noqa: S704 - escaped


def cut_again(path: str, text: str, settings: CutSettings) -> Cut:
    """Cut a Markdown text with the given settings.

    Raises:
        ChunkConfigError: Two settings are incompatible.
    """
    config = settings.config()
    document = ChunkedDocument(
        path=path,
        text=text,
        chunks=MarkdownChunker(config).chunk(text),
        limit=config.limit,
        length=config.length,
    )
    return _finish(document, document.measure)


def cut_as_indexed(index: AnyIndex, document: Document) -> Cut:
    """Return a document of the index as it is stored."""
    leaves = leaves_of(index.store.chunks_of(document.path))
    chunks = [_as_chunk(leaf) for leaf in leaves]
    sizes = {
        id(chunk): leaf.token_count or 0
        for chunk, leaf in zip(chunks, leaves, strict=True)
    }
    is_markdown = document.kind in MARKDOWN_KINDS
    stored = ChunkedDocument(
        path=document.path,
        text=text_of(leaves),
        chunks=chunks,
        limit=_limit(index.config, document.kind),
        lang=document.lang if document.kind == "code" else None,
        length=TokenCounter(index.config.encoding),
    )
    return _finish(
        stored,
        lambda chunk: sizes[id(chunk)],
        is_markdown=is_markdown,
        ids=[leaf.id for leaf in leaves],
        is_as_set=not is_markdown or _is_as_set(index.config, document),
    )


def _is_as_set(config: IndexConfig, document: Document) -> bool:
    """Whether a document was indexed with the settings that the server has."""
    digest = document.content_hash or ""
    return document.fingerprint == "" or any(
        document.fingerprint == fingerprint(digest, document.kind, tried)
        for tried in (replace(config, summaries=mode) for mode in (None, *SUMMARIES))
    )


def _limit(config: IndexConfig, kind: str) -> int:
    """Return the maximum tokens of a chunk, by kind of document."""
    if kind == "code":
        return config.max_code_tokens
    return config.max_tokens * (1 if kind in MARKDOWN_KINDS else _TEXT_FACTOR)


def _finish(
    document: ChunkedDocument,
    measure: Callable[[Chunk], int],
    *,
    is_markdown: bool = True,
    ids: Sequence[str] = (),
    is_as_set: bool = True,
) -> Cut:
    text, limit = document.text, document.limit
    some = replace(document, chunks=document.chunks[:_MAX_CHUNKS])
    parsed = parse(text) if is_markdown and some.chunks else None
    shown = show_chunks(text, some.chunks, parsed, measure=measure, lang=document.lang)
    return Cut(
        text=text,
        chunks=shown,
        total=len(document.chunks),
        nodes=_nodes(some, parsed),
        chart=chart_sizes(shown, limit),
        limit=limit,
        unit=document.unit,
        strategy=document.strategy,
        ids=list(ids)[:_MAX_CHUNKS],
        tree_title="Sections" if is_markdown else "Contents",
        is_as_set=is_as_set,
    )


def _nodes(document: ChunkedDocument, parsed: ParsedDocument | None) -> list[PageNode]:
    """Return the tree beside the text, without the document itself."""
    chunks = document.chunks
    if not chunks:
        return []
    if parsed is not None:
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
