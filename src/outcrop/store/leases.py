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

    from outcrop.store.database import Connection, Database

_TRY_FOR_TRANSACTION = "SELECT pg_try_advisory_xact_lock(%s)"
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
    key = _key(database.schema, name)
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


def try_lease(connection: Connection, schema: str, name: str) -> bool:
    """Take a lease until the end of a transaction, unless another process holds it."""
    row = connection.execute(_TRY_FOR_TRANSACTION, (_key(schema, name),)).fetchone()
    return row == (True,)


def _key(schema: str, name: str) -> int:
    text = f"{schema}\0{name}"
    digest = blake2b(text.encode(), digest_size=8, person=b"outcrop").digest()
    return int.from_bytes(digest, "big", signed=True)
