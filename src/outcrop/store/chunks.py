"""Chunks: read by id, by document and by place, and deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from outcrop.errors import NotFoundError
from outcrop.model.ids import document_id
from outcrop.store.columns import CHUNK_COLUMNS, unpack_chunk
from outcrop.store.connected import ConnectedStore
from outcrop.store.mentions import forget_mentions

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from outcrop.model.stored import StoredChunk
    from outcrop.store.database import Connection

_HEXADECIMAL = frozenset("0123456789abcdef")

_FROM_CHUNKS = f"""
SELECT {CHUNK_COLUMNS} FROM chunks c JOIN documents d ON d.id = c.document_id
"""  # noqa: S608 - names of columns
_GET = f"{_FROM_CHUNKS} WHERE c.id = ANY(%s)"
_BY_PREFIX = f"{_FROM_CHUNKS} WHERE c.id LIKE %s ORDER BY c.id LIMIT %s"
_OF_DOCUMENT = f"{_FROM_CHUNKS} WHERE c.document_id = %s ORDER BY c.chunk_index"
_UNEMBEDDED = f"""
{_FROM_CHUNKS} WHERE c.emb IS NULL AND c.indexable AND c.id > %s ORDER BY c.id LIMIT %s
"""
_NEIGHBOURS = f"""
WITH here AS (SELECT document_id, chunk_index FROM chunks WHERE id = %(id)s),
around AS (
    (SELECT c.id FROM chunks c, here
     WHERE c.document_id = here.document_id AND c.is_leaf
         AND c.chunk_index < here.chunk_index
     ORDER BY c.chunk_index DESC LIMIT %(before)s)
    UNION ALL
    (SELECT c.id FROM chunks c, here
     WHERE c.document_id = here.document_id AND c.is_leaf
         AND c.chunk_index > here.chunk_index
     ORDER BY c.chunk_index LIMIT %(after)s)
)
{_FROM_CHUNKS} WHERE c.id IN (SELECT id FROM around) ORDER BY c.chunk_index
"""  # noqa: S608 - names of columns
_EMBEDDED_HASHES = """
SELECT id, search_hash FROM chunks
WHERE document_id = ANY(%s) AND emb IS NOT NULL AND search_hash IS NOT NULL
"""
_KEPT = """
SELECT id, CASE WHEN emb IS NOT NULL AND indexable THEN search_hash END, embed_model,
    explain_quality->>'model', pipeline->>'content_key'
FROM chunks WHERE document_id = ANY(%s)
"""
_DELETE = "DELETE FROM chunks WHERE id = ANY(%s)"
_COUNT = """
UPDATE documents d SET chunk_count =
    (SELECT count(*) FROM chunks c WHERE c.document_id = d.id)
WHERE d.id = ANY(%s)
"""


class Kept(NamedTuple):
    """The work of stages that a stored chunk has.

    Attributes:
        search_hash: Hash of the text that was embedded; None without an embedding.
        embed_model: The model that embedded it.
        explain_model: The model that explained it.
        content_key: Hash of everything that its content was made from.
    """

    search_hash: str | None
    embed_model: str | None
    explain_model: str | None
    content_key: str | None


class Chunks(ConnectedStore):
    """The chunks of all documents."""

    def get_chunk(self, chunk_id: str) -> StoredChunk:
        """Return one chunk by its id in the store.

        Raises:
            NotFoundError: There is none.
        """
        chunks = self.get_chunks([chunk_id])
        if not chunks:
            raise NotFoundError(f"there is no chunk {chunk_id!r}")
        return chunks[0]

    def get_chunks(self, ids: Sequence[str]) -> list[StoredChunk]:
        """Return chunks in the order of the ids; unknown ones are left out."""
        if not ids:
            return []
        rows = self._fetch(_GET, (list(ids),))
        chunks = {chunk.id: chunk for chunk in map(unpack_chunk, rows)}
        return [chunks[chunk_id] for chunk_id in ids if chunk_id in chunks]

    def find_chunks(self, prefix: str, *, limit: int = 10) -> list[StoredChunk]:
        """Return chunks whose id starts with the given hexadecimal digits."""
        digits = prefix.lower()
        if not _HEXADECIMAL.issuperset(digits):
            return []
        return list(map(unpack_chunk, self._fetch(_BY_PREFIX, (f"{digits}%", limit))))

    def chunks_of(self, path: str) -> list[StoredChunk]:
        """Return a document's chunks in order; none if it is unknown."""
        return list(map(unpack_chunk, self._fetch(_OF_DOCUMENT, (document_id(path),))))

    def neighbours(
        self, chunk_id: str, *, before: int = 1, after: int = 1
    ) -> list[StoredChunk]:
        """Return the leaves next to a chunk in its document, in order."""
        parameters = {"id": chunk_id, "before": max(0, before), "after": max(0, after)}
        return list(map(unpack_chunk, self._fetch(_NEIGHBOURS, parameters)))

    def unembedded(self, *, after: str = "", limit: int = 1000) -> list[StoredChunk]:
        """Return a page of the chunks without an embedding, by id.

        Args:
            after: The last id of the page before.
            limit: The maximum number of chunks.
        """
        return list(map(unpack_chunk, self._fetch(_UNEMBEDDED, (after, limit))))

    def embedded_hashes(self, paths: Sequence[str]) -> dict[str, str]:
        """Return the search hashes of the documents' chunks with an embedding, by id."""
        ids = [document_id(path) for path in paths]
        return dict(self._fetch(_EMBEDDED_HASHES, (ids,)))

    def kept(self, paths: Sequence[str]) -> dict[str, Kept]:
        """Return the work of stages that the documents' chunks have, by id."""
        ids = [document_id(path) for path in paths]
        return {row[0]: Kept(*row[1:]) for row in self._fetch(_KEPT, (ids,))}


def delete_chunks(connection: Connection, ids: Collection[str]) -> None:
    """Delete chunks and their mentions; their words are deleted by `write_words`."""
    if ids:
        forget_mentions(connection, ids)
        connection.execute(_DELETE, (list(ids),))


def count_chunks(connection: Connection, documents: Collection[str]) -> None:
    """Update the chunk counts of documents."""
    connection.execute(_COUNT, (list(documents),))
