"""The answers of the server, as pydantic models made of the library's values."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict, Field

from outcrop import __version__
from outcrop.http.dataclass_models import Result, fields_of
from outcrop.model.chunk import Chunk
from outcrop.model.graph import Link
from outcrop.model.hit import Hit, Related
from outcrop.model.node import Node
from outcrop.model.run import Run
from outcrop.model.section import Section
from outcrop.model.stored import Document, StoredChunk
from outcrop.search.context import Piece
from outcrop.search.spelling import Spelling

# Examples of answers, for the description of the interface.
_Example = dict[str, Any]

_HEALTH: _Example = {"status": "ok", "version": __version__}

_CHUNK: _Example = {
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

_HIT: _Example = {
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
    "summary": "How to set it up.",
    "document_summary": "A guide for beginners.",
    **dict.fromkeys(("documentation", "explanation")),
    **dict.fromkeys(("symbol", "signature", "node_id")),
    "unit": "chunk",
    **dict.fromkeys(("heading", "depth", "order", "parent_id")),
    "matches": [],
    "is_cut": False,
    "others": [],
}

_SPELLING: _Example = {
    "query": "limit the memory of a container",
    "is_corrected": True,
    "suggestions": [],
}

_DOCUMENT: _Example = {
    "path": "docs/guide.md",
    "kind": "markdown",
    "lang": None,
    "title": "Guide",
    "size_bytes": 34,
    "chunk_count": 3,
    "summary": None,
    "updated_at": "2026-11-15T10:00:00Z",
}

_RUN: _Example = {
    "id": 7,
    "kind": "index",
    "state": "running",
    "application_id": None,
    "strategy": None,
    "parameters": {"paths": ["docs"]},
    "statistics": {"stages": {"index": {"done": 12, "total": 40, "failed": 0}}},
    "errors": [],
    "error": None,
    "started_at": "2026-11-15T10:00:00Z",
    "updated_at": "2026-11-15T10:00:03Z",
    "finished_at": None,
}

_SYMBOL: _Example = {
    "node": {
        "id": "9d1f6a0be3c47a52",
        "kind": "FUNCTION",
        "lang": "python",
        "name": "parse",
        "fqn": "guide.reader.parse",
        "signature": "def parse(text: str) -> Tree",
        "file_path": "src/guide/reader.py",
        "line_start": 12,
        "line_end": 30,
        "package_name": "guide.reader",
        "doc_comment": "Read a text.",
        "source_code": "def parse(text: str) -> Tree:\n    ...",
        "start_offset": 210,
        "end_offset": 250,
        "annotations": [],
        "visibility": "public",
        "http_method": None,
        "http_path": None,
    },
    "links": {"callers": [], "callees": []},
}


def _example(value: _Example) -> ConfigDict:
    return ConfigDict(json_schema_extra={"examples": [value]})


class Health(Result):
    """That the server is running."""

    model_config = _example(_HEALTH)

    status: str
    version: str


@fields_of(Chunk)
class CutChunk(Result):
    """A chunk as the chunker cut it."""

    model_config = _example(_CHUNK)

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

    model_config = _example(_HIT)

    scores: dict[str, float]


@fields_of(Spelling)
class SpellingResult(Result):
    """The query that was searched for, and others that may be meant."""

    model_config = _example(_SPELLING)


_MISSING_ABOUT = "The databases of the index that did not answer: results are without their documents."
_SPELLING_ABOUT = (
    "The query with its misspelt words corrected, whether it differs from the one that "
    "was sent, and other queries that may be meant."
)


class SearchResult(Result):
    """The hits of a search, best first."""

    hits: list[HitResult]
    seconds: float = Field(description="Duration of the search.")
    spelling: SpellingResult = Field(description=_SPELLING_ABOUT)
    missing: list[str] = Field(description=_MISSING_ABOUT)


class HitList(Result):
    """Chunks or sections, in order."""

    items: list[HitResult]


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
    spelling: SpellingResult = Field(description=_SPELLING_ABOUT)
    missing: list[str] = Field(description=_MISSING_ABOUT)


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

    model_config = _example(_DOCUMENT)


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

    model_config = _example(_RUN)

    state: str


class RunPage(Result):
    """Some runs, the latest first."""

    items: list[RunResult]
    next_cursor: str | None = Field(
        description="Cursor of the next page; None on the last."
    )


@fields_of(
    Node,
    *("id", "lang", "name", "fqn", "signature", "file_path", "line_start", "line_end"),
)
class NodeBrief(Result):
    """A definition, without its text."""

    kind: str


@fields_of(Node, without=["application_id"])
class NodeResult(Result):
    """A definition with its text and its documentation."""

    kind: str


@fields_of(Link)
class LinkResult(Result):
    """The other end of an edge, and how it was found."""

    node: NodeBrief | None = Field(description="None if it is outside the project.")
    kind: str
    resolution: str
    chunk_id: str | None = Field(description="The chunk that mentions the symbol.")


class SymbolResult(Result):
    """A symbol and everything that is related to it."""

    model_config = _example(_SYMBOL)

    node: NodeResult
    links: dict[str, list[LinkResult]] = Field(
        description="By relation: callers, callees, parents, children and so on."
    )


class Symbols(Result):
    """Symbols that match a name, best first."""

    items: list[NodeBrief]


@fields_of(Related)
class RelatedResult(Result):
    """A chunk at the other end of a relation."""

    hit: HitResult
    relation: str = Field(description="Its relation to the given symbol or chunk.")


class RelatedList(Result):
    """Related chunks, the strongest relation first."""

    items: list[RelatedResult]
