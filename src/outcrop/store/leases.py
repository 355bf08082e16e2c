"""Leases: what one process at a time may do, or several processes together.

They are advisory locks of the database, which end with the connection that holds them.

One of them says which processes may write: those of the present run, not late ones of a
killed run. Runs are numbered. A worker knows the number of its run, and compares it with
the present one whenever it begins to write, under a lease that workers share. A new run
waits for that lease before it takes the next number, so a worker of an earlier run has
either finished by then or writes nothing.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from hashlib import blake2b
from typing import TYPE_CHECKING

import psycopg

from outcrop.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from outcrop.store.database import Connection, Database

_TRY_FOR_TRANSACTION = "SELECT pg_try_advisory_xact_lock(%s)"
_TRY = "SELECT pg_try_advisory_lock(%s)"
_LOCK = "SELECT pg_advisory_lock(%s)"
_UNLOCK = "SELECT pg_advisory_unlock(%s)"
# An advisory lock on one number is listed as its two halves.
_IS_LEASED = """
SELECT EXISTS (
    SELECT FROM pg_locks
    WHERE locktype = 'advisory' AND granted AND objsubid = 1
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND (classid::bigint << 32 | objid::bigint) = %s
)
"""
_LOCK_SHARED = "SELECT pg_advisory_lock_shared(%s)"
_UNLOCK_SHARED = "SELECT pg_advisory_unlock_shared(%s)"
# The lease that workers share while they write.
_WRITERS = "index writers"
_NEXT = """
INSERT INTO index_settings (key, value) VALUES ('writing_run', '1'::jsonb)
ON CONFLICT (key) DO UPDATE
SET value = to_jsonb((index_settings.value #>> '{}')::bigint + 1)
"""
_CURRENT = """
SELECT (value #>> '{}')::bigint FROM index_settings WHERE key = 'writing_run'
"""


@contextmanager
def hold_lease(
    database: Database, name: str, on_wait: Callable[[], None] | None = None
) -> Iterator[None]:
    """Hold a lease for work of many transactions; wait while another process holds it.

    It is bound to a connection, so a process that is killed gives it up.
    """
    key = _key(database.schema, name)
    with database.autocommit() as connection:
        row = connection.execute(_TRY, (key,)).fetchone()
        if row != (True,):
            if on_wait is not None:
                on_wait()
            connection.execute(_LOCK, (key,))
        with _releasing(connection, key):
            yield


@contextmanager
def hold_free_lease(database: Database, name: str) -> Iterator[bool]:
    """Hold a lease as `hold_lease` does, but only if nobody holds it; yield whether."""
    key = _key(database.schema, name)
    with database.autocommit() as connection:
        if connection.execute(_TRY, (key,)).fetchone() != (True,):
            yield False
            return
        with _releasing(connection, key):
            yield True


@contextmanager
def _releasing(
    connection: Connection, key: int, unlock: str = _UNLOCK
) -> Iterator[None]:
    try:
        yield
    finally:
        # A lost connection has given up the lease already.
        with suppress(psycopg.OperationalError):
            connection.execute(unlock, (key,))


def is_leased(database: Database, name: str) -> bool:
    """Return whether a process holds a lease, this one included."""
    with database.read() as connection:
        row = connection.execute(_IS_LEASED, (_key(database.schema, name),)).fetchone()
    return row == (True,)


def try_lease(connection: Connection, schema: str, name: str) -> bool:
    """Take a lease until the end of a transaction, unless another process holds it."""
    row = connection.execute(_TRY_FOR_TRANSACTION, (_key(schema, name),)).fetchone()
    return row == (True,)


def begin_run(database: Database) -> None:
    """Wait for the workers of a run that was killed; keep those out that are late."""
    with hold_lease(database, _WRITERS), database.write() as connection:
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
    key = _key(database.schema, _WRITERS)
    with database.autocommit() as connection:
        connection.execute(_LOCK_SHARED, (key,))
        with _releasing(connection, key, _UNLOCK_SHARED):
            if current_run(database) != run:
                raise StorageError("the run that this worker belongs to has ended")
            yield


def _key(schema: str, name: str) -> int:
    text = f"{schema}\0{name}"
    digest = blake2b(text.encode(), digest_size=8, person=b"outcrop").digest()
    return int.from_bytes(digest, "big", signed=True)
