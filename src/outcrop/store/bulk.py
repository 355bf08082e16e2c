"""Rows in bulk: COPY, staging tables, locks, what differs from the stored rows, upkeep.

Whoever changes chunks locks their documents first, in the order of their ids, so that
writers wait for each other but never deadlock.
"""

from __future__ import annotations

import logging
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from psycopg import errors

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from outcrop.store.database import Connection, Database

_log = logging.getLogger(__name__)

Row = tuple[Any, ...]
_New = TypeVar("_New")

# The columns whose values the planner has to know. Statistics of texts, vectors and JSON
# take seconds of sampling and are never used.
ANALYZED = {
    "documents": ("id", "path", "kind", "lang"),
    "chunks": (
        *("id", "document_id", "application_id", "node_id", "parent_id", "source"),
        *("kind", "place", "level", "is_leaf", "indexable", "section_path"),
    ),
    "chunk_lex": ("chunk_id", "document_id", "tsv", "cut"),
    "sections": ("id", "document_id", "parent_id", "place", "last_chunk"),
    "nodes": (
        *("id", "application_id", "document_id", "kind", "name", "fqn", "file_path"),
    ),
    "edges": ("src", "dst", "kind", "external", "application_id"),
}

# Rows sampled per table, in units of 300. The default of 100 takes several times as long,
# and no search became faster by it.
_STATISTICS_TARGET = 30

_COPY_HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)  # without flags, or an extension
_COPY_END = b"\xff\xff"

_LOCK_DOCUMENTS = """
SELECT id FROM documents WHERE id IN (
    SELECT unnest(%(ids)s::text[])
    UNION SELECT document_id FROM chunks WHERE node_id = ANY(%(nodes)s)
    UNION SELECT document_id FROM chunks WHERE id = ANY(%(chunks)s)
) ORDER BY id FOR UPDATE
"""
_INDEXES = """
SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index
WHERE indrelid = ANY(%s::text[]::regclass[]) AND NOT indisprimary
ORDER BY indexrelid
"""

_COMPACTED = ("chunks", "chunk_lex", "lex_df", "nodes", "edges")
_REPLACED = """
SELECT relname FROM pg_stat_user_tables
WHERE schemaname = current_schema() AND relname = ANY(%s)
    AND n_tup_upd + n_tup_del > n_live_tup / 10
"""
# A search that comes meanwhile waits until its table is rewritten, about a second for
# 100 MB. It must not also wait for whoever uses the table now.
_SET_PATIENCE = "SET lock_timeout = '2s'"
_RESET_PATIENCE = "RESET lock_timeout"


@dataclass(slots=True)
class Difference(Generic[_New]):
    """What has to be done to stored rows to make them the new ones.

    Attributes:
        inserted: New rows, or the values they are packed from.
        updated: Rows that replace stored ones.
        deleted: Ids of stored rows that the new ones lack.
        unchanged: How many rows stay as they are.
    """

    inserted: list[_New] = field(default_factory=list)
    updated: list[Row] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    unchanged: int = 0

    def delete_others(self, stored: Iterable[str], new: Collection[str]) -> None:
        """Mark the stored ids that are not among the new ones as deleted."""
        self.deleted = [row_id for row_id in stored if row_id not in new]


def lock_documents(
    connection: Connection,
    ids: Iterable[str] = (),
    *,
    of_nodes: Iterable[str] = (),
    of_chunks: Iterable[str] = (),
) -> list[str]:
    """Lock documents until the transaction ends; return the ids of those that exist.

    Args:
        connection: In a transaction.
        ids: Documents.
        of_nodes: Nodes: the documents of their chunks.
        of_chunks: Chunks: their documents.
    """
    parameters = {"ids": list(ids), "nodes": list(of_nodes), "chunks": list(of_chunks)}
    return [row[0] for row in connection.execute(_LOCK_DOCUMENTS, parameters)]


def copy_rows(
    connection: Connection, table: str, columns: Mapping[str, str], rows: Iterable[Row]
) -> None:
    """Append rows to a table by binary COPY.

    Args:
        connection: In a transaction. Rows may be made while the server works on those
            it has, but without the use of this connection.
        table: The table.
        columns: The type each column is sent as, in the order of a row's values.
            `bytea` stands for any type whose values are packed as PostgreSQL sends
            them.
        rows: The rows.
    """
    with connection.cursor().copy(_copy_into(table, columns)) as copy:
        copy.set_types(list(columns.values()))
        for row in rows:
            copy.write_row(row)


def copy_packed(
    connection: Connection, table: str, columns: Iterable[str], rows: bytes
) -> None:
    """Append rows to a table that are packed as binary COPY expects them.

    Args:
        connection: In a transaction.
        table: The table.
        columns: The columns, in the order of a row's values.
        rows: The rows one after the other, without the header of the format.
    """
    with connection.cursor().copy(_copy_into(table, columns)) as copy:
        copy.write(b"".join((_COPY_HEADER, rows, _COPY_END)))


def _copy_into(table: str, columns: Iterable[str]) -> str:
    return f"COPY {table} ({', '.join(columns)}) FROM STDIN (FORMAT BINARY)"


@contextmanager
def indexed_afterwards(connection: Connection, tables: Sequence[str]) -> Iterator[None]:
    """Build the indexes of empty tables after the rows of a block are written.

    That takes a third of the time of adding to them row by row. Primary keys stay. Whoever
    reads the tables meanwhile waits until the transaction ends; while somebody does, or
    where they belong to another user, the indexes stay too.
    """
    definitions = _drop_indexes(connection, tables)
    yield
    for definition in definitions:
        connection.execute(definition)


def _drop_indexes(connection: Connection, tables: Sequence[str]) -> list[str]:
    """Return the definitions of the indexes that were dropped."""
    try:
        with connection.transaction():
            # All at once and without waiting: readers take their locks in any order.
            lock = f"LOCK TABLE {', '.join(tables)} IN ACCESS EXCLUSIVE MODE NOWAIT"
            connection.execute(lock)
            indexes = connection.execute(_INDEXES, (list(tables),)).fetchall()
            for name, _ in indexes:
                connection.execute(f"DROP INDEX {name}")
    except (errors.LockNotAvailable, errors.InsufficientPrivilege):
        return []
    return [definition for _, definition in indexes]


def create_stage(connection: Connection, table: str, columns: Iterable[str]) -> str:
    """Create an empty temporary table with some columns of a table; return its name."""
    stage = f"{table}_stage"
    statement = (
        f"CREATE TEMPORARY TABLE {stage} ON COMMIT DROP AS "  # noqa: S608 - names of tables and columns
        f"SELECT {', '.join(columns)} FROM {table} WITH NO DATA"
    )
    connection.execute(statement)
    return stage


@contextmanager
def staged_rows(
    connection: Connection, table: str, columns: Mapping[str, str], rows: Iterable[Row]
) -> Iterator[None]:
    """Hold rows in `<table>_stage` for the statements of a block.

    Args:
        connection: In a transaction.
        table: The table that the rows are made for.
        columns: As for `copy_rows`.
        rows: The rows.
    """
    stage = create_stage(connection, table, columns)
    copy_rows(connection, stage, columns, rows)
    yield
    # After an error the transaction is rolled back, and the stage with it.
    connection.execute(f"DROP TABLE {stage}")


def analyze(
    connection: Connection, tables: Iterable[str], *, vacuum: bool = False
) -> None:
    """Bring the statistics of tables up to date.

    Args:
        connection: Without a transaction.
        tables: Keys of `ANALYZED`.
        vacuum: Also free the space of deleted rows.
    """
    named = ", ".join(f"{table} ({', '.join(ANALYZED[table])})" for table in tables)
    if named:
        connection.execute(f"SET default_statistics_target = {_STATISTICS_TARGET}")
        connection.execute(f"{'VACUUM (ANALYZE)' if vacuum else 'ANALYZE'} {named}")
        connection.execute("RESET default_statistics_target")


def compact(database: Database, replaced: Collection[str] = ()) -> None:
    """Rewrite the tables of an index without the space of replaced rows.

    During a load many rows are written more than once: words are weighted again with the
    final average length. VACUUM lets later rows use the space, but only a rewritten table
    is as small as its rows. That is cheapest before the large indexes are built.

    A table that is in use, or for which the disk has no room, stays as it is.

    Args:
        database: The database.
        replaced: Tables whose rows were replaced just now, which the server counts only
            later.
    """
    with database.autocommit() as connection:
        connection.execute(_SET_PATIENCE)
        try:
            counted = connection.execute(_REPLACED, (list(_COMPACTED),)).fetchall()
            for table in {*replaced, *(row[0] for row in counted)}:
                connection.execute(f"VACUUM (FULL) {table}")
        except (errors.LockNotAvailable, errors.DiskFull) as error:
            _log.info("tables are not compacted: %s", error)
        finally:
            connection.execute(_RESET_PATIENCE)
