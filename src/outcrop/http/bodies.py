"""What callers send, as pydantic models: checked, and described with examples."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from outcrop.chunking.config import ChunkConfig
from outcrop.http.problems import ProblemError
from outcrop.text.tokens import TokenCounter

MAX_CHARS = 2_000_000
MAX_HITS = 100
_MAX_CHUNKS = 50_000

ShortText = Annotated[str, Field(min_length=1, max_length=1_000)]
ShortTexts = Annotated[list[ShortText], Field(max_length=50)]
Text = Annotated[str, Field(max_length=MAX_CHARS, description="Markdown, as it is.")]
Size = Annotated[int, Field(ge=1, le=1_000_000)]


Relation = Literal[
    "callers", "callees", "calls", "parents", "children", "types", "mentions", "all"
]


class _Body(BaseModel):
    # Nothing is guessed: a number in quotes or an unknown field is a mistake.
    model_config = ConfigDict(extra="forbid", strict=True)


class ChunkBody(_Body):
    """A document to cut, and how."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "text": "# Guide\n\nFirst.\n\n## Setup\n\nThen.\n",
                    "max_chunk_size": 400,
                }
            ]
        }
    )

    text: Text
    max_chunk_size: Size = Field(
        4096, description="The most a chunk may hold, repeated headings included."
    )
    min_chunk_size: Size | None = Field(
        None, description="Smaller chunks are joined with a neighbour."
    )
    overlap_size: Annotated[int, Field(ge=0, le=1_000_000)] | None = Field(
        None, description="How much of each neighbour is quoted in the metadata."
    )
    strategy: Literal["code_aware", "structural", "fallback"] | None = Field(
        None, description="Cut this way; by what the document holds where None."
    )
    oversize_blocks: Literal["keep", "split"] = Field(
        "keep", description="What happens to a code block or table over the limit."
    )
    unit: Literal["characters", "tokens"] = Field(
        "characters", description="What sizes count."
    )
    tree: bool = Field(
        default=False,
        description="Cut at every section, and return the sections as a tree too.",
    )

    def config(self) -> ChunkConfig:
        """Return the settings of the chunker.

        Raises:
            ChunkConfigError: Two settings contradict each other.
            ProblemError: There would be more chunks than one answer can hold.
        """
        if len(self.text) > self.max_chunk_size * _MAX_CHUNKS:
            raise ProblemError(
                HTTPStatus.UNPROCESSABLE_ENTITY,
                f"max_chunk_size is {self.max_chunk_size}, which may give more than "
                f"{_MAX_CHUNKS:,} chunks; give more, or a shorter text",
            )
        return ChunkConfig(
            max_chunk_size=self.max_chunk_size,
            min_chunk_size=self.min_chunk_size,
            overlap_size=self.overlap_size,
            strategy=self.strategy,
            oversize_blocks=self.oversize_blocks,
            length=TokenCounter() if self.unit == "tokens" else None,
        )


class SectionsBody(_Body):
    """A document to cut at its headings, and how."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "text": "# Guide\n\nFirst.\n\n## Setup\n\nThen.\n",
                    "document_path": "guide.md",
                }
            ]
        }
    )

    text: Text
    document_path: ShortText = Field(
        "document.md", description="Name of the document; part of every id."
    )
    max_tokens_per_section: Size = Field(
        2000, description="A longer section is marked, never cut."
    )
    max_depth: Annotated[int, Field(ge=1, le=6)] = Field(
        3, description="Headings up to this level start a section."
    )
    content_scope: Literal["own", "subtree"] = Field(
        "own", description="Whether a section has the text of those below it too."
    )


class QueryBody(_Body):
    """A question, and where to look."""

    query: str = Field(
        min_length=1, max_length=20_000, description="The question, or words."
    )
    mode: Literal["hybrid", "vector", "text"] = Field(
        "hybrid", description="Rank by everything, by meaning alone, by words alone."
    )
    kind: ShortTexts = Field(
        default=[],
        description="Kinds of chunk (`section`, `text`) or sources (`doc`, `code`).",
    )
    path_glob: ShortTexts = Field(
        default=[], description="Patterns, one of which the document's path matches."
    )
    document: ShortTexts = Field(default=[], description="Paths of documents.")
    depth: Annotated[int, Field(ge=0, le=1_000)] | None = Field(
        None, description="A level of the hierarchy."
    )
    expand: Annotated[list[Relation], Field(max_length=10)] = Field(
        default=[],
        description="Relations of the code graph to follow from the best hits.",
    )

    def filters(self) -> dict[str, object]:
        """Return what `Index.search` and `Index.context` take beside the question."""
        return {
            "mode": self.mode,
            "kind": self.kind or None,
            "path_glob": self.path_glob or None,
            "document": self.document or None,
            "depth": self.depth,
            "expand": list(self.expand) or None,
        }


class SearchBody(QueryBody):
    """A question, and how many hits are wanted."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"query": "when is a table cut?", "limit": 5},
                {"query": "retry", "kind": ["code"], "path_glob": ["src/**"]},
            ]
        }
    )

    limit: Annotated[int, Field(ge=1, le=MAX_HITS)] = Field(
        10, description="How many hits at most."
    )


class ContextBody(QueryBody):
    """A question, and a budget of tokens for the answer's text."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"query": "when is a table cut?", "max_tokens": 1000}]
        }
    )

    max_tokens: Annotated[int, Field(ge=1, le=100_000)] = Field(
        2000, description="The most tokens of the whole text."
    )


class IndexBody(_Body):
    """What to bring the index up to date with."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"paths": ["docs", "src"]}]}
    )

    paths: Annotated[list[ShortText], Field(min_length=1, max_length=100)] = Field(
        default=["."], description="Files and folders, relative to the project."
    )
