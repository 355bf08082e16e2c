"""A bounded number of threads with a bounded queue, for servers.

A call waits for a slot in order of arrival. It is refused if too many calls wait
already, or after it has waited too long. A slot becomes free when its work ends, even
if its caller gave up before: threads, and the database connections that they hold, stay
bounded whatever clients do.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

_Result = TypeVar("_Result")


class GateError(Exception):
    """A call was not answered; the message says why."""


class BusyError(GateError):
    """Too many calls wait already, or the wait for a slot was too long."""


class SlowError(GateError):
    """The work takes too long; it continues, but its result is lost."""


class ThreadGate:
    """A pool of threads with a bounded queue.

    Args:
        name: What passes through it, in the plural.
        slots: Maximum number of calls that run at a time.
        max_waiting: Maximum number of calls that wait.
        max_seconds: Maximum time a call waits, and then runs; None for no limit.

    Attributes:
        running: Number of calls that run now.
        waiting: Number of calls that wait now.
    """

    def __init__(
        self,
        name: str,
        *,
        slots: int,
        max_waiting: int,
        max_seconds: float | None = None,
    ) -> None:
        self.name = name
        self.running = 0
        self.waiting = 0
        self._max_waiting = max_waiting
        self._max_seconds = max_seconds
        self._free = asyncio.Semaphore(slots)
        self._threads = ThreadPoolExecutor(slots, thread_name_prefix=f"outcrop-{name}")

    async def run(self, work: Callable[[], _Result]) -> _Result:
        """Call a function in a thread.

        Raises:
            BusyError: Too many calls wait already.
            SlowError: The work takes too long.
            RuntimeError: A native library failed.
        """
        await self._enter()
        job = partial(copy_context().run, _run, work)
        future = asyncio.get_running_loop().run_in_executor(self._threads, job)
        future.add_done_callback(self._leave)
        try:
            async with asyncio.timeout(self._max_seconds):
                return await asyncio.shield(future)
        except TimeoutError:
            if future.done():  # the work itself raised it
                raise
            raise SlowError(
                f"this took more than {self._max_seconds:g} seconds; ask for less"
            ) from None

    def close(self, *, wait: bool = False) -> None:
        """Start nothing new, and optionally wait for the calls that run."""
        self._threads.shutdown(wait=wait, cancel_futures=True)

    async def _enter(self) -> None:
        if self.waiting >= self._max_waiting:
            raise BusyError(
                f"{self.waiting} {self.name} are waiting already; try again in a moment"
            )
        self.waiting += 1
        try:
            async with asyncio.timeout(self._max_seconds):
                await self._free.acquire()
        except TimeoutError:
            raise BusyError(
                f"other {self.name} take too long; try again in a moment"
            ) from None
        finally:
            self.waiting -= 1
        self.running += 1

    def _leave(self, future: asyncio.Future[_Result]) -> None:
        self.running -= 1
        self._free.release()
        if not future.cancelled():
            future.exception()  # marked as seen, even if no caller waits any longer


def _run(work: Callable[[], _Result]) -> _Result:
    """Call a function; an error in native code must not end the server."""
    try:
        return work()
    except (Exception, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        raise RuntimeError("a native library failed") from error
