"""PostgreSQL: the server, embedded or remote, the schema, and reading and writing.

`outcrop.store.store.PostgresStore` is what other packages use; the values that it takes
and returns are in `outcrop.model`. Each of its parts is a module named after what it
stores: `documents`, `chunks`, `graph` and so on. `columns` lists the columns of a chunk,
`bulk` has COPY, staging tables and locks. `search_source` is what search reads, with the
methods of `chunk_source` and `section_source`, or `sharded_source` in several databases.
"""

from __future__ import annotations

from importlib.util import find_spec

from outcrop.errors import MissingExtraError

if any(find_spec(name) is None for name in ("numpy", "psycopg", "psycopg_pool")):
    raise MissingExtraError("the store", "store")
