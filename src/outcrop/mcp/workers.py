"""Threads for calls, a bounded number at a time.

The database has a few connections for all of them, so that more threads would only wait
there, for longer and with less to say.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, TypeVar

import anyio.to_thread
from anyio import CapacityLimiter
from mcp.server.mcpserver.exceptions import ToolError

if TYPE_CHECKING:
    from collections.abc import Callable

_Result = TypeVar("_Result")


class Workers:
    """Does work in threads.

    Args:
        slots: How much is done at a time.
        max_waiting: How much may wait for that.
    """

    def __init__(self, *, slots: int = 4, max_waiting: int = 200) -> None:
        self._limiter = CapacityLimiter(slots)
        self._max_waiting = max_waiting

    async def run(self, work: Callable[[], _Result]) -> _Result:
        """Do some work in a thread.

        Work that has begun is not broken off when its caller gives up: its slot is free
        when it is done.

        Raises:
            ToolError: Too much is waiting already.
            RuntimeError: A native library failed.
        """
        if self._limiter.statistics().tasks_waiting >= self._max_waiting:
            raise ToolError("too many calls are waiting; ask again in a moment")
        return await anyio.to_thread.run_sync(
            partial(_run, work), limiter=self._limiter
        )


def _run(work: Callable[[], _Result]) -> _Result:
    """Do some work; what native code raises must not end the server."""
    try:
        return work()
    except (Exception, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        raise RuntimeError("a native library failed") from error
