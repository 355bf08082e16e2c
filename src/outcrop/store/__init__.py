"""PostgreSQL: embedded or remote, the schema, and what is read and written.

`outcrop.store.store.PostgresStore` is the door; `records` has the values that go
through it.
"""

from __future__ import annotations

from importlib.util import find_spec

from outcrop.errors import MissingExtraError

if any(find_spec(name) is None for name in ("numpy", "psycopg", "psycopg_pool")):
    raise MissingExtraError("the store", "store")
