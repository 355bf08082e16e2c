"""Replacing one document part by part, in one transaction.

For a document whose chunks do not fit into memory at once. Readers see the old version
until the transaction ends, and a process that is killed leaves it as it was.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from outcrop.model.stored import ChunkChanges, Document, document_id
from outcrop.store.bulk import copy_rows
from outcrop.store.chunk_changes import (
    StoredState,
    check_embedded,
    read_chunks,
    write_chunks,
)
from outcrop.store.chunks import delete_chunks
from outcrop.store.connected import ConnectedStore
from outcrop.store.documents import put_documents
from outcrop.store.lexical.maintain import tidy_words
from outcrop.store.lexical.write import WordChanges
from outcrop.store.sections import SectionStage

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from outcrop.model.section import IndexedSection
    from outcrop.model.stored import StoredChunk
    from outcrop.store.database import Connection

# A row for the chunks to refer to; its values are replaced before anybody sees them.
_RESERVE = """
INSERT INTO documents (id, path, kind, fingerprint, chunk_count)
VALUES (%s, %s, '', '', 0)
ON CONFLICT (id) DO NOTHING RETURNING id
"""
_LOCK = "SELECT FROM documents WHERE id = %s FOR UPDATE"
_CREATE_KEPT = """
CREATE TEMPORARY TABLE chunks_kept (id text COLLATE "C") ON COMMIT DROP
"""
_CREATE_OTHERS = """
CREATE TEMPORARY TABLE chunks_others ON COMMIT DROP AS
SELECT c.id FROM chunks c WHERE c.document_id = %s
    AND NOT EXISTS (SELECT FROM chunks_kept k WHERE k.id = c.id)
"""
_TAKE_OTHERS = """
DELETE FROM chunks_others WHERE ctid = ANY(
    ARRAY(SELECT ctid FROM chunks_others LIMIT %s)
) RETURNING id
"""
_PAGE = 5_000
# About 25 MB of Python objects.
_MAX_TERMS = 100_000


class DocumentReplacement:
    """The new version of a document while it is written."""

    def __init__(self, connection: Connection, path: str) -> None:
        self._connection = connection
        self._path = path
        self._id = document_id(path)
        reserved = connection.execute(_RESERVE, (self._id, path)).fetchone()
        self._is_new = reserved is not None
        connection.execute(_LOCK, (self._id,))
        if not self._is_new:
            connection.execute(_CREATE_KEPT)
        self._sections = SectionStage(connection, path)
        self._words = WordChanges(connection)
        self.changes = ChunkChanges()
        self._chunks = 0

    def stored(self, chunks: Sequence[StoredChunk]) -> Mapping[str, StoredState]:
        """Return the state of those of some chunks that are stored, by id."""
        if self._is_new:
            return {}
        return read_chunks(self._connection, [chunk.id for chunk in chunks])

    def add(
        self, chunks: Sequence[StoredChunk], stored: Mapping[str, StoredState]
    ) -> None:
        """Write some chunks; `stored` is what the method `stored` returned for them.

        A chunk without an embedding is stored with it.
        """
        by_id = {chunk.id: chunk for chunk in chunks}
        check_embedded(by_id, stored)
        self.changes += write_chunks(self._connection, by_id, stored, self._words)
        self._words.flush(min_terms=_MAX_TERMS)
        self._chunks += len(by_id)
        if not self._is_new:
            rows = ((chunk_id,) for chunk_id in by_id)
            copy_rows(self._connection, "chunks_kept", {"id": "text"}, rows)

    def add_sections(self, sections: Sequence[IndexedSection]) -> None:
        """Write the next sections."""
        self._sections.add(sections)

    def finish(self, document: Document) -> None:
        """Write the document's own row, and delete what it no longer has."""
        if not self._is_new:
            self._delete_others()
        self._words.flush()
        self._sections.replace()
        put_documents(self._connection, [(document, self._chunks)])

    def _delete_others(self) -> None:
        connection = self._connection
        connection.execute("ANALYZE chunks_kept")
        connection.execute(_CREATE_OTHERS, (self._id,))
        while rows := connection.execute(_TAKE_OTHERS, (_PAGE,)).fetchall():
            others = [row[0] for row in rows]
            self._words.remove(others)
            self._words.flush(min_terms=_MAX_TERMS)
            delete_chunks(connection, others)
            deleted = self.changes.deleted + len(others)
            self.changes = replace(self.changes, deleted=deleted)


class DocumentReplacements(ConnectedStore):
    """Replaces documents that are larger than memory."""

    @contextmanager
    def replace_document(self, path: str) -> Iterator[DocumentReplacement]:
        """Replace one document, its chunks and its sections in one transaction.

        The block has to call `finish` at its end; an error in it changes nothing.

        Raises:
            StorageError: The database refused; nothing was changed.
        """
        with self._database.write() as connection:
            replacement = DocumentReplacement(connection, path)
            yield replacement
        if replacement.changes.written:
            tidy_words(self._database)
