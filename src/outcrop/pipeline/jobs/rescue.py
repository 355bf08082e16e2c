"""Finds jobs whose worker is gone, and puts them back into the queue.

The jobs of a killed worker stay marked as being done; procrastinate detects a dead worker
by its heartbeats but does not requeue its jobs. A living worker can lose a job too: it was
fetched, but the response never arrived.
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
    """Looks for lost jobs, at intervals.

    Args:
        doing: The jobs that this process is doing; changes over time.
        stalled_seconds: Time without a heartbeat after which a worker counts as dead.
    """

    def __init__(self, doing: Collection[int], *, stalled_seconds: float) -> None:
        self._doing = doing
        self._stalled_seconds = stalled_seconds
        self._idle_since: dict[int | None, float] = {}

    async def rescue(self, manager: JobManager, worker_id: int | None) -> bool:
        """Put jobs without a living worker back into the queue.

        Args:
            manager: The queue.
            worker_id: The id of this worker, once it has one.

        Returns:
            Whether there were some.
        """
        stalled = await manager.get_stalled_jobs(
            queue=QUEUE, seconds_since_heartbeat=self._stalled_seconds
        )
        lost = [*stalled, *await self._forgotten(manager, worker_id)]
        for job in lost:
            # Rejected if another worker was faster, or the job ended after all.
            with contextlib.suppress(ConnectorException):
                await manager.retry_job(job)
                _log.info("job %s of worker %s is queued again", job.id, job.worker_id)
        return bool(lost)

    async def _forgotten(self, manager: JobManager, worker_id: int | None) -> list[Job]:
        """Return jobs that are assigned to this worker but not being done."""
        if worker_id is None:
            return []
        mine = await manager.list_jobs_async(
            queue=QUEUE, status="doing", worker_id=worker_id
        )
        idle = [job for job in mine if job.id not in self._doing]
        now = time.monotonic()
        self._idle_since = {job.id: self._idle_since.get(job.id, now) for job in idle}
        # A job that was fetched a moment ago is about to start.
        latest = now - self._stalled_seconds
        return [job for job in idle if self._idle_since[job.id] <= latest]
