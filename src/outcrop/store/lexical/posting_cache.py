"""The posting lists of one index, read when a process has asked often enough.

Reading the words of all chunks takes as long as some hundred searches by them, so it is
done after as many, by a thread, while searches go on in the database. The lists serve
searches that see the same words, and are read again some time after a change.
"""

from __future__ import annotations

import logging
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING

from psycopg import Error

from outcrop.errors import OutcropError
from outcrop.store.lexical.postings import PostingLists, PostingsBuilder, WordsState

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from outcrop.store.address import Connection

    Read = Callable[[], AbstractContextManager[Connection]]

_log = logging.getLogger(__name__)

# A search by words saves about as much time as reading so many chunks takes.
_CHUNKS_PER_SEARCH = 300
_MIN_SEARCHES = 40
# 8 bytes each: 128 MB. In a larger index, words are always looked up in the database.
_MAX_POSTINGS = 16_000_000
_PAGE = 5_000

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


class PostingCache:
    """The posting lists of one index; safe to use from several threads."""

    def __init__(self, read: Read) -> None:
        """Begin without lists.

        Args:
            read: Opens a connection that sees one state of the database.
        """
        self._read = read
        self._lock = Lock()
        self._lists: PostingLists | None = None
        self._asked: WordsState | None = None  # by the last searches without lists
        self._searches = 0
        self._has_tried = False
        self._thread: Thread | None = None
        self._is_closed = Event()

    def find(self, state: WordsState, chunks: int) -> PostingLists | None:
        """Return the lists of the words that a search sees, if they were read.

        Args:
            state: What the search sees.
            chunks: The number of chunks of the index.
        """
        lists = self._lists
        if lists is not None and lists.state == state:
            return lists
        with self._lock:
            if state != self._asked:
                self._asked, self._searches = state, 0
                self._lists, self._has_tried = None, False
            self._searches += 1
            if self._searches >= max(_MIN_SEARCHES, chunks // _CHUNKS_PER_SEARCH):
                self._start()
        return None

    def _start(self) -> None:
        """Start reading, once for each state: where that fails, it would fail again."""
        is_busy = self._thread is not None and self._thread.is_alive()
        if self._has_tried or is_busy or self._is_closed.is_set():
            return
        self._has_tried = True
        self._thread = Thread(target=self._fill, name="outcrop-words", daemon=True)
        self._thread.start()

    def _fill(self) -> None:
        try:
            with self._read() as connection:
                lists = read_lists(connection, self._is_closed)
        except (OutcropError, Error) as error:
            _log.debug("the words are not read into memory: %s", error)
            return
        with self._lock:
            if lists is not None and lists.state == self._asked:
                self._lists = lists

    def wait(self) -> None:
        """Wait for the thread that reads, if there is one."""
        if self._thread is not None:
            self._thread.join()

    def close(self) -> None:
        """Stop reading, and forget the lists."""
        self._is_closed.set()
        self.wait()
        self._lists = None


def read_lists(connection: Connection, stop: Event) -> PostingLists | None:
    """Read the lists of an index; None if there are too many, or reading was stopped.

    Args:
        connection: In a transaction that sees one state.
        stop: Ends the reading early.
    """
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
    return builder.build(WordsState(table, batches or "", average), is_fused=is_fused)
