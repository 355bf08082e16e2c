"""The table of sketches: written with the embeddings, merged now and then.

Blocks never change, so a reader keeps those it has and reads the others. Which blocks
there are is part of what a transaction sees. A sketch that is not deleted with its chunk
does no harm: the chunks that a search takes from the sketches are looked up.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from outcrop.store.recorded_settings import read_setting, write_setting
from outcrop.store.sketches.view import Block, SketchView, count_words, pack, project

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from outcrop.store.database import Connection, Database

# A setting that exists if all embeddings have sketches, made by the rules of `VERSION`.
COMPLETE = "sketches"
VERSION = 1
_MAX_BLOCKS = 64
_MAX_GONE_SHARE = 0.25
# About 5 MB.
_MAX_BLOCK_CHUNKS = 65_536
_PAGE = 4_096
_EMPTY = np.empty(0, np.uint64)

# Whether all embeddings have sketches, and the keys of the blocks.
BLOCKS = f"""
SELECT (SELECT value = '{VERSION}' FROM index_settings WHERE key = '{COMPLETE}')
        AS is_complete,
    (SELECT string_agg(id::text, ' ') FROM vector_sketches) AS keys
"""  # noqa: S608 - constants
_INSERT = """
INSERT INTO vector_sketches (chunks, gone, chunk_ids, words, gone_ids)
VALUES (%s, %s, %s, %s, %s)
"""
_INSERT_MERGED = """
INSERT INTO vector_sketches (written, chunks, gone, chunk_ids, words, gone_ids)
VALUES (%s, %s, 0, %s, %s, '')
"""
_READ = """
SELECT id::text, written, chunk_ids, words, gone_ids FROM vector_sketches
WHERE id = ANY(%s::uuid[])
"""
_DELETE = "DELETE FROM vector_sketches WHERE id = ANY(%s::uuid[])"
_DELETE_ALL = "DELETE FROM vector_sketches"
_COUNT = """
SELECT count(*), coalesce(sum(chunks), 0)::bigint, coalesce(sum(gone), 0)::bigint
FROM vector_sketches
"""
_LOCK = "SELECT pg_advisory_xact_lock(1872, hashtext(current_schema()))"
_READ_VECTORS = """
DECLARE embeddings NO SCROLL CURSOR FOR
SELECT id, emb::real[] FROM chunks WHERE emb IS NOT NULL AND indexable
"""


class SketchState(NamedTuple):
    """What a transaction sees of the sketches.

    Attributes:
        is_complete: Whether all embeddings have one.
        keys: The blocks.
    """

    is_complete: bool
    keys: frozenset[str]

    @classmethod
    def of(cls, is_complete: bool | None, keys: str | None) -> SketchState:  # noqa: FBT001 - columns
        """Return the state from a row of `BLOCKS`."""
        return cls(bool(is_complete), frozenset((keys or "").split()))


def write_sketches(
    connection: Connection,
    vectors: Mapping[str, NDArray[np.float32]],
    gone: Collection[str] = (),
) -> None:
    """Add a block.

    Args:
        connection: In the transaction that writes the embeddings.
        vectors: The embeddings by the ids of their chunks.
        gone: Chunks whose earlier embeddings no longer count.
    """
    if not vectors and not gone:
        return
    words = _sketch(list(vectors.values())) if vectors else _EMPTY
    values = (_pack_ids(vectors), words.tobytes(), _pack_ids(gone))
    connection.execute(_INSERT, (len(vectors), len(gone), *values))


def read_view(
    connection: Connection,
    keys: Collection[str],
    dimension: int,
    before: SketchView | None = None,
) -> SketchView:
    """Return the sketches of an index.

    Args:
        connection: In a transaction that sees the blocks.
        keys: The blocks of the index.
        dimension: That of the embeddings.
        before: An earlier view, whose blocks need not be read again.
    """
    known = before.blocks if before and before.dimension == dimension else {}
    kept = [known[key] for key in keys if key in known]
    missing = [key for key in keys if key not in known]
    if missing:
        rows = connection.execute(_READ, (missing,), binary=True).fetchall()
        kept += [_unpack(row, count_words(dimension)) for row in rows]
    return SketchView(dimension, kept)


def forget_sketches(connection: Connection) -> None:
    """Delete all sketches, as there are no embeddings, and say that none is missing."""
    connection.execute(_DELETE_ALL)
    write_setting(connection, COMPLETE, VERSION)


def needs_sketches(connection: Connection) -> bool:
    """Return whether embeddings may lack sketches, as those of earlier versions do."""
    return bool(read_setting(connection, COMPLETE) != VERSION)


def tidy_sketches(database: Database, dimension: int) -> None:
    """Make missing sketches, and merge the blocks if there are many."""
    with database.read() as connection:
        is_missing = needs_sketches(connection)
        if not is_missing and not _is_scattered(connection):
            return
    with database.write() as connection:
        connection.execute(_LOCK)
        if needs_sketches(connection):
            _rebuild(connection)
        elif _is_scattered(connection):
            _merge(connection, dimension)


def _is_scattered(connection: Connection) -> bool:
    blocks, chunks, gone = connection.execute(_COUNT).fetchone() or (0, 0, 0)
    most = _MAX_BLOCKS + chunks // _MAX_BLOCK_CHUNKS
    return bool(blocks > most or gone > _MAX_GONE_SHARE * chunks)


def _merge(connection: Connection, dimension: int) -> None:
    """Replace all blocks that this transaction sees by as few as possible.

    A block that is written meanwhile stays as it is. What it declares gone may come
    back as a sketch without a chunk.
    """
    state = SketchState.of(*connection.execute(BLOCKS).fetchone() or (None, None))
    view = read_view(connection, state.keys, dimension)
    if not view.blocks:
        return
    ids, words = view.merged()
    written = max(block.written for block in view.blocks.values())
    for start in range(0, len(ids), _MAX_BLOCK_CHUNKS):
        part = slice(start, start + _MAX_BLOCK_CHUNKS)
        values = (ids[part].astype(">u8").tobytes(), words[:, part].tobytes())
        connection.execute(_INSERT_MERGED, (written, len(ids[part]), *values))
    # Those that were read: a statement of its own would see later ones.
    connection.execute(_DELETE, (list(view.blocks),))


def _rebuild(connection: Connection) -> None:
    """Make the sketches of all embeddings."""
    connection.execute(_DELETE_ALL)
    for rows in _pages(connection):
        vectors = {row[0]: np.array(row[1], np.float32) for row in rows}
        write_sketches(connection, vectors)
    write_setting(connection, COMPLETE, VERSION)


def _pages(connection: Connection) -> Iterator[Sequence[tuple[str, list[float]]]]:
    connection.execute(_READ_VECTORS)
    while rows := connection.execute(f"FETCH {_PAGE} FROM embeddings").fetchall():
        yield rows
    connection.execute("CLOSE embeddings")


def _sketch(vectors: Sequence[NDArray[np.float32]]) -> NDArray[np.uint64]:
    return pack(project(np.array(vectors, np.float32)))


def _pack_ids(ids: Collection[str]) -> bytes:
    return bytes.fromhex("".join(ids))


def _unpack(row: tuple[str, int, bytes, bytes, bytes], words: int) -> Block:
    key, written, ids, sketches, gone = row
    return Block(
        key=key,
        written=written,
        ids=np.frombuffer(ids, ">u8").astype(np.uint64),
        words=np.frombuffer(sketches, "<u8").reshape(words, -1),
        gone=np.frombuffer(gone, ">u8").astype(np.uint64),
    )


class SketchCache:
    """The latest view of the sketches of one index; safe to use from several threads."""

    def __init__(self) -> None:
        """Begin without any."""
        self._lock = Lock()
        self._view: SketchView | None = None

    def view(
        self, connection: Connection, keys: frozenset[str], dimension: int
    ) -> SketchView:
        """Return the sketches of some blocks; only new blocks are read.

        Args:
            connection: In a transaction that sees the blocks.
            keys: The blocks.
            dimension: That of the embeddings.
        """
        view = self._view
        if view is not None and view.holds(keys, dimension):
            return view
        with self._lock:
            view = self._view
            if view is None or not view.holds(keys, dimension):
                view = read_view(connection, keys, dimension, view)
                self._view = view
            return view
