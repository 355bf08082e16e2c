"""The order of columns: the one place that knows it."""

from __future__ import annotations

import struct
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from outcrop.model.stored import Document, StoredChunk
from outcrop.store._text import clean_row, clean_text, to_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from numpy.typing import NDArray

# What the indexer gives. Types are those of binary COPY; `bytea` stands for values that
# are packed below as the bytes PostgreSQL itself would send.
_GIVEN = {
    "chunk_id": "text",
    "document_id": "text",
    "application_id": "text",
    "node_id": "text",
    "source": "text",
    "kind": "text",
    "lang_detected": "text",
    "content_raw": "text",
    "content": "text",
    "prefix": "text",
    "suffix": "text",
    "content_hash": "text",
    "search_hash": "text",
    "token_count": "int4",
    "chunk_index": "int4",
    "span_lines": "bytea",
    "span_chars": "bytea",
    "title": "text",
    "section_path": "bytea",
    "header_level": "int4",
    "level": "int4",
    "parent_id": "text",
    "is_leaf": "bool",
    "indexable": "bool",
    "relations": "bytea",
    "used_objects": "bytea",
    "pipeline": "bytea",
    "metadata": "bytea",
    "freshness_at": "timestamptz",
    "rank_boost": "float4",
}
# What later stages add, and what outlives a new version of equal text.
_ADDED = {
    "uses_md": "text",
    "used_by_md": "text",
    "explain_md": "text",
    "explain_quality": "bytea",
    "emb": "bytea",
    "embed_model": "text",
    "embed_ts": "timestamptz",
}
COPY_COLUMNS = {"id": "text", "row_hash": "int8", **_GIVEN, **_ADDED}

_SAME = "c.search_hash IS NOT DISTINCT FROM s.search_hash"
_UPDATES = [f"{name} = s.{name}" for name in ("row_hash", *_GIVEN)]
_UPDATES += [
    f"{name} = CASE WHEN {_SAME} THEN coalesce(s.{name}, c.{name}) ELSE s.{name} END"
    for name in _ADDED
    if name not in ("explain_quality", "uses_md", "used_by_md")
]
# Of code the indexer knows the relations, so none means that there are none any more.
_UPDATES += [
    f"""{name} = CASE WHEN {_SAME} AND s.source <> 'code'
        THEN coalesce(s.{name}, c.{name}) ELSE s.{name} END"""
    for name in ("uses_md", "used_by_md")
]
_UPDATES += [
    f"""explain_quality = CASE WHEN {_SAME} AND s.explain_quality = '{{}}'
        THEN c.explain_quality ELSE s.explain_quality END""",
    f"updated_at = CASE WHEN {_SAME} THEN c.updated_at ELSE now() END",
]
UPDATE_FROM_STAGE = (
    f"UPDATE chunks c SET {', '.join(_UPDATES)} FROM chunks_stage s WHERE c.id = s.id"  # noqa: S608 - names of columns, all above
)

# What a hit shows of a chunk, and how it is read.
_SHOWN = {
    "path": "d.path",
    **{
        name: f"c.{name}"
        for name in (
            *("chunk_id", "source", "content", "chunk_index", "kind", "prefix"),
            *("suffix", "token_count", "section_path", "level", "node_id", "metadata"),
            *("uses_md", "used_by_md", "explain_md"),
        )
    },
    "start_line": "lower(c.span_lines)",
    "end_line": "upper(c.span_lines) - 1",
    "start_offset": "lower(c.span_chars)",
    "end_offset": "upper(c.span_chars)",
}
_ALL = _SHOWN | {
    name: f"c.{name}"
    for name in (
        *("lang_detected", "content_raw", "content_hash", "search_hash", "title"),
        *("header_level", "parent_id", "is_leaf", "indexable", "application_id"),
        *("relations", "used_objects", "pipeline", "freshness_at", "rank_boost"),
        *("explain_quality", "embed_model", "embed_ts", "created_at", "updated_at"),
    )
}
SHOWN_COLUMNS = ", ".join(_SHOWN.values())
CHUNK_COLUMNS = ", ".join(_ALL.values())

DOCUMENT_COLUMNS = """
    d.path, d.kind, d.fingerprint, d.lang, d.title, d.content_hash, d.size_bytes,
    d.modified_ns, d.summary, d.metadata, d.chunk_count, d.created_at, d.updated_at
"""
_DOCUMENT_FIELDS = [
    name.strip().removeprefix("d.") for name in DOCUMENT_COLUMNS.split(",")
]


def pack_chunk(chunk: StoredChunk, *, embedded_at: datetime) -> tuple[Any, ...]:
    """Return a chunk's row for COPY: id, hash of what is given, values."""
    given = (
        chunk.chunk_id,
        chunk.document_id,
        chunk.application_id,
        chunk.node_id,
        chunk.source,
        chunk.kind,
        chunk.lang_detected,
        chunk.content_raw,
        chunk.content,
        chunk.prefix,
        chunk.suffix,
        chunk.content_hash,
        chunk.search_hash,
        chunk.token_count,
        chunk.chunk_index,
        _pack_lines(chunk.start_line, chunk.end_line),
        _pack_offsets(chunk.start_offset, chunk.end_offset),
        chunk.title,
        pack_texts(chunk.section_path),
        chunk.header_level,
        chunk.level,
        chunk.parent_id,
        chunk.is_leaf,
        chunk.indexable,
        _pack_json(chunk.relations),
        _pack_json(chunk.used_objects),
        _pack_json(chunk.pipeline),
        _pack_json(chunk.metadata),
        chunk.freshness_at,
        chunk.rank_boost,
    )
    has_vector = chunk.emb is not None
    row = (
        chunk.id,
        hash_row((*given, *_told(chunk))),
        *given,
        chunk.uses_md,
        chunk.used_by_md,
        chunk.explain_md,
        _pack_json(chunk.explain_quality),
        None if chunk.emb is None else pack_vector(chunk.emb),
        chunk.embed_model if has_vector else None,
        (chunk.embed_ts or embedded_at) if has_vector else None,
    )
    return clean_row(row)


def _told(chunk: StoredChunk) -> tuple[Any, ...]:
    """Return what stages added that is the indexer's own work; none of documents."""
    told = (chunk.uses_md, chunk.used_by_md, chunk.explain_md)
    return (*told, _pack_json(chunk.explain_quality)) if any(told) else ()


def unpack_chunk(row: Sequence[Any]) -> StoredChunk:
    """Turn a row of `CHUNK_COLUMNS` into a chunk."""
    return _unpack(_ALL, row)


def unpack_shown(row: Sequence[Any]) -> StoredChunk:
    """Turn a row of `SHOWN_COLUMNS` into a chunk that knows nothing else of itself."""
    return _unpack(_SHOWN, row)


def _unpack(names: Iterable[str], row: Sequence[Any]) -> StoredChunk:
    values = dict(zip(names, row, strict=True))
    values["section_path"] = tuple(values["section_path"])
    return StoredChunk(**values)


def unpack_document(row: Sequence[Any]) -> Document:
    """Turn a row of `DOCUMENT_COLUMNS` into a document."""
    return Document(**dict(zip(_DOCUMENT_FIELDS, row, strict=True)))


def pack_vector(vector: NDArray[np.float32]) -> bytes:
    """Return a vector as PostgreSQL reads it."""
    return struct.pack(">HH", len(vector), 0) + vector.astype(">f4").tobytes()


def vector_literal(vector: NDArray[np.float32]) -> str:
    """Return a vector as text, for a parameter of a query."""
    return f"[{','.join(map(repr, vector.astype(np.float32).tolist()))}]"


def hash_row(given: tuple[Any, ...]) -> int:
    """Return a number that differs where any value of a row does."""
    digest = blake2b(repr(given).encode(errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def _pack_lines(first: int | None, last: int | None) -> bytes | None:
    if first is None or last is None:
        return None
    return struct.pack(">Biiii", 0x02, 4, first, 4, last + 1)


def _pack_offsets(start: int | None, end: int | None) -> bytes | None:
    # A chunk without text of its own has no span: PostgreSQL keeps no place for an
    # empty range.
    if start is None or end is None or start >= end:
        return None
    return struct.pack(">Biqiq", 0x02, 8, start, 8, end)


def pack_texts(texts: Sequence[str]) -> bytes:
    """Return an array of texts as PostgreSQL reads it."""
    if not texts:
        return struct.pack(">iiI", 0, 0, 25)
    encoded = [clean_text(text).encode() for text in texts]
    parts = [struct.pack(">iiIii", 1, 0, 25, len(encoded), 1)]
    for item in encoded:
        parts += (struct.pack(">i", len(item)), item)
    return b"".join(parts)


def _pack_json(value: object) -> bytes:
    if not value:
        return b"\x01{}" if isinstance(value, dict) else b"\x01[]"
    return b"\x01" + to_json(value).encode()
