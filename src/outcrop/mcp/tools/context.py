"""`context`: the best text for a question within a budget of tokens."""

from collections.abc import Callable
from typing import Annotated, Literal

from mcp_types import CallToolResult
from pydantic import BaseModel, Field

from outcrop.mcp.answers import Place, make_answer, place_values
from outcrop.mcp.arguments import PathGlobs
from outcrop.mcp.source import IndexSource, refuse_empty

_MAX_TOKENS = 32_000


class Source(Place):
    """Where a piece of the text is from."""

    is_cut: bool = Field(description="Whether the end is missing")


class PackedContext(BaseModel):
    """A text for a model, and where its pieces are from."""

    text: str = Field(description="The pieces, each under a line with its place")
    tokens: int = Field(description="Tokens of the text")
    sources: list[Source] = Field(description="In the order of the text")


def bind(source: IndexSource) -> Callable[..., CallToolResult]:
    """Make the tool for an index."""

    def context(
        query: Annotated[str, Field(description="A question, keywords, or a name")],
        max_tokens: Annotated[
            int, Field(ge=50, le=_MAX_TOKENS, description="Maximum tokens of text")
        ] = 2000,
        kind: Annotated[
            Literal["doc", "code"] | None,
            Field(description="Use only documents or only code"),
        ] = None,
        path_glob: PathGlobs = None,
    ) -> Annotated[CallToolResult, PackedContext]:
        """Get the best text for a question, whole passages, within a token budget.

        Use it to answer a question in one step; use search to look around first.
        """
        index = source.get()
        packed = index.context(query, max_tokens, kind=kind, path_glob=path_glob)
        if not packed.pieces:
            refuse_empty(index)
        sources = [
            Source.model_validate({**place_values(piece.hit), "is_cut": piece.is_cut})
            for piece in packed.pieces
        ]
        text = str(packed)
        value = PackedContext(text=text, tokens=packed.token_count, sources=sources)
        return make_answer(value, text or _NOTHING)

    return context


_NOTHING = "nothing found; ask in other words, without filters, or with more tokens"
