"""Searching, packing a context, and reading a chunk with its surroundings."""

from __future__ import annotations

import time
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Path, Query
from fastapi.responses import Response
from pydantic_core import to_json

from outcrop.http.dataclass_models import reader_of
from outcrop.http.problems import problems
from outcrop.http.requests import ContextBody, QueryBody, SearchBody
from outcrop.http.results import (
    ChunkResult,
    ContextResult,
    HitList,
    HitResult,
    PieceResult,
    SearchResult,
    SpellingResult,
)
from outcrop.http.service import Served
from outcrop.search.spelling import Spelling

if TYPE_CHECKING:
    from collections.abc import Mapping

    from outcrop.indexing.sharded import AnyIndex
    from outcrop.model.stored import StoredChunk

router = APIRouter(
    prefix="/v1", tags=["search"], responses=problems(HTTPStatus.CONFLICT)
)

Around = Annotated[int, Query(ge=0, le=20)]
Limit = Annotated[int, Query(ge=1, le=1_000)]
Offset = Annotated[int, Query(ge=0, le=1_000_000_000)]
_hit_fields = reader_of(HitResult)
_piece_fields = reader_of(PieceResult)
_spelling_fields = reader_of(SpellingResult)
ChunkId = Annotated[str, Path(max_length=64, examples=["5f3e0b7c9a1d2e48"])]


@router.post(
    "/search",
    summary="Find the chunks that answer a question",
    response_model=SearchResult,
)
async def search(body: SearchBody, service: Served) -> Response:
    """Return the best chunks, best first, with their places and marked words."""
    return await service.searches.run(lambda: _search(service.index, body))


@router.post(
    "/context",
    summary="Pack the best text into a budget of tokens",
    response_model=ContextResult,
)
async def context(body: ContextBody, service: Served) -> Response:
    """Return a text for a language model, with the source of each piece."""
    return await service.searches.run(lambda: _context(service.index, body))


@router.get(
    "/chunks/{chunk_id}",
    summary="Read a chunk with its surroundings",
    responses=problems(HTTPStatus.NOT_FOUND),
)
async def read_chunk(
    chunk_id: ChunkId, service: Served, before: Around = 0, after: Around = 0
) -> ChunkResult:
    """Return a chunk by its id, or by the first digits of it."""
    return await service.jobs.run(
        lambda: _read_chunk(service.index, chunk_id, before, after)
    )


@router.get(
    "/chunks/{chunk_id}/children",
    summary="List what is below a chunk, a section or a document",
    responses=problems(HTTPStatus.NOT_FOUND),
)
async def list_children(
    chunk_id: ChunkId, service: Served, limit: Limit = 100, offset: Offset = 0
) -> HitList:
    """Return a page of the children in the hierarchy, in order."""
    return await service.jobs.run(
        lambda: HitList.of(
            items=service.index.children(chunk_id, limit=limit, offset=offset)
        )
    )


@router.get(
    "/chunks/{chunk_id}/parents",
    summary="List what is around a chunk or a section",
    responses=problems(HTTPStatus.NOT_FOUND),
)
async def list_parents(chunk_id: ChunkId, service: Served) -> HitList:
    """Return the parents in the hierarchy, the outermost first."""
    return await service.jobs.run(
        lambda: HitList.of(items=service.index.parents(chunk_id))
    )


@router.get(
    "/chunks/{chunk_id}/siblings",
    summary="List what has the same parent",
    responses=problems(HTTPStatus.NOT_FOUND),
)
async def list_siblings(chunk_id: ChunkId, service: Served) -> HitList:
    """Return a chunk or section with its siblings, in order."""
    return await service.jobs.run(
        lambda: HitList.of(items=service.index.siblings(chunk_id))
    )


def _search(index: AnyIndex, body: SearchBody) -> Response:
    started = time.perf_counter()
    filters: Any = body.filters()
    with index.one_view() as view:
        spelling = _check_spelling(view, body)
        hits = view.search(
            spelling.query,
            body.limit,
            max_hit_tokens=body.max_hit_tokens,
            group=body.group,
            **filters,
        )
    seconds = round(time.perf_counter() - started, 6)
    return _json_response(
        {
            "hits": [_hit_fields(hit) for hit in hits],
            "seconds": seconds,
            "spelling": _spelling_fields(spelling),
            "missing": sorted(index.missing),
        }
    )


def _check_spelling(index: AnyIndex, body: QueryBody) -> Spelling:
    if body.verbatim:
        return Spelling(query=body.query)
    return index.check_spelling(body.query)


def _context(index: AnyIndex, body: ContextBody) -> Response:
    filters: Any = body.filters()
    with index.one_view() as view:
        spelling = _check_spelling(view, body)
        packed = view.context(
            spelling.query,
            body.max_tokens,
            with_summaries=body.with_summaries,
            **filters,
        )
    return _json_response(
        {
            "text": str(packed),
            "token_count": packed.token_count,
            "mark": packed.mark,
            "pieces": [
                {**_piece_fields(piece), "hit": _hit_fields(piece.hit)}
                for piece in packed.pieces
            ],
            "spelling": _spelling_fields(spelling),
            "missing": sorted(index.missing),
        }
    )


def _json_response(fields: Mapping[str, Any]) -> Response:
    return Response(to_json(fields), media_type="application/json")


def _read_chunk(index: AnyIndex, chunk_id: str, before: int, after: int) -> ChunkResult:
    hit = index.get(chunk_id)
    earlier = index.neighbours(hit.id, before=before, after=0) if before else []
    later = index.neighbours(hit.id, before=0, after=after) if after else []
    return ChunkResult.of(
        chunk=hit, before=earlier, after=later, parents=_parents(index, hit.id)
    )


def _parents(index: AnyIndex, chunk_id: str) -> list[StoredChunk]:
    """Return the sections around a chunk, from the outermost in."""
    found: list[StoredChunk] = []
    parent = index.store.get_chunk(chunk_id).parent_id
    while parent is not None:
        chunks = index.store.get_chunks([parent])
        found += chunks
        parent = chunks[0].parent_id if chunks else None
    return found[::-1]
