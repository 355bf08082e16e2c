"""Documents: listed, replaced with their chunks, and deleted.

A document's new chunks are compared with the stored ones: a row that is the same stays
as it is, with its embedding and its times; new rows are copied in, changed ones are
updated, and the others are deleted. Readers see either the old version or the new one.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from outcrop.errors import InputError, NotFoundError
from outcrop.model.stored import ChunkChanges, Document, StoredChunk, document_id
from outcrop.store.bulk import lock_documents
from outcrop.store.chunk_changes import (
    check_embedded,
    read_chunks_of,
    write_chunks,
)
from outcrop.store.chunks import delete_chunks
from outcrop.store.connected import ConnectedStore
from outcrop.store.graph import forget_documents, lock_graphs
from outcrop.store.lexical.maintain import tidy_words
from outcrop.store.lexical.write import WordChanges, write_words
from outcrop.store.packing import clean_row, to_json
from outcrop.store.sections import replace_sections

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from outcrop.model.section import IndexedSection
    from outcrop.store.database import Connection

_FIELDS = [each.name for each in fields(Document)]
_COLUMNS = ", ".join(f"d.{name}" for name in _FIELDS)
_LIST = f"""
SELECT {_COLUMNS} FROM documents d WHERE d.path > %s ORDER BY d.path LIMIT %s
"""  # noqa: S608 - names of columns
_GET = f"SELECT {_COLUMNS} FROM documents d WHERE d.id = %s"  # noqa: S608 - as above
_BY_PREFIX = f"""
SELECT {_COLUMNS} FROM documents d WHERE d.id LIKE %s ORDER BY d.id LIMIT %s
"""  # noqa: S608 - as above
_GET_SEVERAL = f"""
SELECT {_COLUMNS} FROM documents d WHERE d.id = ANY(%s) ORDER BY d.path
"""  # noqa: S608 - as above
_RECENT = f"""
SELECT {_COLUMNS} FROM documents d WHERE d.kind <> 'symbol'
ORDER BY d.modified_ns DESC NULLS LAST, d.updated_at DESC, d.path LIMIT %s
"""  # noqa: S608 - as above
_LANGUAGES = """
SELECT lang, count(*) FROM documents WHERE lang IS NOT NULL
GROUP BY lang ORDER BY 2 DESC, 1
"""
_COUNT = "SELECT count(*) FROM documents"
_KNOWN = """
SELECT path, kind, fingerprint, content_hash, modified_ns, size_bytes
FROM documents ORDER BY path
"""
_SENT_AS = {"jsonb": "text"}
# The columns that a document is written from, with the types they are sent as.
_WRITTEN = {
    "id": "text",
    "path": "text",
    "kind": "text",
    "lang": "text",
    "title": "text",
    "fingerprint": "text",
    "content_hash": "text",
    "size_bytes": "bigint",
    "modified_ns": "bigint",
    "chunk_count": "int",
    "summary": "text",
    "metadata": "jsonb",
}
# Their values after an update.
_UPDATED = {name: f"excluded.{name}" for name in _WRITTEN if name not in ("id", "path")}
_PUT = f"""
INSERT INTO documents ({", ".join(_WRITTEN)})
SELECT {", ".join(f"{name}::{kind}" for name, kind in _WRITTEN.items())}
FROM unnest({", ".join(f"%s::{_SENT_AS.get(kind, kind)}[]" for kind in _WRITTEN.values())})
    AS given ({", ".join(_WRITTEN)})
ORDER BY id
ON CONFLICT (id) DO UPDATE
SET {", ".join(f"{name} = {new}" for name, new in _UPDATED.items())}, updated_at = now()
WHERE ({", ".join(f"documents.{name}" for name in _UPDATED)})
    IS DISTINCT FROM ({", ".join(_UPDATED.values())})
RETURNING id, xmax <> 0
"""  # noqa: S608 - names of columns
_DELETE = "DELETE FROM documents WHERE id = ANY(%s)"

DocumentChunks = tuple[Document, "Sequence[StoredChunk]"]


class KnownDocument(NamedTuple):
    """What tells whether a document has changed.

    Attributes:
        kind: What it was read as.
        fingerprint: Hash of content, configuration and version.
        content_hash: Hash of the content alone.
        modified_ns: When the file was modified last, at the time it was read.
        size_bytes: The size of the file.
    """

    kind: str
    fingerprint: str
    content_hash: str | None
    modified_ns: int | None = None
    size_bytes: int | None = None


class Documents(ConnectedStore):
    """The documents with their chunks."""

    def documents(self, *, after: str = "", limit: int | None = None) -> list[Document]:
        """Return a page of documents, by path; all by default.

        Args:
            after: The last path of the page before.
            limit: The maximum number of documents.
        """
        return list(map(_unpack, self._fetch(_LIST, (after, limit))))

    def get_document(self, path: str) -> Document:
        """Return one document.

        Raises:
            NotFoundError: The index has no document at this path.
        """
        rows = self._fetch(_GET, (document_id(path),))
        if not rows:
            raise NotFoundError(f"there is no document {path!r} in the index")
        return _unpack(rows[0])

    def get_documents(self, paths: Iterable[str]) -> list[Document]:
        """Return the documents at these paths that the index has, by path."""
        ids = [document_id(path) for path in paths]
        return list(map(_unpack, self._fetch(_GET_SEVERAL, (ids,))))

    def count_documents(self) -> int:
        """Return the number of documents."""
        return int(self._fetch(_COUNT)[0][0])

    def find_documents(self, prefix: str, *, limit: int = 10) -> list[Document]:
        """Return documents whose id starts with the given hexadecimal digits."""
        digits = prefix.lower()
        if not digits.isalnum():
            return []
        return list(map(_unpack, self._fetch(_BY_PREFIX, (f"{digits}%", limit))))

    def recent_documents(self, limit: int = 8) -> list[Document]:
        """Return the documents whose files were changed last."""
        return list(map(_unpack, self._fetch(_RECENT, (limit,))))

    def languages(self) -> dict[str, int]:
        """Return the languages of documents and code, the most frequent first."""
        return dict(self._fetch(_LANGUAGES))

    def known_documents(self) -> dict[str, KnownDocument]:
        """Return what tells whether documents have changed, by path."""
        return {row[0]: KnownDocument(*row[1:]) for row in self._fetch(_KNOWN)}

    def replace_documents(
        self,
        items: Sequence[DocumentChunks],
        sections: Mapping[str, Sequence[IndexedSection]] | None = None,
        *,
        keeps_embedded: bool = False,
    ) -> ChunkChanges:
        """Replace documents, their chunks and their sections in one transaction.

        Args:
            items: The documents with their chunks.
            sections: Sections by the paths of these documents; those of a document that
                is not among the keys stay as they are.
            keeps_embedded: A chunk without an embedding has none because the store was
                seen to have its words and its embedding.

        Raises:
            ChunksChangedError: The store no longer has them; nothing was changed.
            InputError: A document is given twice, a chunk or a section belongs to
                another document, or two chunks have the same id.
            StorageError: The database refused; nothing was changed.
        """
        if not items:
            return ChunkChanges()
        _check_paths(items, sections or {})
        with self._database.write() as connection:
            # New rows belong to documents that this transaction writes.
            self._trust_references(connection)
            counts = [(document, len(chunks)) for document, chunks in items]
            known = put_documents(connection, counts)
            replaced = _replace(connection, items, known, keeps_embedded=keeps_embedded)
            replace_sections(connection, sections or {}, known)
        if replaced.written:
            tidy_words(self._database)
        return replaced

    def delete_documents(self, paths: Iterable[str]) -> int:
        """Delete documents with everything that belongs to them; return how many."""
        ids = sorted({document_id(path) for path in paths})
        with self._database.write() as connection:
            lock_graphs(connection, ids)
            stored = lock_documents(connection, ids)
            if stored:
                chunks = list(read_chunks_of(connection, stored))
                write_words(connection, gone=chunks)
                delete_chunks(connection, chunks)
                forget_documents(connection, stored)
                connection.execute(_DELETE, (stored,))
        if stored:
            tidy_words(self._database)
        return len(stored)


def _replace(
    connection: Connection,
    items: Sequence[DocumentChunks],
    known: Sequence[str],
    *,
    keeps_embedded: bool,
) -> ChunkChanges:
    """Replace the chunks of documents, some of which were stored before."""
    stored = read_chunks_of(connection, known)
    chunks = _by_id(items)
    if keeps_embedded:
        check_embedded(chunks, stored)
    words = WordChanges(connection)
    deleted = [chunk_id for chunk_id in stored if chunk_id not in chunks]
    words.remove(deleted)
    delete_chunks(connection, deleted)
    changes = write_chunks(connection, chunks, stored, words)
    words.flush()
    return replace(changes, deleted=len(deleted))


def put_documents(
    connection: Connection, items: Sequence[tuple[Document, int]]
) -> list[str]:
    """Write the rows of documents with their numbers of chunks.

    Returns:
        The ids of those that existed before.
    """
    rows = [_pack(document, chunk_count) for document, chunk_count in items]
    columns = [list(column) for column in zip(*rows, strict=True)]
    ids = columns[0]
    if len(set(ids)) < len(ids):
        raise InputError("a document is given twice; each has one set of chunks")
    # An equal row is locked, but neither written nor returned.
    written = connection.execute(_PUT, columns).fetchall()
    new = {document for document, existed in written if not existed}
    return [document for document in ids if document not in new]


def _check_paths(
    items: Sequence[DocumentChunks], sections: Mapping[str, Sequence[IndexedSection]]
) -> None:
    others = sections.keys() - {document.path for document, _ in items}
    if others:
        raise InputError(f"sections are given without their document: {min(others)}")


def _by_id(items: Sequence[DocumentChunks]) -> dict[str, StoredChunk]:
    chunks: dict[str, StoredChunk] = {}
    for document, of_document in items:
        for chunk in of_document:
            if chunk.path != document.path:
                raise InputError(
                    f"chunk {chunk.chunk_id} of {chunk.path} is given for document "
                    f"{document.path}"
                )
            if chunks.setdefault(chunk.id, chunk) is not chunk:
                raise InputError(
                    f"two chunks of {document.path} have the id {chunk.chunk_id}"
                )
    return chunks


def _pack(document: Document, chunk_count: int) -> tuple[Any, ...]:
    values = {name: getattr(document, name) for name in _WRITTEN}
    values |= {"chunk_count": chunk_count, "metadata": to_json(document.metadata)}
    return clean_row(values.values())


def _unpack(row: Sequence[Any]) -> Document:
    return Document(**dict(zip(_FIELDS, row, strict=True)))
