"""Reading the words of an index into memory; `PostingLists` says what for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.store.copies import CopyReader
from outcrop.store.lexical.postings import PostingLists, PostingsBuilder, WordsState

if TYPE_CHECKING:
    from threading import Event

    from outcrop.store.address import Connection

# 8 bytes each: 128 MB. In a larger index, words are always looked up in the database.
_MAX_POSTINGS = 16_000_000
_PAGE = 2_000

# What identifies the words that a transaction sees: every change adds a batch.
STATE = """
SELECT 'chunk_lex'::regclass::oid::bigint AS words_table,
    (SELECT string_agg(id::text, ' ' ORDER BY id) FROM lex_batch) AS batches,
    (SELECT avgdl_pin FROM lex_stat) AS average
"""
_READ_TERMS = """
SELECT term, sum(df)::int FROM (
    SELECT term, df FROM lex_df UNION ALL SELECT term, df FROM lex_delta
) both_tables GROUP BY term HAVING sum(df) > 0
"""
# The square of 1 + 2^-12, less what is left of it as a number of single precision: nothing,
# unless products are added before they are rounded.
_IS_FUSED = """
SELECT '{1:-1.00048828125,2:1.000244140625}/2'::sparsevec
    <#> '{1:1,2:1.000244140625}/2'::sparsevec <> 0
"""
_READ_WORDS = """
DECLARE words NO SCROLL CURSOR FOR SELECT chunk_id, sv FROM chunk_lex
"""


def _read(
    connection: Connection, stop: Event
) -> tuple[WordsState, PostingLists] | None:
    table, batches, average = connection.execute(STATE).fetchone() or (0, None, None)
    df: dict[str, int] = dict(connection.execute(_READ_TERMS).fetchall())
    if sum(df.values()) > _MAX_POSTINGS:
        return None
    (is_fused,) = connection.execute(_IS_FUSED).fetchone() or (False,)
    builder = PostingsBuilder(df)
    connection.execute(_READ_WORDS)
    with connection.cursor(binary=True) as cursor:
        while rows := cursor.execute(f"FETCH {_PAGE} FROM words").fetchall():
            if stop.is_set() or not builder.add(*zip(*rows, strict=True)):
                return None
    lists = builder.build(is_fused=is_fused)
    state = WordsState(table, batches or "", average)
    return None if lists is None else (state, lists)


POSTINGS = CopyReader(read=_read, chunks_per_search=300)
