"""Runs: started, listed, and followed as server-sent events."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Path, Query, Response
from fastapi.responses import StreamingResponse

from outcrop.errors import InputError
from outcrop.http.bodies import IndexBody
from outcrop.http.cursor import read_cursor, write_cursor
from outcrop.http.events import follow, stream_slot
from outcrop.http.problem_responses import problems
from outcrop.http.results import RunPage, RunResult
from outcrop.http.service import Served

if TYPE_CHECKING:
    from outcrop.indexing.index import Index

router = APIRouter(prefix="/v1", tags=["runs"], responses=problems())

_MAX_RUNS = 10_000
RunId = Annotated[int, Path(ge=1, le=2**63 - 1, examples=[7])]


@router.post(
    "/index",
    summary="Bring the index up to date",
    status_code=HTTPStatus.ACCEPTED,
    responses=problems(HTTPStatus.CONFLICT),
)
async def start_index(
    body: IndexBody, service: Served, response: Response
) -> RunResult:
    """Start a run over files and folders of the project, and return it."""
    run = await service.jobs.run(lambda: service.runs.start(body.paths))
    response.headers["Location"] = f"/v1/runs/{run.id}"
    return RunResult.model_validate(run)


@router.get("/runs", summary="List the runs")
async def list_runs(
    service: Served,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    cursor: Annotated[str | None, Query(max_length=100)] = None,
) -> RunPage:
    """Return the runs, the latest first, a page at a time."""
    before = _number(read_cursor(cursor))
    return await service.jobs.run(lambda: _page(service.index, before, limit))


@router.get(
    "/runs/{run_id}",
    summary="Read a run",
    responses=problems(HTTPStatus.NOT_FOUND),
)
async def read_run(run_id: RunId, service: Served) -> RunResult:
    """Return a run: its state, the progress of its stages, and failures."""
    return RunResult.model_validate(
        await service.jobs.run(lambda: service.index.store.get_run(run_id))
    )


@router.get(
    "/runs/{run_id}/events",
    summary="Follow a run",
    response_class=StreamingResponse,
    responses={
        **problems(HTTPStatus.NOT_FOUND),
        200: {
            "content": {
                "text/event-stream": {
                    "example": 'event: run\ndata: {"id": 7, "state": "running"}\n\n'
                }
            }
        },
    },
)
async def follow_run(run_id: RunId, service: Served) -> StreamingResponse:
    """Send the run as an event whenever it changes; `end` when it ends."""
    run = await service.jobs.run(lambda: service.index.store.get_run(run_id))
    slot = stream_slot(service)
    return StreamingResponse(follow(run, service, slot), media_type="text/event-stream")


def _page(index: Index, before: int, limit: int) -> RunPage:
    runs = index.store.runs(limit=_MAX_RUNS if before else limit + 1)
    rest = [run for run in runs if not before or run.id < before]
    items = rest[:limit]
    return RunPage(
        items=[RunResult.model_validate(run) for run in items],
        next_cursor=write_cursor(str(items[-1].id)) if len(rest) > limit else None,
    )


def _number(key: str) -> int:
    if key and not (key.isascii() and key.isdecimal() and len(key) < 20):  # noqa: PLR2004 - digits of an id
        raise InputError("invalid cursor; omit it to start from the first page")
    return int(key or 0)
