"""Whether an index that nobody owns was made of the files of a folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from psycopg import sql

if TYPE_CHECKING:
    from pathlib import Path

    from outcrop.store.address import Connection

# Ids are hashes of paths, so the first ones are a fair sample.
_SAMPLE_SIZE = 200
# Absolute paths lie outside the project, and say nothing of which one it is.
_SAMPLE = sql.SQL("""
SELECT path, size_bytes FROM {}.documents WHERE path NOT LIKE '/%%'
ORDER BY id LIMIT %s
""")


def is_index_of(connection: Connection, schema: str, folder: Path) -> bool:
    """Say whether at least half of the indexed files are in a folder, size and all."""
    query = _SAMPLE.format(sql.Identifier(schema))
    rows = connection.execute(query, (_SAMPLE_SIZE,)).fetchall()
    found = sum(_matches(folder / path, size) for path, size in rows)
    return found > 0 and found * 2 >= len(rows)


def _matches(file: Path, size: int | None) -> bool:
    try:
        status = file.stat()
    except (OSError, ValueError):
        return False
    return size is None or status.st_size == size
