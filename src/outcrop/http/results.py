"""What callers get, as pydantic models made of the library's values."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class _Result(BaseModel):
    model_config = ConfigDict(from_attributes=True)


class Problem(BaseModel):
    """What went wrong, as RFC 9457 describes it."""

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={
            "examples": [
                {
                    "type": "urn:outcrop:problem:not-found",
                    "title": "Not Found",
                    "status": 404,
                    "detail": "there is no chunk '0000' in the index",
                    "instance": "/v1/chunks/0000",
                }
            ]
        },
    )

    type: str
    title: str
    status: int
    detail: str
    instance: str


class Health(_Result):
    """That the server is there."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"status": "ok", "version": "0.1.0"}]}
    )

    status: str
    version: str


class CutChunk(_Result):
    """A chunk as the chunker cut it."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "content": "# Guide\n\nFirst.\n",
                    "start_line": 1,
                    "end_line": 3,
                    "start_offset": 0,
                    "end_offset": 16,
                    "prefix": "",
                    "suffix": "",
                    "metadata": {"chunk_id": "1f0c93aa", "header_path": "/Guide"},
                    "reason": "the document begins",
                }
            ]
        }
    )

    content: str
    start_line: int
    end_line: int
    start_offset: int
    end_offset: int
    prefix: str
    suffix: str
    metadata: dict[str, Any]
    reason: str = Field(description="Why it starts where it starts, in plain words.")


class Chunks(_Result):
    """A document, cut."""

    strategy: str = Field(description="The strategy; empty where the text is blank.")
    chunks: list[CutChunk]
    tree: dict[str, Any] | None = Field(
        description="The sections, chunks as leaves, where a tree was asked for."
    )


class SectionResult(_Result):
    """What stands under one heading."""

    id: str
    document_path: str
    heading: str
    depth: int
    content: str
    token_count: int
    parent_id: str | None
    order: int
    start_offset: int
    end_offset: int
    start_line: int
    end_line: int
    is_over_limit: bool


class Sections(_Result):
    """A document, cut at its headings."""

    sections: list[SectionResult]


class HitResult(_Result):
    """What a search found, and exactly where it stands."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "id": "5f3e0b7c9a1d2e48",
                    "path": "docs/guide.md",
                    "content": "## Setup\n\nThen.\n",
                    "start_line": 5,
                    "end_line": 7,
                    "start_offset": 18,
                    "end_offset": 34,
                    "header_path": "/Guide/Setup",
                    "headers": ["Guide", "Setup"],
                    "breadcrumb": "docs/guide.md > Guide > Setup",
                    "score": 1.42,
                    "scores": {"lexical": 1.0, "vector": 0.1, "title": 0.32},
                    "highlights": [[3, 8]],
                    "kind": "section",
                    "source": "doc",
                    "level": 2,
                    "token_count": 6,
                    "prefix": "",
                    "suffix": "",
                    "parts": ["5f3e0b7c9a1d2e48"],
                    "summary": None,
                    "document_summary": None,
                    "documentation": None,
                    "explanation": None,
                    "symbol": None,
                    "signature": None,
                    "node_id": None,
                }
            ]
        }
    )

    id: str
    path: str
    content: str
    start_line: int
    end_line: int
    start_offset: int
    end_offset: int
    header_path: str
    headers: list[str]
    breadcrumb: str
    score: float
    scores: dict[str, float]
    highlights: list[tuple[int, int]]
    kind: str | None
    source: str
    level: int
    token_count: int
    prefix: str
    suffix: str
    parts: list[str]
    summary: str | None
    document_summary: str | None
    documentation: str | None
    explanation: str | None
    symbol: str | None
    signature: str | None
    node_id: str | None


class SearchResult(_Result):
    """The hits of a search, best first."""

    hits: list[HitResult]
    seconds: float = Field(description="How long the search took.")


class PieceResult(_Result):
    """A part of a context."""

    hit: HitResult
    text: str
    is_cut: bool


class ContextResult(_Result):
    """The best text within a budget of tokens."""

    text: str
    token_count: int
    mark: str = Field(
        description="The number that lines between the pieces start with; it occurs in "
        "no piece."
    )
    pieces: list[PieceResult]


class ChunkPlace(_Result):
    """A section around a chunk."""

    id: str
    title: str | None
    level: int
    start_line: int | None
    end_line: int | None


class ChunkResult(_Result):
    """A chunk of the index with what is around it."""

    chunk: HitResult
    before: list[HitResult]
    after: list[HitResult]
    parents: list[ChunkPlace] = Field(description="From the outermost in.")


class DocumentResult(_Result):
    """A document of the index."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "path": "docs/guide.md",
                    "kind": "markdown",
                    "lang": None,
                    "title": "Guide",
                    "size_bytes": 34,
                    "chunk_count": 3,
                    "summary": None,
                    "updated_at": "2026-11-15T10:00:00Z",
                }
            ]
        }
    )

    path: str
    kind: str
    lang: str | None
    title: str | None
    size_bytes: int | None
    chunk_count: int
    summary: str | None
    updated_at: datetime | None


class DocumentPage(_Result):
    """Some documents, by path."""

    items: list[DocumentResult]
    next_cursor: str | None = Field(description="Where to go on; None at the end.")


class StoredChunkResult(_Result):
    """A chunk of a document as it is stored."""

    id: str
    kind: str | None
    source: str
    title: str | None
    section_path: list[str]
    level: int
    parent_id: str | None
    is_leaf: bool
    content: str
    prefix: str
    suffix: str
    token_count: int | None
    start_line: int | None
    end_line: int | None
    start_offset: int | None
    end_offset: int | None
    metadata: dict[str, Any]


class DocumentDetail(_Result):
    """A document with some of its chunks."""

    document: DocumentResult
    chunks: list[StoredChunkResult]
    text: str | None = Field(description="As it was indexed, where asked for.")
    next_cursor: str | None = Field(description="Where the chunks go on.")


class RunResult(_Result):
    """A run: one piece of long work on the index."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "id": 7,
                    "kind": "index",
                    "state": "running",
                    "application_id": None,
                    "strategy": None,
                    "parameters": {"paths": ["docs"]},
                    "statistics": {
                        "stages": {"index": {"done": 12, "total": 40, "failed": 0}}
                    },
                    "errors": [],
                    "error": None,
                    "started_at": "2026-11-15T10:00:00Z",
                    "updated_at": "2026-11-15T10:00:03Z",
                    "finished_at": None,
                }
            ]
        }
    )

    id: int
    kind: str
    state: str
    application_id: str | None
    strategy: str | None
    parameters: dict[str, Any]
    statistics: dict[str, Any]
    errors: list[dict[str, Any]]
    error: str | None
    started_at: datetime | None
    updated_at: datetime | None
    finished_at: datetime | None


class RunPage(_Result):
    """Some runs, the latest first."""

    items: list[RunResult]
    next_cursor: str | None = Field(description="Where to go on; None at the end.")
