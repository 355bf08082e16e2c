"""`related`: what is around a symbol in the code graph, documents included."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from mcp_types import CallToolResult
from pydantic import BaseModel, Field

from outcrop.errors import NotFoundError
from outcrop.mcp.answers import make_answer, shorten
from outcrop.mcp.source import IndexSource, refuse_empty
from outcrop.model.edge import EdgeKind
from outcrop.text.tokens import replace_surrogates

if TYPE_CHECKING:
    from outcrop.indexing.index import Index
    from outcrop.model.node import Node
    from outcrop.model.symbol import Link, SymbolView
    from outcrop.store.records import StoredChunk

Relation = Literal[
    "callers", "callees", "parents", "children", "bases", "derived",
    "overrides", "overridden_by", "imports", "imported_by", "mentions",
]  # fmt: skip

_LONGEST_SYMBOL = 1_000
_LONGEST_SIGNATURE = 300
_LONGEST_NAME = 200
_MOST_OTHERS = 5


class Symbol(BaseModel):
    """A definition, or the chunk of a document."""

    name: str = Field(description="Qualified name; of a chunk, path and headings")
    kind: str | None = Field(default=None, description="CLASS, METHOD and so on")
    path: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    signature: str | None = None
    id: str | None = Field(default=None, description="Of a chunk: read_chunk takes it")


class RelatedSymbol(Symbol):
    """The other end of a relation."""

    resolution: str = Field(description="How sure it is: exact, flow or heuristic")
    external: bool | None = Field(default=None, description="Outside the project")


class Relatives(BaseModel):
    """A symbol and what is around it."""

    symbol: Symbol
    relations: dict[str, list[RelatedSymbol]] = Field(description="By relation")
    left_out: dict[str, int] = Field(description="How many more, by relation")
    others: list[str] = Field(description="Other symbols that the name fits")


def bind(source: IndexSource) -> Callable[..., CallToolResult]:
    """Make the tool for an index."""

    def related(
        symbol: Annotated[
            str,
            Field(description="A name, qualified or not, or the id of a chunk"),
        ],
        relation: Annotated[
            Relation | None, Field(description="This relation alone")
        ] = None,
        limit: Annotated[
            int, Field(ge=1, le=200, description="How many of each relation at most")
        ] = 10,
    ) -> Annotated[CallToolResult, Relatives]:
        """Show what calls a symbol, what it calls, extends, contains, and who names it.

        Of a chunk of a document it shows the symbols that the text names.
        """
        index = source.get()
        symbol = replace_surrogates(symbol[:_LONGEST_SYMBOL].replace("\0", "\ufffd"))
        chunk = _find_chunk(index, symbol)
        if chunk is not None and chunk.node_id is None:
            found = _of_document(index, chunk, limit)
        else:
            name = symbol if chunk is None else str(chunk.node_id)
            found = _of_symbol(index, name, relation, limit)
        return make_answer(found, _as_text(found))

    return related


def _find_chunk(index: "Index", given: str) -> "StoredChunk | None":
    chunks = index.store.get_chunks([given.strip().removeprefix("chunk://")])
    return chunks[0] if chunks else None


def _of_symbol(
    index: "Index", name: str, relation: Relation | None, limit: int
) -> Relatives:
    name = name.strip()
    found = index.symbols(name, 1 + _MOST_OTHERS) if name else []
    if not found:
        refuse_empty(index)
        raise NotFoundError(
            f"nothing in the code graph is called {name[:100]!r}; give the name of a"
            " function, method or class, or find one with search"
        )
    view = index.symbol(found[0].id)
    names = [relation] if relation else get_args(Relation)
    links = {each: getattr(view, each) for each in names}
    return Relatives(
        symbol=_node_values(view),
        relations={
            each: [_link_values(link) for link in ends[:limit]]
            for each, ends in links.items()
            if ends
        },
        left_out=_beyond(links.items(), limit),
        others=[shorten(node.fqn, _LONGEST_NAME) for node in found[1:]],
    )


def _of_document(index: "Index", chunk: "StoredChunk", limit: int) -> Relatives:
    edges = index.store.edges_from([chunk.id], [EdgeKind.MENTIONS])
    nodes = {node.id: node for node in index.store.get_nodes([e.dst for e in edges])}
    ends = [
        RelatedSymbol(**_brief(nodes[e.dst]), resolution=e.resolution)
        for e in edges
        if e.dst in nodes
    ]
    here = Symbol(
        name=shorten(" > ".join([chunk.path, *chunk.section_path]), _LONGEST_NAME),
        path=chunk.path,
        start_line=chunk.start_line,
        end_line=chunk.end_line,
        id=chunk.id,
    )
    return Relatives(
        symbol=here,
        relations={"mentions": ends[:limit]} if ends else {},
        left_out=_beyond([("mentions", ends)], limit),
        others=[],
    )


def _beyond(
    relations: Iterable[tuple[str, Sequence[object]]], limit: int
) -> dict[str, int]:
    return {name: len(ends) - limit for name, ends in relations if len(ends) > limit}


def _node_values(view: "SymbolView") -> Symbol:
    node = view.node
    signature = shorten(node.signature, _LONGEST_SIGNATURE) if node.signature else None
    return Symbol(**_brief(node), signature=signature)


def _link_values(link: "Link") -> RelatedSymbol:
    if link.node is not None:
        return RelatedSymbol(**_brief(link.node), resolution=link.resolution)
    return RelatedSymbol(
        name=shorten(link.name, _LONGEST_NAME),
        resolution=link.resolution,
        external=link.external or None,
        id=link.chunk_id,
    )


def _brief(node: "Node") -> dict[str, Any]:
    return {
        "name": shorten(node.fqn, _LONGEST_NAME),
        "kind": str(node.kind),
        "path": node.file_path,
        "start_line": node.line_start,
        "end_line": node.line_end,
    }


def _as_text(found: Relatives) -> str:
    lines = [_line(found.symbol)]
    if found.symbol.signature:
        lines.append(found.symbol.signature)
    for relation, ends in found.relations.items():
        lines.append(f"{relation}:")
        lines += (f"  {_line(end)}{_doubt(end)}" for end in ends)
        if relation in found.left_out:
            lines.append(f"  [{found.left_out[relation]} more: give a greater limit]")
    if not found.relations:
        lines.append("nothing related is known")
    if found.others:
        lines.append(f"also called so: {', '.join(found.others)}")
    return "\n".join(lines)


def _line(symbol: Symbol) -> str:
    where = f"  {symbol.path}:{symbol.start_line}-{symbol.end_line}"
    kind = f"{symbol.kind} " if symbol.kind else ""
    identity = f"  [{symbol.id}]" if symbol.id else ""
    return f"{kind}{symbol.name}{where if symbol.path else ''}{identity}"


def _doubt(end: RelatedSymbol) -> str:
    return "" if end.resolution == "exact" else f"  ({end.resolution})"
