"""Workers of several projects in one database listen on the same channels."""

from __future__ import annotations

import asyncio
import json

import psycopg

from outcrop.pipeline.jobs.queue import QUEUE, PatientConnector
from outcrop.store.database import Database

CHANNEL = f"procrastinate_queue_v1#{QUEUE}"


def test_a_request_to_abort_a_job_is_not_taken_from_another_project(
    server_url: str,
) -> None:
    async def listen(database: Database) -> list[str]:
        heard: list[str] = []
        is_heard = asyncio.Event()

        async def hear(*, channel: str, payload: str) -> None:
            assert channel == CHANNEL
            heard.append(json.loads(payload)["type"])
            is_heard.set()

        connector = PatientConnector(database, connections=2, patience_seconds=5)
        await connector.open_async()
        listener = asyncio.create_task(connector.listen_notify(hear, [CHANNEL]))
        try:
            while not is_heard.is_set():  # it may not listen yet
                await asyncio.to_thread(_notify, server_url)
                await asyncio.sleep(0.05)
        finally:
            listener.cancel()
            await asyncio.gather(listener, return_exceptions=True)
            await connector.close_async()
        return heard

    with Database.open(server_url, schema="channels") as database:
        assert set(asyncio.run(listen(database))) == {"job_inserted"}


def _notify(url: str) -> None:
    """Say what procrastinate's triggers would say in the schema of any project."""
    with psycopg.connect(url, autocommit=True) as connection:
        for kind in ("abort_job_requested", "job_inserted"):
            payload = json.dumps({"type": kind, "job_id": 1})
            connection.execute("SELECT pg_notify(%s, %s)", (CHANNEL, payload))
