"""`read_chunk` and `hierarchy`: the text of a chunk or section, and what is around it."""

from collections.abc import Callable, Sequence
from typing import Annotated, Literal

from mcp_types import CallToolResult
from pydantic import Field

from outcrop.mcp.answers import (
    Answer,
    Place,
    Quotation,
    make_answer,
    place_values,
    quote,
)
from outcrop.mcp.source import IndexSource
from outcrop.model.hit import Hit
from outcrop.text.boundaries import cut_to_tokens
from outcrop.text.tokens import TokenCounter

_MAX_TOKENS = 32_000
_MAX_NEIGHBOURS = 20
_MAX_PARTS = 50
_MAX_ITEMS = 200
_MAX_OFFSET = 1_000_000_000


class ReadChunk(Place):
    """The text of a chunk."""

    text: str
    tokens: int
    is_cut: bool = Field(description="Whether the end is missing to fit the budget")
    parts: list[str] | None = Field(
        default=None, description="Ids of the chunks of a section, to read one by one"
    )


class ReadChunks(Answer):
    """Chunks in the order of their document."""

    chunks: list[ReadChunk]
    left_out: int = Field(description="Neighbours that did not fit into the budget")


def bind_read(source: IndexSource) -> Callable[..., CallToolResult]:
    """Make the tool for an index."""

    def read_chunk(
        id: Annotated[  # noqa: A002 - the name that results have
            str,
            Field(description="Id of a chunk, from search; or the path of a document"),
        ],
        before: Annotated[
            int,
            Field(ge=0, le=_MAX_NEIGHBOURS, description="Number of chunks before it"),
        ] = 0,
        after: Annotated[
            int,
            Field(ge=0, le=_MAX_NEIGHBOURS, description="Number of chunks after it"),
        ] = 0,
        max_tokens: Annotated[
            int, Field(ge=50, le=_MAX_TOKENS, description="Maximum tokens of text")
        ] = 4000,
    ) -> Annotated[CallToolResult, ReadChunks]:
        """Read the whole text of a chunk, and of its neighbours in the document."""
        index = source.get()
        found = index.get(_clean(id))
        around: list[Hit] = []
        if before:
            around += index.neighbours(found.parts[0], before=before, after=0)
        if after:
            around += index.neighbours(found.parts[-1], before=0, after=after)
        count = TokenCounter(index.config.encoding)
        chunks = _fill(found, around, max_tokens, count)
        value = ReadChunks(
            chunks=sorted(chunks, key=lambda chunk: chunk.start_line),
            left_out=1 + len(around) - len(chunks),
        )
        return make_answer(value, _as_text(value))

    return read_chunk


def _clean(given: str) -> str:
    """Return an id, which may be given as the address of a resource."""
    return given.strip().removeprefix("chunk://")


def _fill(
    found: Hit, around: Sequence[Hit], max_tokens: int, count: TokenCounter
) -> list[ReadChunk]:
    """Read the chunk first, then its neighbours from the nearest on."""
    nearest = sorted(
        around,
        key=lambda hit: max(
            hit.start_offset - found.end_offset, found.start_offset - hit.end_offset
        ),
    )
    chunks: list[ReadChunk] = []
    left = max_tokens
    for hit in (found, *nearest):
        text = hit.content.strip("\r\n")
        piece, tokens = cut_to_tokens(text, left, count)
        if hit is not found and piece != text:
            break
        chunks.append(_make_chunk(hit, piece, tokens, is_cut=piece != text))
        left -= tokens
    return chunks


def _make_chunk(hit: Hit, text: str, tokens: int, *, is_cut: bool) -> ReadChunk:
    is_section = len(hit.parts) > 1
    return ReadChunk(
        **place_values(hit),
        text=text,
        tokens=tokens,
        is_cut=is_cut,
        parts=list(hit.parts[:_MAX_PARTS]) if is_section and is_cut else None,
    )


def _as_text(value: ReadChunks) -> str:
    pieces = []
    for chunk in value.chunks:
        notes = []
        if chunk.is_cut:
            parts = f", or read {', '.join(chunk.parts)}" if chunk.parts else ""
            notes.append(f"[cut here: increase max_tokens{parts}]")
        pieces.append(Quotation(f"{chunk.label}  [{chunk.id}]", chunk.text, notes))
    left_out = ""
    if value.left_out:
        left_out = f"[{value.left_out} neighbours left out: increase max_tokens]"
    return quote(pieces, left_out)


class HierarchyItem(Place):
    """A chunk, a section or a document."""

    unit: str = Field(description="What it is: chunk, section or document")
    tokens: int = Field(description="Tokens of its text")


class HierarchyItems(Answer):
    """Items in order."""

    items: list[HierarchyItem]


def bind_hierarchy(source: IndexSource) -> Callable[..., CallToolResult]:
    """Make the tool for an index."""

    def hierarchy(
        id: Annotated[  # noqa: A002 - the name that results have
            str, Field(description="Id of a chunk, section or document, from search")
        ],
        relation: Annotated[
            Literal["children", "parents", "siblings"],
            Field(description="What to list; parents come the outermost first"),
        ] = "children",
        limit: Annotated[
            int, Field(ge=1, le=_MAX_ITEMS, description="Maximum number of items")
        ] = 50,
        offset: Annotated[
            int, Field(ge=0, le=_MAX_OFFSET, description="Number of items to skip")
        ] = 0,
    ) -> Annotated[CallToolResult, HierarchyItems]:
        """List the sections below a section, around it or beside it; chunks likewise.

        Read the text of one with read_chunk.
        """
        index = source.get()
        node = _clean(id)
        if relation == "children":
            found = index.children(node, limit=limit, offset=offset)
        else:
            list_all = index.parents if relation == "parents" else index.siblings
            found = list_all(node)[offset : offset + limit]
        items = [
            HierarchyItem(**place_values(hit), unit=hit.unit, tokens=hit.token_count)
            for hit in found
        ]
        lines = [f"{i.label}  {i.tokens} tokens  [{i.id}]" for i in items]
        value = HierarchyItems(items=items)
        return make_answer(value, "\n".join(lines) or f"it has no {relation}")

    return hierarchy
