"""Reading back what is stored."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, NamedTuple

from outcrop.model.ids import document_id
from outcrop.model.stored import Document
from outcrop.store.columns import CHUNK_COLUMNS, unpack_chunk
from outcrop.store.lexical.write import read_totals
from outcrop.store.vector import read_embedder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.model.embedder_identity import EmbedderIdentity
    from outcrop.model.stored import StoredChunk
    from outcrop.store.database import Connection

_FROM_CHUNKS = f"""
SELECT {CHUNK_COLUMNS} FROM chunks c JOIN documents d ON d.id = c.document_id
"""  # noqa: S608 - names of columns
_GET = f"{_FROM_CHUNKS} WHERE c.id = ANY(%s)"
_OF_DOCUMENT = f"{_FROM_CHUNKS} WHERE c.document_id = %s ORDER BY c.chunk_index"
_CHILDREN = f"{_FROM_CHUNKS} WHERE c.parent_id = %s ORDER BY c.chunk_index"
_BY_PREFIX = f"{_FROM_CHUNKS} WHERE c.id LIKE %s ORDER BY c.id LIMIT %s"
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
_DOCUMENT_FIELDS = [each.name for each in fields(Document)]
_DOCUMENT_COLUMNS = ", ".join(f"d.{name}" for name in _DOCUMENT_FIELDS)
_DOCUMENTS = f"""
SELECT {_DOCUMENT_COLUMNS} FROM documents d WHERE d.path > %s ORDER BY d.path LIMIT %s
"""  # noqa: S608 - as above
_DOCUMENT = f"SELECT {_DOCUMENT_COLUMNS} FROM documents d WHERE d.id = %s"  # noqa: S608 - as above
_SEARCH_HASHES = """
SELECT id, search_hash FROM chunks
WHERE document_id = ANY(%s) AND emb IS NOT NULL AND search_hash IS NOT NULL
"""
_KNOWN = "SELECT path, kind, fingerprint, content_hash FROM documents ORDER BY path"
_KEPT = """
SELECT id, CASE WHEN emb IS NOT NULL AND indexable THEN search_hash END, embed_model,
    explain_quality->>'model', pipeline->>'content_key'
FROM chunks WHERE document_id = ANY(%s)
"""
_STATUS = """
SELECT
    (SELECT count(*) FROM documents),
    (SELECT count(*) FROM chunks),
    (SELECT count(*) FROM chunks WHERE indexable),
    (SELECT count(*) FROM chunks WHERE emb IS NULL AND indexable),
    (SELECT count(*) FROM chunk_lex WHERE cut),
    (SELECT count(*) FROM sections),
    (SELECT count(*) FROM nodes),
    (SELECT count(*) FROM edges),
    (SELECT count(*) FROM runs),
    to_regclass('chunks_emb') IS NOT NULL,
    (SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r')
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreStatus:
    """What is in a store.

    Attributes:
        documents: Documents.
        chunks: Chunks, inner nodes of the hierarchy included.
        indexable: Chunks that search may find.
        unembedded: Chunks that search may find but that have no embedding.
        worded: Chunks whose words are indexed.
        cut: Chunks with more words than PostgreSQL can index: the rarest are missing.
        sections: Sections.
        nodes: Nodes of the code graph.
        edges: Edges of the code graph.
        runs: Runs that were noted.
        vector_indexed: Whether there is an index of the embeddings; a small store
            needs none.
        size_bytes: Size on disk.
        embedder: The embedder, once there is one.
        average_length: Mean number of words in a chunk.
        pinned_length: The mean that the stored weights were computed with.
    """

    documents: int
    chunks: int
    indexable: int
    unembedded: int
    worded: int
    cut: int
    sections: int
    nodes: int
    edges: int
    runs: int
    vector_indexed: bool
    size_bytes: int
    embedder: EmbedderIdentity | None
    average_length: float
    pinned_length: float | None


class Kept(NamedTuple):
    """What stages gave a chunk.

    Attributes:
        search_hash: Of the text that was embedded; None where none was.
        embed_model: What embedded it.
        explain_model: What explained it.
        content_key: Hash of what its content was made of.
    """

    search_hash: str | None
    embed_model: str | None
    explain_model: str | None
    content_key: str | None


class KnownDocument(NamedTuple):
    """What tells whether a document has changed.

    Attributes:
        kind: What it was read as.
        fingerprint: Of content, configuration and version.
        content_hash: Of the content alone.
    """

    kind: str
    fingerprint: str
    content_hash: str | None


def read_chunks(connection: Connection, ids: Sequence[str]) -> list[StoredChunk]:
    """Return chunks in the order of their ids as given, leaving out unknown ones."""
    rows = connection.execute(_GET, (list(ids),))
    found = {chunk.id: chunk for chunk in map(unpack_chunk, rows)}
    return [found[chunk_id] for chunk_id in ids if chunk_id in found]


def read_chunks_by_prefix(
    connection: Connection, prefix: str, limit: int
) -> list[StoredChunk]:
    """Return chunks whose id starts so; ids are hexadecimal digits."""
    digits = "".join(digit for digit in prefix.lower() if digit in "0123456789abcdef")
    if digits != prefix.lower():
        return []
    return list(
        map(unpack_chunk, connection.execute(_BY_PREFIX, (f"{digits}%", limit)))
    )


def read_chunks_of(connection: Connection, path: str) -> list[StoredChunk]:
    """Return a document's chunks in order."""
    return list(
        map(unpack_chunk, connection.execute(_OF_DOCUMENT, (document_id(path),)))
    )


def read_children(connection: Connection, chunk_id: str) -> list[StoredChunk]:
    """Return a chunk's children in order."""
    return list(map(unpack_chunk, connection.execute(_CHILDREN, (chunk_id,))))


def read_neighbours(
    connection: Connection, chunk_id: str, before: int, after: int
) -> list[StoredChunk]:
    """Return the leaves before and after a chunk in its document, in order."""
    parameters = {"id": chunk_id, "before": max(0, before), "after": max(0, after)}
    return list(map(unpack_chunk, connection.execute(_NEIGHBOURS, parameters)))


def read_unembedded(
    connection: Connection, after: str, limit: int
) -> list[StoredChunk]:
    """Return chunks without an embedding, by id, from beyond an id on."""
    return list(map(unpack_chunk, connection.execute(_UNEMBEDDED, (after, limit))))


def read_documents(
    connection: Connection, after: str = "", limit: int | None = None
) -> list[Document]:
    """Return documents by path, from beyond a path on; all by default."""
    return list(map(_unpack_document, connection.execute(_DOCUMENTS, (after, limit))))


def read_document(connection: Connection, path: str) -> Document | None:
    """Return one document, or None."""
    row = connection.execute(_DOCUMENT, (document_id(path),)).fetchone()
    return None if row is None else _unpack_document(row)


def read_embedded_hashes(
    connection: Connection, paths: Sequence[str]
) -> dict[str, str]:
    """Return the search hashes of the documents' chunks that have an embedding."""
    ids = [document_id(path) for path in paths]
    return dict(connection.execute(_SEARCH_HASHES, (ids,)).fetchall())


def read_known(connection: Connection) -> dict[str, KnownDocument]:
    """Return what tells whether documents have changed, by path."""
    rows = connection.execute(_KNOWN).fetchall()
    return {row[0]: KnownDocument(*row[1:]) for row in rows}


def read_kept(connection: Connection, paths: Sequence[str]) -> dict[str, Kept]:
    """Return what stages gave the documents' chunks, by id."""
    ids = [document_id(path) for path in paths]
    rows = connection.execute(_KEPT, (ids,)).fetchall()
    return {row[0]: Kept(*row[1:]) for row in rows}


def read_status(connection: Connection) -> StoreStatus:
    """Count what there is."""
    row = connection.execute(_STATUS).fetchone()
    totals = read_totals(connection)
    counts = row or (0,) * 11
    names = (
        *("documents", "chunks", "indexable", "unembedded", "cut", "sections"),
        *("nodes", "edges", "runs", "vector_indexed", "size_bytes"),
    )
    return StoreStatus(
        **dict(zip(names, counts, strict=True)),
        worded=totals.chunks,
        embedder=read_embedder(connection),
        average_length=totals.average if totals.chunks else 0.0,
        pinned_length=totals.pin,
    )


def _unpack_document(row: Sequence[Any]) -> Document:
    return Document(**dict(zip(_DOCUMENT_FIELDS, row, strict=True)))
