"""The Document view: a text with its chunks, as indexed or cut with other settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse
from markupsafe import Markup
from pydantic import BaseModel, ConfigDict, Field

from outcrop.chunking.chunker import MarkdownChunker
from outcrop.chunking.config import STRATEGY_NAMES, ChunkConfig
from outcrop.errors import InputError
from outcrop.http.routes.documents import DOCUMENT_ROUTE
from outcrop.http.service import Served
from outcrop.indexing.documents.document_text import leaves_of, text_of
from outcrop.indexing.files.kinds import MARKDOWN_KINDS
from outcrop.indexing.index import Index
from outcrop.markdown import parse
from outcrop.model.chunk import Chunk
from outcrop.presentation.chunked_document import ChunkedDocument
from outcrop.presentation.chunks import ShownChunk, SizeChart, chart_sizes, show_chunks
from outcrop.presentation.document_html import (
    chart_html,
    chunks_html,
    tree_html,
    tree_items,
)
from outcrop.presentation.nodes import PageNode, page_nodes
from outcrop.text.tokens import TokenCounter
from outcrop.web.render import render

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from outcrop.indexing.config import IndexConfig
    from outcrop.indexing.index import Index
    from outcrop.markdown import Document as ParsedDocument
    from outcrop.model.stored import Document, StoredChunk

# Browsers are slow with longer documents: only the beginning is shown.
_MAX_CHUNKS = 3_000
_MAX_LISTED = 500
_MAX_TEXT_CHARS = 500_000
_FIRST = 1  # number of the first chunk in anchors
_TEXT_FACTOR = 2  # chunks of plain text are larger, as `IndexConfig` says


class CutSettings(BaseModel):
    """Settings for cutting a document; a strategy is chosen by content if it is empty."""

    model_config = ConfigDict(extra="forbid", strict=True)

    size: int = Field(default=1000, ge=20, le=20_000)
    overlap: int = Field(default=0, ge=0, le=20_000)
    strategy: Literal["", "code_aware", "structural", "fallback", "blocks"] = ""
    oversize: Literal["keep", "split"] = "keep"
    unit: Literal["characters", "tokens"] = "characters"

    def config(self) -> ChunkConfig:
        """Return the settings of the chunker; the overlap is kept below the size."""
        return ChunkConfig(
            max_chunk_size=self.size,
            overlap_size=min(self.overlap, self.size - 1),
            strategy=self.strategy or None,
            oversize_blocks=self.oversize,
            length=TokenCounter() if self.unit == "tokens" else None,
        )


class CutBody(CutSettings):
    """A document or text to cut, and the settings."""

    path: str | None = Field(None, max_length=4096)
    text: str | None = Field(None, max_length=_MAX_TEXT_CHARS)
    as_indexed: bool = False


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
    is_markdown = document.kind in MARKDOWN_KINDS
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
    return config.max_tokens * (1 if kind in MARKDOWN_KINDS else _TEXT_FACTOR)


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
        ids=list(ids)[:_MAX_CHUNKS],
        tree_title="Sections" if is_markdown else "Contents",
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


router = APIRouter()


@router.get("/documents")
async def documents_page(
    service: Served, q: Annotated[str, Query(max_length=1000)] = ""
) -> HTMLResponse:
    """List the documents whose path or title contains some text."""

    def work() -> str:
        listed = service.index.documents()
        wanted = q.strip().lower()
        found = [
            document
            for document in listed
            if wanted in document.path.lower()
            or wanted in (document.title or "").lower()
        ]
        return render(
            "documents.html",
            view="documents",
            q=q,
            total=len(listed),
            found=len(found),
            documents=found[:_MAX_LISTED],
        )

    return HTMLResponse(await service.jobs.run(work))


@router.get("/paste")
async def paste_page() -> HTMLResponse:
    """Show an empty field for a text to cut."""
    return HTMLResponse(
        render(
            "document.html",
            view="documents",
            document=None,
            cut=None,
            settings=CutSettings(),
            strategies=STRATEGY_NAMES,
        )
    )


@router.get(DOCUMENT_ROUTE)
async def document_page(path: str, service: Served) -> HTMLResponse:
    """Show a document as it was indexed."""

    def work() -> str:
        _refuse_nul(path)
        document = service.index.store.get_document(path)
        cut = cut_as_indexed(service.index, document)
        return render(
            "document.html",
            view="documents",
            document=document,
            cut=cut,
            settings=CutSettings(),
            strategies=STRATEGY_NAMES,
        )

    return HTMLResponse(await service.jobs.run(work))


@router.post("/parts/cut")
async def cut_part(body: CutBody, service: Served) -> HTMLResponse:
    """Cut a document of the index, or a text of the request."""
    return HTMLResponse(await service.jobs.run(lambda: _cut(service.index, body)))


def _cut(index: Index, body: CutBody) -> str:
    if body.path is None:
        cut: Any = cut_again("pasted text", body.text or "", body)
        return render("cut.html", document=None, cut=cut)
    _refuse_nul(body.path)
    document = index.store.get_document(body.path)
    indexed = cut_as_indexed(index, document)
    if body.as_indexed or document.kind not in MARKDOWN_KINDS:
        return render("cut.html", document=document, cut=indexed)
    cut = cut_again(document.path, indexed.text, body)
    return render("cut.html", document=document, cut=cut)


def _refuse_nul(path: str) -> None:
    if "\0" in path:
        raise InputError(f"invalid path {path!r}: it holds a NUL")
