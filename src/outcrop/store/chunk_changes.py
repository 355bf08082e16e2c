"""Writing the chunks of documents where they differ from the stored ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from outcrop.errors import StorageError
from outcrop.model.stored import ChunkChanges, StoredChunk
from outcrop.store.bulk import Difference, copy_rows, staged_rows
from outcrop.store.columns import COPY_COLUMNS, UPDATE_FROM_STAGE, pack_chunk
from outcrop.store.lexical.write import ChunkWords
from outcrop.store.sketches.table import write_sketches

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from outcrop.store.database import Connection
    from outcrop.store.lexical.write import WordChanges

_READ = "SELECT id, row_hash, search_hash, indexable, emb IS NULL FROM chunks"
_OF_DOCUMENTS = f"{_READ} WHERE document_id = ANY(%s)"
_BY_ID = f"{_READ} WHERE id = ANY(%s)"


class ChunksChangedError(StorageError):
    """Chunks whose words and embeddings were to be kept are no longer stored."""


@dataclass(frozen=True, slots=True)
class StoredState:
    """What a stored chunk is compared by."""

    row_hash: int
    search_hash: str | None
    indexable: bool
    lacks_embedding: bool

    def has_words_of(self, chunk: StoredChunk) -> bool:
        """Return whether the stored words are those of a chunk."""
        return (
            self.search_hash is not None
            and self.search_hash == chunk.search_hash
            and self.indexable == chunk.indexable
        )


@dataclass(slots=True)
class _Difference(Difference[StoredChunk]):
    """What has to be done to the stored chunks and their words."""

    embedded: dict[str, NDArray[np.float32]] = field(default_factory=dict)
    sketches_gone: list[str] = field(default_factory=list)
    words_gone: list[str] = field(default_factory=list)
    words_added: list[ChunkWords] = field(default_factory=list)

    def add_embedding(
        self, chunk_id: str, chunk: StoredChunk, state: StoredState | None
    ) -> None:
        """Note what becomes of the embedding of a chunk that is written."""
        is_replaced = chunk.emb is not None
        if state is not None and (is_replaced or not state.has_words_of(chunk)):
            self.sketches_gone.append(chunk_id)
        if chunk.emb is not None:
            self.embedded[chunk_id] = chunk.emb


def read_chunks_of(
    connection: Connection, documents: Sequence[str]
) -> dict[str, StoredState]:
    """Return what the chunks of documents are compared by, by id."""
    if not documents:
        return {}
    rows = connection.execute(_OF_DOCUMENTS, (list(documents),))
    return {row[0]: StoredState(*row[1:]) for row in rows}


def read_chunks(connection: Connection, ids: Sequence[str]) -> dict[str, StoredState]:
    """Return what those of some chunks that are stored are compared by, by id."""
    rows = connection.execute(_BY_ID, (list(ids),))
    return {row[0]: StoredState(*row[1:]) for row in rows}


def check_embedded(
    chunks: Mapping[str, StoredChunk], stored: Mapping[str, StoredState]
) -> None:
    """Raise an error if a chunk without an embedding is not stored with one."""
    for chunk_id, chunk in chunks.items():
        if not chunk.indexable or chunk.emb is not None:
            continue
        state = stored.get(chunk_id)
        if state is None or state.lacks_embedding or not state.has_words_of(chunk):
            raise ChunksChangedError(
                f"another process changed chunk {chunk_id} of {chunk.path} meanwhile"
            )


def write_chunks(
    connection: Connection,
    chunks: Mapping[str, StoredChunk],
    stored: Mapping[str, StoredState],
    words: WordChanges,
) -> ChunkChanges:
    """Insert and update chunks and their words; nothing is deleted.

    The transaction has locked the documents. `stored` has the state of stored chunks,
    and changes of words are collected in `words`.
    """
    now = datetime.now(UTC)
    difference = _compare(chunks, stored, now)
    if difference.updated:
        with staged_rows(connection, "chunks", COPY_COLUMNS, difference.updated):
            connection.execute(UPDATE_FROM_STAGE)
    if difference.inserted:
        # Packed while the server works on the rows it has.
        rows = (pack_chunk(chunk, saved_at=now) for chunk in difference.inserted)
        copy_rows(connection, "chunks", COPY_COLUMNS, rows)
    write_sketches(connection, difference.embedded, gone=difference.sketches_gone)
    words.remove(difference.words_gone)
    words.add(difference.words_added)
    return ChunkChanges(
        inserted=len(difference.inserted),
        updated=len(difference.updated),
        unchanged=difference.unchanged,
    )


def _compare(
    chunks: Mapping[str, StoredChunk], stored: Mapping[str, StoredState], now: datetime
) -> _Difference:
    result = _Difference()
    for chunk_id, chunk in chunks.items():
        state = stored.get(chunk_id)
        if state is None:
            result.inserted.append(chunk)
        else:
            row = pack_chunk(chunk, saved_at=now)
            gains_embedding = state.lacks_embedding and chunk.emb is not None
            if row[1] == state.row_hash and not gains_embedding:
                result.unchanged += 1
                continue
            result.updated.append(row)
        result.add_embedding(chunk_id, chunk, state)
        if state is not None:
            if state.has_words_of(chunk):
                continue
            result.words_gone.append(chunk_id)
        if chunk.indexable:
            words = ChunkWords(chunk_id, chunk.document_id, chunk.terms)
            result.words_added.append(words)
    return result
