"""Running the scans of several searches by words together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.store.batch import Rows, Statement, fetch_all
from outcrop.store.lexical.query import LexicalSearch, WordSearch, best_first

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.store.database import Connection

Started = tuple[WordSearch, LexicalSearch]
"""A search, and the statements of its scans."""


def first_scans(started: Sequence[Started]) -> list[Statement]:
    """Return the first scan of each search."""
    return [
        scans.scan(search.first_query(), few=search.few) for search, scans in started
    ]


def finish_scans(
    connection: Connection, started: Sequence[Started], rows: Sequence[Rows]
) -> None:
    """Run the further scans of the searches that need some.

    Args:
        connection: In the transaction of the searches.
        started: The searches.
        rows: What their first scans found.
    """
    while started:
        more = [
            (search, scans, query)
            for (search, scans), found in zip(started, rows, strict=True)
            if (query := search.next_query(best_first(found))) is not None
        ]
        started = [(search, scans) for search, scans, _ in more]
        statements = [
            scans.scan(query, few=search.few) for search, scans, query in more
        ]
        rows = fetch_all(connection, statements)
