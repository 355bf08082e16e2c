"""Work in threads, a bounded amount of it at a time.

A request waits for a slot in the order of arrival; where too many wait already, or one
has waited too long, it is told to come back. A slot is free again when its work is
done, even if nobody waits for the result any more: so the threads, and the connections
they hold, stay bounded whatever clients do.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import TYPE_CHECKING, TypeVar

from outcrop.http.problems import ProblemError, busy

if TYPE_CHECKING:
    from collections.abc import Callable

_Result = TypeVar("_Result")


class Gate:
    """A pool of threads with a bounded queue before it.

    Attributes:
        name: What goes through it, in the plural.
        slots: How much runs at a time.
    """

    def __init__(
        self, name: str, *, slots: int, max_waiting: int, seconds: float
    ) -> None:
        """Make a gate.

        Args:
            name: What goes through it, in the plural.
            slots: How much runs at a time.
            max_waiting: How many may wait.
            seconds: How long one waits, and how long its work may take.
        """
        self.name = name
        self.slots = slots
        self._max_waiting = max_waiting
        self._seconds = seconds
        self._free = asyncio.Semaphore(slots)
        self._threads = ThreadPoolExecutor(slots, thread_name_prefix=f"outcrop-{name}")
        self.running = 0
        self.waiting = 0

    async def run(self, work: Callable[[], _Result]) -> _Result:
        """Do some work in a thread.

        Raises:
            ProblemError: Too much is waiting, or the work takes too long.
        """
        await self._enter()
        future = asyncio.get_running_loop().run_in_executor(self._threads, work)
        future.add_done_callback(self._leave)
        try:
            async with asyncio.timeout(self._seconds):
                return await asyncio.shield(future)
        except TimeoutError:
            raise ProblemError(
                HTTPStatus.GATEWAY_TIMEOUT,
                f"this took more than {self._seconds:g} seconds; ask for less",
            ) from None

    def close(self) -> None:
        """Let nothing new start; what runs ends by itself."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _enter(self) -> None:
        if self.waiting >= self._max_waiting:
            raise busy(f"{self.waiting} {self.name} are waiting already")
        self.waiting += 1
        try:
            async with asyncio.timeout(self._seconds):
                await self._free.acquire()
        except TimeoutError:
            raise busy(f"other {self.name} take too long") from None
        finally:
            self.waiting -= 1
        self.running += 1

    def _leave(self, future: asyncio.Future[_Result]) -> None:
        self.running -= 1
        self._free.release()
        if not future.cancelled():
            future.exception()  # seen, even where nobody waits for it any more
