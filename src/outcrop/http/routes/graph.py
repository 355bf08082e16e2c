"""The code graph: symbols by name, and what is related to one."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Path, Query

from outcrop.errors import InputError
from outcrop.http.problems import problems
from outcrop.http.requests import Relation
from outcrop.http.results import RelatedList, SymbolResult, Symbols
from outcrop.http.service import Served

router = APIRouter(prefix="/v1", tags=["graph"], responses=problems())

SymbolName = Annotated[str, Path(max_length=1000, examples=["guide.reader.parse"])]


@router.get("/symbols", summary="Find symbols by name")
async def find_symbols(
    service: Served,
    query: Annotated[str, Query(min_length=1, max_length=1000, examples=["parse"])],
    limit: Annotated[int, Query(ge=1, le=100)] = 10,
) -> Symbols:
    """Return the symbols that match an id, a qualified name, its end, or a name."""
    return await service.jobs.run(
        lambda: Symbols.of(items=service.index.symbols(check_name(query), limit))
    )


@router.get(
    "/graph/{symbol:path}",
    summary="Read a symbol and what is related to it",
    responses=problems(HTTPStatus.NOT_FOUND),
)
async def read_symbol(symbol: SymbolName, service: Served) -> SymbolResult:
    """Return a symbol by its id or name, with callers, callees and so on."""

    def read() -> SymbolResult:
        view = service.index.symbol(check_name(symbol))
        return SymbolResult.of(node=view.node, links=view.links())

    return await service.jobs.run(read)


@router.get(
    "/related/{symbol_or_chunk:path}",
    summary="Find what is related to a symbol or a chunk",
    responses=problems(HTTPStatus.NOT_FOUND),
)
async def find_related(
    symbol_or_chunk: SymbolName,
    service: Served,
    limit: Annotated[int, Query(ge=1, le=100)] = 10,
    expand: Annotated[
        Relation, Query(description="Relations of the code graph to follow.")
    ] = "all",
) -> RelatedList:
    """Return chunks of code and of documents with their relation, strongest first."""
    name = check_name(symbol_or_chunk)
    return await service.jobs.run(
        lambda: RelatedList.of(items=service.index.related(name, limit, expand=expand))
    )


def check_name(name: str) -> str:
    """Reject a name that no symbol can have."""
    if "\0" in name or not name.strip():
        raise InputError(f"invalid symbol name {name!r}")
    return name
