"""A lease that one process at a time holds: for work of many transactions.

It is bound to a connection, so a process that is killed gives it up.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from hashlib import blake2b
from typing import TYPE_CHECKING

import psycopg

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from outcrop.store.database import Database

_TRY = "SELECT pg_try_advisory_lock(%s)"
_LOCK = "SELECT pg_advisory_lock(%s)"
_UNLOCK = "SELECT pg_advisory_unlock(%s)"


@contextmanager
def hold_lease(
    database: Database, name: str, on_wait: Callable[[], None] | None = None
) -> Iterator[None]:
    """Hold a lease on something in this schema; wait for whoever holds it.

    Args:
        database: The open database.
        name: What the lease is on.
        on_wait: Told where another process holds it.
    """
    key = _key(f"{database.schema}\0{name}")
    with database.autocommit() as connection:
        row = connection.execute(_TRY, (key,)).fetchone()
        if row != (True,):
            if on_wait is not None:
                on_wait()
            connection.execute(_LOCK, (key,))
        try:
            yield
        finally:
            # A connection that was lost meanwhile has given the lease up.
            with suppress(psycopg.OperationalError):
                connection.execute(_UNLOCK, (key,))


def _key(name: str) -> int:
    digest = blake2b(name.encode(), digest_size=8, person=b"outcrop").digest()
    return int.from_bytes(digest, "big", signed=True)
