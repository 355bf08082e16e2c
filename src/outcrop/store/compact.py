"""Returning the space of replaced rows to the disk after a load.

During a load many rows are written more than once: words are weighted again with the
final average length. VACUUM lets later rows use the space, but only a rewritten table is
as small as its rows. That is cheapest before the large indexes are built.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from psycopg import errors

if TYPE_CHECKING:
    from collections.abc import Collection

    from outcrop.store.database import Database

_log = logging.getLogger(__name__)

_TABLES = ("chunks", "chunk_lex", "lex_df", "nodes", "edges")
_REPLACED = """
SELECT relname FROM pg_stat_user_tables
WHERE schemaname = current_schema() AND relname = ANY(%s)
    AND n_tup_upd + n_tup_del > n_live_tup / 10
"""
# A search that comes meanwhile waits until its table is rewritten, about a second for
# 100 MB. It must not also wait for whoever uses the table now.
_SET_PATIENCE = "SET lock_timeout = '2s'"
_RESET_PATIENCE = "RESET lock_timeout"


def compact(database: Database, replaced: Collection[str] = ()) -> None:
    """Rewrite the tables of an index without the space of replaced rows.

    A table that is in use, or for which the disk has no room, stays as it is.

    Args:
        database: The database.
        replaced: Tables whose rows were replaced just now, which the server counts only
            later.
    """
    with database.autocommit() as connection:
        connection.execute(_SET_PATIENCE)
        try:
            counted = connection.execute(_REPLACED, (list(_TABLES),)).fetchall()
            for table in {*replaced, *(row[0] for row in counted)}:
                connection.execute(f"VACUUM (FULL) {table}")
        except (errors.LockNotAvailable, errors.DiskFull) as error:
            _log.info("tables are not compacted: %s", error)
        finally:
            connection.execute(_RESET_PATIENCE)
