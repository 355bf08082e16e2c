"""The lexical index of chunks, written in the transaction that writes the chunks."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from outcrop.store.bulk import copy_packed, copy_rows
from outcrop.store.lexical.weights import Postings, pack_deltas, pack_postings, pin_of
from outcrop.store.recorded_settings import write_setting

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from outcrop.store.database import Connection

_READ_PIN = "SELECT avgdl_pin FROM lex_stat"
_SET_PIN = "INSERT INTO lex_stat (avgdl_pin) VALUES (%s) ON CONFLICT DO NOTHING"
_DELETE = """
DELETE FROM chunk_lex WHERE chunk_id = ANY(%s)
RETURNING len, tsvector_to_array(tsv)
"""
# Sparse vectors and tsvectors are packed as PostgreSQL sends them.
_COPY_WORDS = {
    "chunk_id": "text",
    "document_id": "text",
    "len": "int4",
    "sv": "bytea",
    "tsv": "bytea",
    "cut": "bool",
}
_COPY_DELTAS = ("term", "df", "maxw")
_ADD_BATCH = "INSERT INTO lex_batch (chunks, length, deltas) VALUES (%s, %s, %s)"
_READ_TOTALS = """
SELECT coalesce(sum(chunks), 0)::bigint, coalesce(sum(length), 0)::bigint,
    coalesce(sum(deltas), 0)::bigint, count(*), (SELECT avgdl_pin FROM lex_stat),
    (SELECT (value #>> '{}')::float8 FROM index_settings WHERE key = 'average_length')
FROM lex_batch
"""
# Shared while weights are computed, exclusive while the average length that they are
# computed with changes.
SHARE_PIN = "SELECT pg_advisory_xact_lock_shared(1870, hashtext(current_schema()))"
CHANGE_PIN = "SELECT pg_advisory_xact_lock(1870, hashtext(current_schema()))"
# Held while deltas are merged into lex_df.
TRY_MERGE = "SELECT pg_try_advisory_xact_lock(1871, hashtext(current_schema()))"
MERGE = "SELECT pg_advisory_xact_lock(1871, hashtext(current_schema()))"


class ChunkWords(NamedTuple):
    """The words of one chunk.

    Attributes:
        id: The chunk's id in the store.
        document_id: Its document's id.
        terms: Its terms with their counts.
    """

    id: str
    document_id: str
    terms: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """The totals of the lexical index.

    Attributes:
        chunks: The number of chunks.
        length: The number of their terms, repetitions included.
        deltas: The number of rows in `lex_delta` that are not merged yet.
        batches: The number of writes that added them.
        pin: The average length that the weights were computed with.
        shared: The average length of all databases of the index, if it has several.
    """

    chunks: int
    length: int
    deltas: int
    batches: int
    pin: float | None
    shared: float | None = None

    @property
    def average(self) -> float:
        """The actual average length of a chunk."""
        return max(1.0, self.length / self.chunks) if self.chunks else 1.0

    @property
    def wanted(self) -> float:
        """The average length that weights should be computed with."""
        return self.shared or self.average

    @property
    def drift(self) -> float:
        """The difference of the two averages, as a share of the pinned one."""
        if self.pin is None or not self.chunks:
            return 0.0
        return abs(self.wanted / self.pin - 1)

    def is_pinned_to(self, average: float) -> bool:
        """Whether a new index of chunks with this average would pin the same one."""
        return self.pin is None or not self.chunks or self.pin == pin_of(average)


def read_totals(connection: Connection) -> Totals:
    """Return the totals as this transaction sees them."""
    row = connection.execute(_READ_TOTALS).fetchone()
    chunks, length, deltas, batches, pin, shared = row or (0, 0, 0, 0, None, None)
    return Totals(
        chunks=chunks,
        length=length,
        deltas=deltas,
        batches=batches,
        pin=pin,
        shared=shared,
    )


def share_average(connection: Connection, average: float) -> None:
    """Store the average length of all databases of the index."""
    write_setting(connection, "average_length", average)


def write_words(
    connection: Connection,
    *,
    gone: Sequence[str],
    added: Sequence[ChunkWords] = (),
) -> None:
    """Remove the words of chunks and add those of others.

    Args:
        connection: In the transaction that changes the chunks.
        gone: Ids of chunks that are deleted or rewritten.
        added: The words of new and rewritten chunks.
    """
    changes = WordChanges(connection)
    changes.remove(gone)
    changes.add(added)
    changes.flush()


class WordChanges:
    """The changes of words in one transaction, whose statistics are written together.

    Args:
        connection: In the transaction that changes the chunks.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._is_locked = False
        self._clear()

    def remove(self, gone: Sequence[str]) -> None:
        """Remove the words of chunks that are deleted or rewritten."""
        if not gone:
            return
        self._lock()
        for length, terms in self._connection.execute(_DELETE, (list(gone),)):
            self._chunks -= 1
            self._length -= length
            self._df.subtract(terms)

    def add(self, added: Sequence[ChunkWords]) -> None:
        """Add the words of new and rewritten chunks."""
        if not added:
            return
        self._lock()
        postings = _put_in(self._connection, added)
        self._chunks += len(added)
        self._length += postings.length
        self._df.update(postings.df)
        maxw = self._maxw
        if not maxw:
            maxw.update(postings.maxw)
            return
        for term, weight in postings.maxw.items():
            maxw[term] = max(weight, maxw.get(term, 0.0))

    def flush(self, *, min_terms: int = 0) -> None:
        """Write the statistics, if they are about at least `min_terms` terms."""
        if not self._is_changed or len(self._df) < min_terms:
            return
        df, maxw = self._df, self._maxw
        # Sorted rows are faster to insert into the index of the table.
        deltas = sorted([term for term, added in df.items() if added or term in maxw])
        rows = pack_deltas(deltas, df, maxw)
        copy_packed(self._connection, "lex_delta", _COPY_DELTAS, rows)
        self._connection.execute(_ADD_BATCH, (self._chunks, self._length, len(deltas)))
        self._clear()

    def _lock(self) -> None:
        self._is_changed = True
        if not self._is_locked:
            self._connection.execute(SHARE_PIN)
            self._is_locked = True

    def _clear(self) -> None:
        self._df: Counter[str] = Counter()
        self._maxw: dict[str, float] = {}
        self._chunks = self._length = 0
        self._is_changed = False


def _put_in(connection: Connection, added: Sequence[ChunkWords]) -> Postings:
    chunks = [words.terms for words in added]
    postings = pack_postings(chunks, _pinned_average(connection, chunks))
    rows = (
        (words.id, words.document_id, *row)
        for words, row in zip(added, postings.rows, strict=True)
    )
    copy_rows(connection, "chunk_lex", _COPY_WORDS, rows)
    return postings


def _pinned_average(
    connection: Connection, chunks: Sequence[Mapping[str, int]]
) -> float:
    row = connection.execute(_READ_PIN).fetchone()
    if row is None:
        # Of two first writers, the second waits here and uses the first one's average.
        length = sum(sum(terms.values()) for terms in chunks)
        connection.execute(_SET_PIN, (pin_of(length / len(chunks)),))
        row = connection.execute(_READ_PIN).fetchone()
    return float(row[0]) if row else 1.0
