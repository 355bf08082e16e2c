"""`hierarchy`: what is below, around or beside a chunk, a section or a document."""

from collections.abc import Callable
from typing import Annotated, Literal

from mcp_types import CallToolResult
from pydantic import Field

from outcrop.mcp.answers import Answer, Place, make_answer, place_values
from outcrop.mcp.source import IndexSource

_MAX_ITEMS = 200


class HierarchyItem(Place):
    """A chunk, a section or a document."""

    unit: str = Field(description="What it is: chunk, section or document")
    tokens: int = Field(description="Tokens of its text")


class HierarchyItems(Answer):
    """Items in order."""

    items: list[HierarchyItem]


def bind(source: IndexSource) -> Callable[..., CallToolResult]:
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
        offset: Annotated[int, Field(ge=0, description="Number of items to skip")] = 0,
    ) -> Annotated[CallToolResult, HierarchyItems]:
        """List the sections below a section, around it or beside it; chunks likewise.

        Read the text of one with read_chunk.
        """
        index = source.get()
        if relation == "children":
            found = index.children(id, limit=limit, offset=offset)
        else:
            hits = index.parents(id) if relation == "parents" else index.siblings(id)
            found = hits[offset : offset + limit]
        items = [
            HierarchyItem(**place_values(hit), unit=hit.unit, tokens=hit.token_count)
            for hit in found
        ]
        lines = [f"{i.label}  {i.tokens} tokens  [{i.id}]" for i in items]
        value = HierarchyItems(items=items)
        return make_answer(value, "\n".join(lines) or f"it has no {relation}")

    return hierarchy
