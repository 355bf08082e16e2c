"""The terms of an index by their beginning and length."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outcrop.store.database import Connection

# Both tables have an index by term, in the order of the code points.
_READ = """
SELECT term, sum(df)::int FROM (
    SELECT term, df FROM lex_df
    WHERE term >= %(start)s AND term < %(end)s
        AND length(term) BETWEEN %(min)s AND %(max)s
    UNION ALL
    SELECT term, df FROM lex_delta
    WHERE term >= %(start)s AND term < %(end)s
        AND length(term) BETWEEN %(min)s AND %(max)s
) both_tables
GROUP BY term HAVING sum(df) > 0
"""


def read_terms(
    connection: Connection, start: str, min_length: int, max_length: int
) -> dict[str, int]:
    """Return the terms that start with a text, and in how many chunks each is."""
    parameters = {
        "start": start,
        "end": start[:-1] + chr(ord(start[-1]) + 1),
        "min": min_length,
        "max": max_length,
    }
    return dict(connection.execute(_READ, parameters).fetchall())
