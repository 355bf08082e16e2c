"""`search`: the chunks that answer a question best, as places with snippets."""

from collections.abc import Callable
from typing import Annotated, Literal

from mcp_types import CallToolResult
from pydantic import BaseModel, Field

from outcrop.mcp.answers import Place, Quotation, make_answer, place_values, quote
from outcrop.mcp.arguments import PathGlobs
from outcrop.mcp.budget import make_snippet
from outcrop.mcp.source import IndexSource, refuse_empty

_SNIPPET = 280  # characters: about 70 tokens
_MAX_HITS = 50


class SearchHit(Place):
    """A chunk, or a section that stands for its parts."""

    score: float = Field(description="Comparable within one search only")
    tokens: int = Field(description="Tokens of the whole text")
    snippet: str = Field(description="The stretch that matches best")


class SearchHits(BaseModel):
    """The hits of a search, best first."""

    hits: list[SearchHit]


def bind(source: IndexSource) -> Callable[..., CallToolResult]:
    """Make the tool for an index."""

    def search(
        query: Annotated[str, Field(description="A question, keywords, or a name")],
        limit: Annotated[
            int, Field(ge=1, le=_MAX_HITS, description="Maximum number of hits")
        ] = 8,
        kind: Annotated[
            Literal["doc", "code"] | None,
            Field(description="Search only documents or only code"),
        ] = None,
        path_glob: PathGlobs = None,
    ) -> Annotated[CallToolResult, SearchHits]:
        """Find the passages of the indexed documents and code that answer a question.

        Returns places (path, lines, heading) with a snippet each. Read more of one with
        read_chunk, or get the best text directly with context.
        """
        index = source.get()
        found = index.search(query, limit, kind=kind, path_glob=path_glob)
        if not found:
            refuse_empty(index)
        hits = [
            SearchHit.model_validate(
                {
                    **place_values(hit),
                    "score": round(hit.score, 4),
                    "tokens": hit.token_count,
                    "snippet": make_snippet(hit.content, hit.highlights, _SNIPPET),
                }
            )
            for hit in found
        ]
        return make_answer(SearchHits(hits=hits), _as_text(hits))

    return search


def _as_text(hits: list[SearchHit]) -> str:
    if not hits:
        return "nothing found; ask in other words, or without kind and path_glob"
    return quote(
        [
            Quotation(f"{rank}. {hit.label}  [{hit.id}]", hit.snippet)
            for rank, hit in enumerate(hits, 1)
        ]
    )
