"""A lease: one holder at a time, given up by whoever is gone."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from integration.store.processes import wait_until
from integration.store.servers import EVERY_SERVER
from outcrop.store.leases import hold_lease

if TYPE_CHECKING:
    from outcrop.store.database import Database


@EVERY_SERVER
def test_a_second_holder_waits_and_is_told(database: Database) -> None:
    events: list[str] = []

    def second() -> None:
        with hold_lease(database, "work", lambda: events.append("waits")):
            events.append("second")

    with hold_lease(database, "work"):
        thread = threading.Thread(target=second)
        thread.start()
        assert wait_until(lambda: events == ["waits"])
        with hold_lease(database, "other"):
            events.append("other")
    thread.join()
    assert events == ["waits", "other", "second"]


@EVERY_SERVER
def test_a_lease_is_given_up_when_its_work_fails(database: Database) -> None:
    with pytest.raises(ValueError, match="no luck"), hold_lease(database, "work"):
        raise ValueError("no luck")
    waited: list[bool] = []
    with hold_lease(database, "work", lambda: waited.append(True)):
        assert waited == []


@EVERY_SERVER
def test_a_lease_goes_with_its_connection(database: Database) -> None:
    events = []
    with hold_lease(database, "work"):
        with database.write() as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_locks"
                " WHERE locktype = 'advisory' AND granted"
            )
        events.append("done all the same")
    with hold_lease(database, "work", lambda: events.append("waits")):
        assert events == ["done all the same"]
