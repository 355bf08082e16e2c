"""Runs: started, listed, and followed as server-sent events."""

from __future__ import annotations

import asyncio
import time
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Path, Query, Response
from fastapi.responses import StreamingResponse

from outcrop.errors import StorageError
from outcrop.http.problems import busy, problems
from outcrop.http.requests import BuildBody, IndexBody, read_number, write_cursor
from outcrop.http.results import RunPage, RunResult
from outcrop.http.service import Served
from outcrop.model.run import RunState
from outcrop.thread_gate import GateError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.types import Receive, Scope, Send

    from outcrop.http.service import Service
    from outcrop.indexing.sharded import AnyIndex
    from outcrop.model.run import Run

router = APIRouter(prefix="/v1", tags=["runs"], responses=problems())

_MAX_RUNS = 10_000
_POLL_SECONDS = 0.4
_QUIET_SECONDS = 15.0
_RETRY_MILLISECONDS = 2_000
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
    return _started(run, response)


@router.post(
    "/build",
    summary="Plan the chunks of code and fill them",
    status_code=HTTPStatus.ACCEPTED,
    responses=problems(HTTPStatus.CONFLICT),
)
async def start_build(
    body: BuildBody, service: Served, response: Response
) -> RunResult:
    """Start a build of files and folders of the project, and return its run."""
    run = await service.jobs.run(
        lambda: service.runs.start_build(body.paths, body.options())
    )
    return _started(run, response)


def _started(run: Run, response: Response) -> RunResult:
    response.headers["Location"] = f"/v1/runs/{run.id}"
    return RunResult.model_validate(run)


@router.get("/runs", summary="List the runs")
async def list_runs(
    service: Served,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    cursor: Annotated[str | None, Query(max_length=100)] = None,
) -> RunPage:
    """Return the runs, the latest first, a page at a time."""
    before = read_number(cursor)
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
    return _EventStream(run, service)


def _page(index: AnyIndex, before: int, limit: int) -> RunPage:
    runs = index.store.runs(limit=_MAX_RUNS if before else limit + 1)
    rest = [run for run in runs if not before or run.id < before]
    items = rest[:limit]
    return RunPage.of(
        items=items,
        next_cursor=write_cursor(str(items[-1].id)) if len(rest) > limit else None,
    )


class _EventStream(StreamingResponse):
    """The events of a run; holds one of the slots for streams while it is sent."""

    def __init__(self, run: Run, service: Service) -> None:
        """Take a slot.

        Raises:
            ProblemError: All are taken.
        """
        if service.streams >= service.settings.max_streams:
            raise busy(f"{service.streams} streams are already open; try again later")
        super().__init__(_follow(run, service), media_type="text/event-stream")
        self._service = service
        service.streams += 1

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # Not in `_follow`, which never begins if the client is gone already.
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._service.streams -= 1


async def _follow(run: Run, service: Service) -> AsyncIterator[str]:
    """Yield a run as an event whenever it changes, and `end` when it ends.

    It is read from the store, so that runs of other processes can be followed too.
    """
    yield f"retry: {_RETRY_MILLISECONDS}\n\n{_event('run', run)}"
    started = last_event = time.monotonic()
    while run.state is RunState.RUNNING:
        if time.monotonic() - started > service.settings.stream_seconds:
            return  # the client connects again
        await asyncio.sleep(_POLL_SECONDS)
        latest = await _read(run, service)
        if latest != run:
            run, last_event = latest, time.monotonic()
            yield _event("run", run)
        elif time.monotonic() - last_event > _QUIET_SECONDS:
            last_event = time.monotonic()
            yield ": still there\n\n"
    yield _event("end", run)


async def _read(run: Run, service: Service) -> Run:
    try:
        return await service.jobs.run(lambda: service.index.store.get_run(run.id))
    except (GateError, StorageError):
        return run  # it may succeed next time


def _event(name: str, run: Run) -> str:
    data = RunResult.model_validate(run).model_dump_json()
    return f"event: {name}\nid: {run.id}\ndata: {data}\n\n"
