"""Which processes may write: those of the present run, not late ones of a killed run.

Runs are numbered. A worker knows the number of its run, and compares it with the present
one whenever it begins to write, under a lease that workers share. A new run waits for
that lease before it takes the next number, so a worker of an earlier run has either
finished by then or writes nothing.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from outcrop.errors import StorageError
from outcrop.store.leases import hold_lease, share_lease

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outcrop.store.database import Database

WRITERS = "index writers"
"""The lease that workers share while they write."""
_NEXT = """
INSERT INTO index_settings (key, value) VALUES ('writing_run', '1'::jsonb)
ON CONFLICT (key) DO UPDATE
SET value = to_jsonb((index_settings.value #>> '{}')::bigint + 1)
"""
_CURRENT = """
SELECT (value #>> '{}')::bigint FROM index_settings WHERE key = 'writing_run'
"""


def begin_run(database: Database) -> None:
    """Wait for the workers of a run that was killed; keep those out that are late."""
    with hold_lease(database, WRITERS), database.write() as connection:
        connection.execute(_NEXT)


def current_run(database: Database) -> int:
    """Return the number of the run that may write."""
    with database.read() as connection:
        row = connection.execute(_CURRENT).fetchone()
    return int(row[0]) if row else 0


@contextmanager
def share_writing(database: Database, run: int) -> Iterator[None]:
    """Let a worker of a run write, and make the next run wait for it.

    Raises:
        StorageError: Another run has begun since.
    """
    with share_lease(database, WRITERS):
        if current_run(database) != run:
            raise StorageError("the run that this worker belongs to has ended")
        yield
