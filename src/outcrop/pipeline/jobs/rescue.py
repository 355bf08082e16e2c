"""Finding jobs that nobody does any more, and putting them back into the queue.

A worker that is killed leaves its jobs behind as being done; procrastinate knows by its
heartbeats that it is gone, but leaves the rest to us. A job can be lost by a living
worker too: it was fetched, but the answer never arrived.
"""

from __future__ import annotations

import contextlib
import logging
import time
from typing import TYPE_CHECKING

from procrastinate.exceptions import ConnectorException

from outcrop.pipeline.jobs.queue import QUEUE

if TYPE_CHECKING:
    from collections.abc import Collection

    from procrastinate.jobs import Job
    from procrastinate.manager import JobManager

_log = logging.getLogger(__name__)


class Rescue:
    """Looks for lost jobs, time and again.

    Args:
        doing: The jobs that this process does, as they change.
        stalled_seconds: After which silence a worker counts as gone.
    """

    def __init__(self, doing: Collection[int], *, stalled_seconds: float) -> None:
        self._doing = doing
        self._stalled_seconds = stalled_seconds
        self._idle_since: dict[int | None, float] = {}

    async def rescue(self, manager: JobManager, worker_id: int | None) -> bool:
        """Give jobs that nobody does to whoever asks next.

        Args:
            manager: The queue.
            worker_id: This worker, once it is known by a number.

        Returns:
            Whether there were some.
        """
        stalled = await manager.get_stalled_jobs(
            queue=QUEUE, seconds_since_heartbeat=self._stalled_seconds
        )
        lost = [*stalled, *await self._forgotten(manager, worker_id)]
        for job in lost:
            # Where another worker was faster, or it ended after all, this is refused.
            with contextlib.suppress(ConnectorException):
                await manager.retry_job(job)
                _log.info("job %s of worker %s goes on", job.id, job.worker_id)
        return bool(lost)

    async def _forgotten(self, manager: JobManager, worker_id: int | None) -> list[Job]:
        """Return jobs that this worker should do, but knows nothing of."""
        if worker_id is None:
            return []
        mine = await manager.list_jobs_async(
            queue=QUEUE, status="doing", worker_id=worker_id
        )
        idle = [job for job in mine if job.id not in self._doing]
        now = time.monotonic()
        self._idle_since = {job.id: self._idle_since.get(job.id, now) for job in idle}
        # One that was fetched a moment ago is about to begin.
        latest = now - self._stalled_seconds
        return [job for job in idle if self._idle_since[job.id] <= latest]
