"""The code graph: symbols by name, and what is related to one."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Path, Query

from outcrop.errors import InputError
from outcrop.http.problems import problems
from outcrop.http.requests import Relation
from outcrop.http.results import (
    LinkResult,
    NodeBrief,
    NodeResult,
    RelatedList,
    RelatedResult,
    SymbolResult,
    Symbols,
)
from outcrop.http.service import Served

if TYPE_CHECKING:
    from outcrop.indexing.sharded import AnyIndex

router = APIRouter(prefix="/v1", tags=["graph"], responses=problems())

SymbolName = Annotated[str, Path(max_length=1000, examples=["guide.reader.parse"])]


@router.get("/symbols", summary="Find symbols by name")
async def find_symbols(
    service: Served,
    query: Annotated[str, Query(min_length=1, max_length=1000, examples=["parse"])],
    limit: Annotated[int, Query(ge=1, le=100)] = 10,
) -> Symbols:
    """Return the symbols that match an id, a qualified name, its end, or a name."""
    return await service.jobs.run(lambda: _find(service.index, query, limit))


@router.get(
    "/graph/{symbol:path}",
    summary="Read a symbol and what is related to it",
    responses=problems(HTTPStatus.NOT_FOUND),
)
async def read_symbol(symbol: SymbolName, service: Served) -> SymbolResult:
    """Return a symbol by its id or name, with callers, callees and so on."""
    return await service.jobs.run(lambda: _read(service.index, symbol))


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
    return await service.jobs.run(
        lambda: _related(service.index, symbol_or_chunk, limit, expand)
    )


def _related(index: AnyIndex, name: str, limit: int, expand: str) -> RelatedList:
    found = index.related(check_name(name), limit, expand=expand)
    return RelatedList(items=[RelatedResult.model_validate(item) for item in found])


def _find(index: AnyIndex, query: str, limit: int) -> Symbols:
    found = index.symbols(check_name(query), limit)
    return Symbols(items=[NodeBrief.model_validate(node) for node in found])


def _read(index: AnyIndex, symbol: str) -> SymbolResult:
    view = index.symbol(check_name(symbol))
    return SymbolResult(
        node=NodeResult.model_validate(view.node),
        links={
            name: [LinkResult.model_validate(link) for link in links]
            for name, links in view.links().items()
        },
    )


def check_name(name: str) -> str:
    """Reject a name that no symbol can have."""
    if "\0" in name or not name.strip():
        raise InputError(f"invalid symbol name {name!r}")
    return name
