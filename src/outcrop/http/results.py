"""The answers of the server, as pydantic models made of the library's values."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from outcrop.http import examples
from outcrop.http.derived import Result, fields_of
from outcrop.http.examples import Example
from outcrop.model.chunk import Chunk
from outcrop.model.hit import Hit
from outcrop.model.run import Run
from outcrop.model.section import Section
from outcrop.model.stored import Document, StoredChunk
from outcrop.search.context import Piece


def _example(value: Example) -> ConfigDict:
    return ConfigDict(json_schema_extra={"examples": [value]})


class Problem(BaseModel):
    """An error, as RFC 9457 describes it."""

    model_config = ConfigDict(extra="allow", **_example(examples.PROBLEM))

    type: str
    title: str
    status: int
    detail: str
    instance: str


class Health(Result):
    """That the server is running."""

    model_config = _example(examples.HEALTH)

    status: str
    version: str


@fields_of(Chunk)
class CutChunk(Result):
    """A chunk as the chunker cut it."""

    model_config = _example(examples.CHUNK)

    reason: str = Field(description="Why the chunk starts here.")


class Chunks(Result):
    """A document, cut."""

    strategy: str = Field(description="The strategy; empty if the text is blank.")
    chunks: list[CutChunk]
    tree: dict[str, Any] | None = Field(
        description="The sections with the chunks as leaves, if `tree` is set."
    )


@fields_of(
    Section,
    *("id", "document_path", "heading", "depth", "content", "token_count", "parent_id"),
    *("order", "start_offset", "end_offset", "start_line", "end_line", "is_over_limit"),
)
class SectionResult(Result):
    """The text under one heading."""


class Sections(Result):
    """A document, cut at its headings."""

    sections: list[SectionResult]


@fields_of(Hit)
class HitResult(Result):
    """A search result, and exactly where it stands."""

    model_config = _example(examples.HIT)

    scores: dict[str, float]


class SearchResult(Result):
    """The hits of a search, best first."""

    hits: list[HitResult]
    seconds: float = Field(description="Duration of the search.")


@fields_of(Piece)
class PieceResult(Result):
    """A part of a context."""

    hit: HitResult


class ContextResult(Result):
    """The best text within a budget of tokens."""

    text: str
    token_count: int
    mark: str = Field(
        description="The number at the start of the lines between the pieces; no piece "
        "contains it."
    )
    pieces: list[PieceResult]


@fields_of(StoredChunk, "title", "level", "start_line", "end_line")
class ChunkPlace(Result):
    """A section around a chunk."""

    id: str


class ChunkResult(Result):
    """A chunk of the index with what is around it."""

    chunk: HitResult
    before: list[HitResult]
    after: list[HitResult]
    parents: list[ChunkPlace] = Field(description="The outermost first.")


@fields_of(
    Document,
    *("path", "kind", "lang", "title", "size_bytes", "chunk_count", "summary"),
    "updated_at",
)
class DocumentResult(Result):
    """A document of the index."""

    model_config = _example(examples.DOCUMENT)


class DocumentPage(Result):
    """Some documents, by path."""

    items: list[DocumentResult]
    next_cursor: str | None = Field(
        description="Cursor of the next page; None on the last."
    )


@fields_of(
    StoredChunk,
    *("kind", "source", "title", "level", "parent_id", "is_leaf", "content", "prefix"),
    *("suffix", "token_count", "start_line", "end_line", "start_offset", "end_offset"),
    "metadata",
)
class StoredChunkResult(Result):
    """A chunk of a document as it is stored."""

    id: str
    section_path: list[str]


class DocumentDetail(Result):
    """A document with some of its chunks."""

    document: DocumentResult
    chunks: list[StoredChunkResult]
    text: str | None = Field(description="As it was indexed, if requested.")
    next_cursor: str | None = Field(
        description="Cursor of the next chunks; None at the end."
    )


@fields_of(Run)
class RunResult(Result):
    """A run: one piece of long work on the index."""

    model_config = _example(examples.RUN)

    state: str


class RunPage(Result):
    """Some runs, the latest first."""

    items: list[RunResult]
    next_cursor: str | None = Field(
        description="Cursor of the next page; None on the last."
    )
