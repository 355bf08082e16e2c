"""A run as server-sent events.

The run is read from the store until it ends, so that runs of other processes can be
followed too. Streams are counted: each holds a connection.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from outcrop.errors import StorageError
from outcrop.http.problems import busy
from outcrop.http.results import RunResult
from outcrop.model.run import RunState
from outcrop.thread_gate import GateError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from outcrop.http.service import Service
    from outcrop.model.run import Run

_POLL_SECONDS = 0.4
_QUIET_SECONDS = 15.0
_RETRY_MILLISECONDS = 2_000


def stream_slot(service: Service) -> ExitStack:
    """Take a slot for a stream; closing it releases the slot.

    Raises:
        ProblemError: All are taken.
    """
    if service.streams >= service.settings.max_streams:
        raise busy(f"{service.streams} streams are already open; try again later")
    slot = ExitStack()
    slot.enter_context(_counted(service))
    return slot


@contextmanager
def _counted(service: Service) -> Iterator[None]:
    service.streams += 1
    try:
        yield
    finally:
        service.streams -= 1


async def follow(run: Run, service: Service, slot: ExitStack) -> AsyncIterator[str]:
    """Yield a run as an event whenever it changes, and `end` when it ends."""
    with slot:
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
