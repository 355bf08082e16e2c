"""`related`: what is around a symbol in the code graph, documents included."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Literal

from mcp_types import CallToolResult
from pydantic import BaseModel, Field

from outcrop.errors import NotFoundError
from outcrop.indexing.reader import name_similar
from outcrop.mcp.answers import Answer, Place, make_answer, place_values
from outcrop.mcp.source import IndexSource, reject_empty
from outcrop.presentation.text import shorten
from outcrop.text.marks import on_one_line
from outcrop.text.tokens import replace_surrogates

if TYPE_CHECKING:
    from outcrop.indexing.sharded import AnyIndex
    from outcrop.model.node import Node

Relations = Literal[
    "callers", "callees", "calls", "parents", "children", "types", "mentions"
]

_MAX_SYMBOL_CHARS = 1_000
_MAX_SIGNATURE_CHARS = 300
_MAX_NAME_CHARS = 200
_MAX_NAMES = 10


class Symbol(BaseModel):
    """A definition."""

    name: str = Field(description="Qualified name")
    kind: str = Field(description="CLASS, METHOD and so on")
    path: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    signature: str | None = None


class RelatedPlace(Place):
    """A chunk of code or of a document at the other end of a relation."""

    relation: str = Field(description="Relation to the symbol: caller, callee …")
    resolution: str = Field(description="How it was found: exact, flow or heuristic")


class Relatives(Answer):
    """The neighbours of a symbol or a chunk, the strongest relation first."""

    symbol: Symbol | None = Field(default=None, description="None for a chunk")
    related: list[RelatedPlace]
    more: bool = Field(description="Whether there is more than the limit")
    external: list[str] = Field(description="What it calls outside the project")
    others: list[str] = Field(description="Other symbols of that name")


def bind(source: IndexSource) -> Callable[..., CallToolResult]:
    """Make the tool for an index."""

    def related(
        symbol: Annotated[
            str,
            Field(description="A name, qualified or not, or the id of a chunk"),
        ],
        relation: Annotated[
            Relations | None, Field(description="Follow only this relation")
        ] = None,
        limit: Annotated[
            int, Field(ge=1, le=100, description="Maximum number of results")
        ] = 10,
    ) -> Annotated[CallToolResult, Relatives]:
        """Show what calls a symbol, what it calls, contains and extends, and who mentions it.

        For a chunk of a document it shows the symbols that the text mentions. Returns
        places; read them with read_chunk.
        """
        index = source.get()
        name = _clean(symbol)
        nodes = index.store.find_nodes(name, limit=1 + _MAX_NAMES) if name else []
        found = _follow(index, name, relation, limit + 1)
        value = Relatives(
            symbol=_describe(nodes[0]) if nodes else None,
            related=found[:limit],
            more=len(found) > limit,
            external=_externals(index, nodes[0]) if nodes and not relation else [],
            others=[shorten(node.fqn, _MAX_NAME_CHARS) for node in nodes[1:]],
        )
        return make_answer(value, _as_text(value))

    return related


def _clean(symbol: str) -> str:
    text = symbol[:_MAX_SYMBOL_CHARS].replace("\0", "\ufffd")
    return replace_surrogates(text).strip().removeprefix("chunk://")


def _follow(
    index: "AnyIndex", name: str, relation: Relations | None, limit: int
) -> list[RelatedPlace]:
    try:
        found = index.related(name, limit, expand=relation or "all")
    except NotFoundError as error:
        reject_empty(index)
        similar = name_similar(index.store, name) or "; find one with search"
        raise NotFoundError(f"unknown symbol {name[:100]!r}{similar}") from error
    return [
        RelatedPlace(
            **place_values(item.hit),
            relation=str(item.relation),
            resolution=item.resolution,
        )
        for item in found
    ]


def _describe(node: "Node") -> Symbol:
    return Symbol(
        name=shorten(node.fqn, _MAX_NAME_CHARS),
        kind=str(node.kind),
        path=node.file_path,
        start_line=node.line_start,
        end_line=node.line_end,
        signature=shorten(node.signature or "", _MAX_SIGNATURE_CHARS) or None,
    )


def _externals(index: "AnyIndex", node: "Node") -> list[str]:
    callees = index.symbol(node.id).callees
    names = [shorten(link.name, _MAX_NAME_CHARS) for link in callees if link.external]
    return names[:_MAX_NAMES]


def _as_text(value: Relatives) -> str:
    lines: list[str] = []
    if value.symbol is not None:
        here = value.symbol
        where = ""
        if here.path:
            where = f"  {on_one_line(here.path)}:{here.start_line}-{here.end_line}"
        lines.append(f"{here.kind} {here.name}{where}")
        lines += [here.signature] if here.signature else []
    for place in value.related:
        doubt = "" if place.resolution == "exact" else f" ({place.resolution})"
        lines.append(f"{place.relation}{doubt}: {place.label}  [{place.id}]")
    if value.more:
        lines.append("[more: give a greater limit]")
    if not value.related:
        lines.append("nothing related was found")
    if value.external:
        lines.append(f"calls outside the project: {', '.join(value.external)}")
    if value.others:
        lines.append(f"other symbols of this name: {', '.join(value.others)}")
    return "\n".join(lines)
