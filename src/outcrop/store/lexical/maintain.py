"""Maintenance of the lexical index: pending rows, document frequencies, weights.

It runs after a writer's commit, in short transactions of its own; a process that is
killed in between leaves the work to the next one. Only a new average length changes
search results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from outcrop.store.bulk import copy_rows, create_stage
from outcrop.store.lexical.weights import K1, B, pack_vector, pin_of, unpack_vector
from outcrop.store.lexical.write import CHANGE_PIN, MERGE, TRY_MERGE, read_totals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.store.database import Connection, Database
    from outcrop.store.lexical.write import Totals

# Each pending batch is one more row to read for a frequent term of a query.
_MAX_BATCHES = 100
_MAX_DELTAS = 2_000_000
# During a run, so that weights are not computed again and again while the average is
# between two pinned values. A drift of 10 % changes 2 % of the first ten results.
_MAX_DRIFT = 0.15
_PAGE = 5_000

# There is no such index during the first load, and nothing to be filed.
_FILE_PENDING = "SELECT gin_clean_pending_list(to_regclass('chunk_lex_terms'))"
_LACKS_INDEX = "SELECT to_regclass('chunk_lex_terms') IS NULL"
_IS_EMPTY = "SELECT NOT EXISTS (SELECT FROM chunk_lex)"
_DROP_INDEXES = "DROP INDEX IF EXISTS chunk_lex_terms, lex_delta_term"
# As in the migration that made the tables.
_CREATE_INDEX = """
CREATE INDEX IF NOT EXISTS chunk_lex_terms ON chunk_lex USING gin (tsv)
WITH (fastupdate = on, gin_pending_list_limit = 262144)
"""
_CREATE_DELTA_INDEX = "CREATE INDEX IF NOT EXISTS lex_delta_term ON lex_delta (term)"

_CREATE_MERGE = """
CREATE TEMPORARY TABLE lex_merge (term text COLLATE "C", df int, maxw real)
ON COMMIT DROP
"""
_COLLECT = """
WITH taken AS (DELETE FROM lex_delta RETURNING term, df, maxw)
INSERT INTO lex_merge SELECT term, sum(df), max(maxw) FROM taken GROUP BY term
"""
_UPDATE_DF = """
UPDATE lex_df l SET df = l.df + m.df, maxw = greatest(l.maxw, m.maxw)
FROM lex_merge m WHERE l.term = m.term
"""
_INSERT_DF = """
INSERT INTO lex_df (term, df, maxw)
SELECT term, df, maxw FROM lex_merge m
WHERE NOT EXISTS (SELECT FROM lex_df l WHERE l.term = m.term)
ORDER BY term
"""
_DROP_UNUSED = """
DELETE FROM lex_df l USING lex_merge m WHERE l.term = m.term AND l.df <= 0
"""
_MERGE_BATCHES = """
WITH taken AS (DELETE FROM lex_batch RETURNING chunks, length)
INSERT INTO lex_batch (chunks, length, deltas)
SELECT sum(chunks), sum(length), 0 FROM taken HAVING count(*) > 0
"""

# The maximum that a weight can become with a greater average length: it is
# tf / (tf + s), and s shrinks by no more than the ratio of the two averages.
_WIDEN = """
UPDATE {table} SET maxw = (maxw / (1 - maxw)) / (maxw / (1 - maxw) + %s)
WHERE maxw < 1
"""
_READ_VECTORS = """
SELECT chunk_id, len, sv FROM chunk_lex WHERE chunk_id > %s ORDER BY chunk_id LIMIT %s
"""
_REWRITTEN = {"chunk_id": "text", "sv": "bytea"}
_APPLY_REWRITE = """
UPDATE chunk_lex l SET sv = s.sv FROM chunk_lex_stage s WHERE l.chunk_id = s.chunk_id
"""
_AVERAGE_OF = "SELECT avg(len)::float8 FROM chunk_lex WHERE document_id = ANY(%s)"
_CHANGE_PIN = "UPDATE lex_stat SET avgdl_pin = %s"


def drop_empty_index(database: Database) -> None:
    """Drop the indexes of the words if there are none yet.

    Built over all rows at the end of a load, they take half the time. Until then every
    search reads all rows; a run that is killed leaves the build to the next one.
    """
    with database.write() as connection:
        if connection.execute(_IS_EMPTY).fetchone() == (True,):
            connection.execute(_DROP_INDEXES)


def lacks_words_index(connection: Connection) -> bool:
    """Return whether the index of the words is missing."""
    return connection.execute(_LACKS_INDEX).fetchone() == (True,)


def ensure_words_index(database: Database) -> None:
    """Build the index of the words if it is missing."""
    with database.read() as connection:
        if not lacks_words_index(connection):
            return
    with database.write() as connection:
        # Writers wait while it is built; readers do not.
        connection.execute(_CREATE_INDEX)
        connection.execute(_CREATE_DELTA_INDEX)


def tidy_words(database: Database, *, thoroughly: bool = False) -> None:
    """Do the maintenance that is due after a write.

    After a long run, `thoroughly` merges all pending deltas.
    """
    with database.autocommit() as connection:
        connection.execute(_FILE_PENDING)
        totals = read_totals(connection)
        is_loading = lacks_words_index(connection)
    # The average of the first load is known at its end, when all weights are settled.
    if totals.drift > _MAX_DRIFT and not is_loading:
        settle_weights(database)
    due = totals.batches > _MAX_BATCHES or totals.deltas > _MAX_DELTAS
    if due or (thoroughly and totals.deltas):
        merge_deltas(database)


def merge_deltas(database: Database) -> None:
    """Merge `lex_delta` into `lex_df`."""
    with database.write() as connection:
        taken = connection.execute(TRY_MERGE).fetchone()
        if taken is None or not taken[0]:
            return  # another process is merging
        connection.execute(_CREATE_MERGE)
        connection.execute(_COLLECT)
        connection.execute("ANALYZE lex_merge")
        for statement in (_UPDATE_DF, _INSERT_DF, _DROP_UNUSED, _MERGE_BATCHES):
            connection.execute(statement)
    with database.autocommit() as connection:
        connection.execute("VACUUM (ANALYZE) lex_delta, lex_df, lex_batch")
        connection.execute("REINDEX TABLE lex_delta")  # it is nearly empty now


def expect_words(
    database: Database, before: Totals, sample: Sequence[str], chunks: int
) -> None:
    """Compute weights with the average length that a load is expected to end with.

    Early in a load there are few weights; at its end, all of them would be computed again.

    `before` has the totals before the first of many similar chunks were written, of
    which there will be `chunks`, as long as those of the documents in the sample.
    """
    with database.read() as connection:
        row = connection.execute(_AVERAGE_OF, (list(sample),)).fetchone()
    if before.shared is None and row is not None and row[0] is not None:
        length = before.length + chunks * row[0]
        settle_weights(database, length / (before.chunks + chunks))


def settle_weights(database: Database, average: float | None = None) -> bool:
    """Compute all weights as a new index of the same chunks would have them.

    They are computed with another average length if one is given.

    Returns:
        Whether they were computed.
    """
    with database.read() as connection:
        totals = read_totals(connection)
        if totals.is_pinned_to(average or totals.wanted):
            return False
    with database.write() as connection:
        connection.execute(CHANGE_PIN)
        connection.execute(MERGE)
        totals = read_totals(connection)
        wanted = average or totals.wanted
        if totals.pin is None or totals.is_pinned_to(wanted):
            return False  # another process has done it
        new = pin_of(wanted)
        if new > totals.pin:
            ratio = totals.pin / new
            for table in ("lex_df", "lex_delta"):
                connection.execute(_WIDEN.format(table=table), (ratio,))
        _rewrite_vectors(connection, totals.pin, new)
        connection.execute(_CHANGE_PIN, (new,))
    with database.autocommit() as connection:
        connection.execute(_FILE_PENDING)
    return True


def _rewrite_vectors(connection: Connection, old: float, new: float) -> None:
    stage = create_stage(connection, "chunk_lex", _REWRITTEN)
    last = ""
    while True:
        with connection.cursor(binary=True) as cursor:
            rows = cursor.execute(_READ_VECTORS, (last, _PAGE)).fetchall()
        if not rows:
            break
        rewritten = (
            (chunk_id, _reweigh(vector, length, old, new))
            for chunk_id, length, vector in rows
        )
        copy_rows(connection, stage, _REWRITTEN, rewritten)
        last = rows[-1][0]
    connection.execute(f"ANALYZE {stage}")
    connection.execute(_APPLY_REWRITE)


def _reweigh(vector: bytes, length: int, old: float, new: float) -> bytes:
    """Recover the term counts from the weights and compute new weights."""
    codes, weights = unpack_vector(vector)
    wide = weights.astype(np.float64)
    counts = np.rint(wide / (1 - wide) * (K1 * (1 - B + B * length / old)))
    fresh = counts / (counts + K1 * (1 - B + B * length / new))
    return pack_vector(codes, fresh.astype(np.float32))
