"""The bodies of requests, validated and with examples, and the cursors of lists.

A cursor is the position in a list, as opaque text.
"""

from __future__ import annotations

import base64
import binascii
from http import HTTPStatus
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from outcrop.chunking.config import ChunkConfig, StrategyName
from outcrop.http.problems import ProblemError
from outcrop.indexing.searching import NO_RERANKER
from outcrop.text.tokens import TokenCounter

MAX_CHARS = 2_000_000
MAX_HITS = 100
MAX_CHUNKS = 50_000
_MAX_CURSOR_CHARS = 8_000
_MAX_DIGITS = 19  # of an id in the database

ShortText = Annotated[str, Field(min_length=1, max_length=1_000)]
ShortTexts = Annotated[list[ShortText], Field(max_length=50)]
Text = Annotated[str, Field(max_length=MAX_CHARS, description="Markdown, verbatim.")]
Size = Annotated[int, Field(ge=1, le=1_000_000)]


Relation = Literal[
    "callers", "callees", "calls", "parents", "children", "types", "mentions", "all"
]


def _examples(*bodies: dict[str, Any]) -> ConfigDict:
    return ConfigDict(json_schema_extra={"examples": list(bodies)})


class _Body(BaseModel):
    # Strict: a number in quotes or an unknown field is an error.
    model_config = ConfigDict(extra="forbid", strict=True)


class ChunkBody(_Body):
    """A document to cut, and the settings."""

    model_config = _examples(
        {
            "text": "# Guide\n\nFirst.\n\n## Setup\n\nThen.\n",
            "max_chunk_size": 400,
        }
    )

    text: Text
    max_chunk_size: Size = Field(
        4096, description="Maximum size of a chunk, repeated headings included."
    )
    min_chunk_size: Size | None = Field(
        None, description="Smaller chunks are merged with a neighbour."
    )
    overlap_size: Annotated[int, Field(ge=0, le=1_000_000)] | None = Field(
        None, description="Size of the quotation of each neighbour in the metadata."
    )
    strategy: StrategyName | None = Field(
        None, description="The strategy; chosen by the document's content if None."
    )
    code_threshold: float = Field(
        0.3,
        ge=0,
        le=1,
        description="Share of code from which a document counts as code.",
    )
    structure_threshold: Annotated[int, Field(ge=1, le=1_000_000)] = Field(
        3, description="Number of headings from which a document is structured."
    )
    oversize_tolerance: float = Field(
        0.0,
        ge=0,
        le=1000,
        description="How far a chunk may exceed the maximum to stay whole.",
    )
    oversize_blocks: Literal["keep", "split"] = Field(
        "keep", description="What happens to a code block or table over the limit."
    )
    include_document_summary: bool = Field(
        default=True,
        description="Start the root of a tree with the document's opening words.",
    )
    unit: Literal["characters", "tokens"] = Field(
        "characters", description="The unit of sizes."
    )
    tree: bool = Field(
        default=False,
        description="Cut at every section, and also return the sections as a tree.",
    )

    def config(self) -> ChunkConfig:
        """Return the settings of the chunker.

        Raises:
            ChunkConfigError: Two settings are incompatible.
            ProblemError: The answer might hold too many chunks.
        """
        if len(self.text) > self.max_chunk_size * MAX_CHUNKS:
            raise ProblemError(
                HTTPStatus.UNPROCESSABLE_ENTITY,
                f"max_chunk_size {self.max_chunk_size} may give more than "
                f"{MAX_CHUNKS:,} chunks; increase it, or send a shorter text",
            )
        settings = self.model_dump(exclude={"text", "unit", "tree"})
        length = TokenCounter() if self.unit == "tokens" else None
        return ChunkConfig(**settings, length=length)


class SectionsBody(_Body):
    """A document to cut at its headings, and the settings."""

    model_config = _examples(
        {
            "text": "# Guide\n\nFirst.\n\n## Setup\n\nThen.\n",
            "document_path": "guide.md",
        }
    )

    text: Text
    document_path: ShortText = Field(
        "document.md", description="Name of the document; part of every id."
    )
    max_tokens_per_section: Size = Field(
        2000, description="Longer sections are marked, never split."
    )
    max_depth: Annotated[int, Field(ge=1, le=6)] = Field(
        3, description="Headings up to this level start a section."
    )
    content_scope: Literal["own", "subtree"] = Field(
        "own", description="Whether a section includes the text of its subsections."
    )


class QueryBody(_Body):
    """A query with its filters."""

    query: str = Field(
        min_length=1, max_length=20_000, description="A question or keywords."
    )
    mode: Literal["hybrid", "vector", "text"] = Field(
        "hybrid", description="Rank by all signals, by vectors only, or by words only."
    )
    kind: ShortTexts = Field(
        default=[],
        description="Kinds of chunk (`section`, `text`) or sources (`doc`, `code`).",
    )
    path_glob: ShortTexts = Field(
        default=[],
        description="Glob patterns; the document's path matches one of them.",
    )
    document: ShortTexts = Field(default=[], description="Paths of documents.")
    package: ShortTexts = Field(
        default=[],
        description="Packages, modules or types of code, with everything below them.",
    )
    unit: Literal["chunk", "section", "document"] | None = Field(
        None, description="What a hit is; `chunk` if neither this nor `depth` is given."
    )
    section: ShortTexts = Field(
        default=[],
        description="Headings, or paths of them such as `Set it up/Tools`: only text "
        "below one of them is searched.",
    )
    tag: ShortTexts = Field(
        default=[],
        description="Tags; the document's front matter has one of them.",
    )
    lang: ShortTexts = Field(
        default=[],
        description="Languages of documents and of code: `en`, `ru`, `python`.",
    )
    depth: Annotated[int, Field(ge=0, le=1_000)] | None = Field(
        None,
        description="A level of the hierarchy: 0 finds documents, 1 sections below an "
        "H1 and so on; chunks of that level if `unit` is `chunk`.",
    )
    expand: Annotated[list[Relation], Field(max_length=10)] = Field(
        default=[],
        description="Relations of the code graph to follow from the best hits.",
    )
    verbatim: bool = Field(
        default=False,
        description="Whether to search for words that occur nowhere in the index as "
        "they are, instead of correcting them.",
    )
    rerank: bool = Field(
        default=True,
        description="Whether the server's reranker orders the hits.",
    )

    def filters(self) -> dict[str, object]:
        """Return the filters for `Index.search` and `Index.context`."""
        names = QueryBody.model_fields.keys() - {"query", "verbatim"}
        given = {name: getattr(self, name) for name in names}
        return {**given, "rerank": None if self.rerank else NO_RERANKER}


class SearchBody(QueryBody):
    """A query and the number of hits."""

    model_config = _examples(
        {"query": "when is a table cut?", "limit": 5},
        {"query": "retry", "kind": ["code"], "path_glob": ["src/**"]},
    )

    limit: Annotated[int, Field(ge=1, le=MAX_HITS)] = Field(
        10, description="Maximum number of hits."
    )
    max_hit_tokens: Annotated[int, Field(ge=1, le=32_000)] = Field(
        1000, description="Maximum tokens of the text of a section or a document."
    )
    group: bool = Field(
        default=True,
        description="Whether parts of one place become one hit, and a document takes "
        "at most three of the first five places.",
    )


class ContextBody(QueryBody):
    """A query and a token budget."""

    model_config = _examples({"query": "when is a table cut?", "max_tokens": 1000})

    max_tokens: Annotated[int, Field(ge=1, le=100_000)] = Field(
        2000, description="Maximum tokens of the whole text."
    )
    with_summaries: bool = Field(
        default=False,
        description="Whether to add the summaries of documents and sections.",
    )


class IndexBody(_Body):
    """The files and folders to index."""

    model_config = _examples({"paths": ["docs", "src"]})

    paths: Annotated[list[ShortText], Field(min_length=1, max_length=100)] = Field(
        default=["."], description="Files and folders, relative to the project."
    )


class BuildBody(IndexBody):
    """What to plan, and how."""

    model_config = _examples({"paths": ["src"], "strategy": "per-node"})

    strategy: Literal["adaptive", "per-node"] | None = Field(
        None, description="The planning strategy; by default that of the index."
    )
    include_kinds: ShortTexts = Field(
        default=[], description="Plan only nodes of these kinds, such as `CLASS`."
    )
    limit: Annotated[int, Field(ge=0, le=10_000_000)] | None = Field(
        None, description="Maximum number of nodes to plan."
    )
    batch_size: Annotated[int, Field(ge=1, le=10_000)] | None = Field(
        None, description="Nodes to read, and chunks to fill, at a time."
    )
    with_edges_relations: bool = Field(
        default=True, description="Read the calls between nodes for the relations."
    )
    retry_failed: bool = Field(
        default=False, description="Also retry what failed in earlier runs."
    )
    wait: bool = Field(
        default=True,
        description="Fill the chunks in the server; else they wait for a worker.",
    )

    def options(self) -> dict[str, Any]:
        """Return the options for `Index.build`."""
        options = self.model_dump(exclude={"paths"})
        return {**options, "include_kinds": self.include_kinds or None}


def write_cursor(key: str) -> str:
    """Return the cursor for the page after a key."""
    return base64.urlsafe_b64encode(key.encode()).decode().rstrip("=")


def read_cursor(cursor: str | None) -> str:
    """Return the key in a cursor; empty for the first page.

    Raises:
        ProblemError: The cursor is invalid.
    """
    if not cursor:
        return ""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        key = base64.b64decode(padded.encode("ascii"), altchars=b"-_", validate=True)
        text = key.decode()
    except (ValueError, binascii.Error):
        text = "\0"
    # Only the canonical encoding is valid, and no key has a NUL.
    if "\0" in text or len(cursor) > _MAX_CURSOR_CHARS or write_cursor(text) != cursor:
        raise _invalid_cursor()
    return text


def read_number(cursor: str | None) -> int:
    """Return the number in a cursor; 0 for the first page.

    Raises:
        ProblemError: The cursor is invalid.
    """
    key = read_cursor(cursor)
    if key and not (key.isascii() and key.isdecimal() and len(key) <= _MAX_DIGITS):
        raise _invalid_cursor()
    return int(key or 0)


def _invalid_cursor() -> ProblemError:
    return ProblemError(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "invalid cursor; omit it to start from the first page",
    )
