"""Chunks: read by id, by document and by place, written by stages, and deleted.

The result of a stage is skipped if its chunk was planned again meanwhile: it is about a
text that no longer exists.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from outcrop.errors import NotFoundError
from outcrop.model.stored import altered, document_id
from outcrop.store.bulk import lock_documents
from outcrop.store.columns import (
    CHUNK_COLUMNS,
    STAGE_COLUMNS,
    pack_chunk,
    unpack_chunk,
)
from outcrop.store.connected import ConnectedStore
from outcrop.store.edges import forget_mentions, replace_mentions
from outcrop.store.filters import CHUNKS_CONDITION, resolve
from outcrop.store.lexical.write import ChunkWords, write_words
from outcrop.store.packing import clean_text, to_json, vector_literal
from outcrop.store.sketches.table import write_sketches

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from outcrop.model.filter import Filter
    from outcrop.model.stored import StageOutcome, StoredChunk
    from outcrop.store.columns import Column
    from outcrop.store.database import Connection

_HEXADECIMAL = frozenset("0123456789abcdef")

_FROM_CHUNKS = f"""
SELECT {CHUNK_COLUMNS} FROM chunks c JOIN documents d ON d.id = c.document_id
"""  # noqa: S608 - names of columns
_GET = f"{_FROM_CHUNKS} WHERE c.id = ANY(%s)"
_BY_PREFIX = f"{_FROM_CHUNKS} WHERE c.id LIKE %s ORDER BY c.id LIMIT %s"
_HAS_CHUNKS = f"SELECT EXISTS (SELECT FROM chunks c WHERE {CHUNKS_CONDITION})"  # noqa: S608 - as above
_OF_DOCUMENT = f"""
{_FROM_CHUNKS} WHERE c.document_id = %s ORDER BY c.place LIMIT %s OFFSET %s
"""
_LEAVES_WITHIN = f"""
{_FROM_CHUNKS} WHERE c.document_id = %s AND c.is_leaf
    AND lower(c.span_chars) >= %s AND lower(c.span_chars) < %s
ORDER BY c.place
"""
_LEAF_IDS = """
SELECT id FROM chunks
WHERE document_id = %s AND is_leaf AND place BETWEEN %s AND %s ORDER BY place
"""
_CHILDREN = f"""
{_FROM_CHUNKS} WHERE c.parent_id = %s ORDER BY c.place LIMIT %s OFFSET %s
"""
_UNEMBEDDED = f"""
{_FROM_CHUNKS} WHERE c.emb IS NULL AND c.indexable AND c.id > %s ORDER BY c.id LIMIT %s
"""
_NEIGHBOURS = f"""
WITH here AS (SELECT document_id, place FROM chunks WHERE id = %(id)s),
around AS (
    (SELECT c.id FROM chunks c, here
     WHERE c.document_id = here.document_id AND c.is_leaf
         AND c.place < here.place
     ORDER BY c.place DESC LIMIT %(before)s)
    UNION ALL
    (SELECT c.id FROM chunks c, here
     WHERE c.document_id = here.document_id AND c.is_leaf
         AND c.place > here.place
     ORDER BY c.place LIMIT %(after)s)
)
{_FROM_CHUNKS} WHERE c.id IN (SELECT id FROM around) ORDER BY c.place
"""  # noqa: S608 - names of columns
_EMBEDDED_HASHES = """
SELECT id, search_hash FROM chunks
WHERE document_id = ANY(%s) AND emb IS NOT NULL AND search_hash IS NOT NULL
"""
_STATES = """
SELECT id, CASE WHEN emb IS NOT NULL AND indexable THEN search_hash END, embed_model,
    explain_quality->>'model', pipeline->>'content_key'
FROM chunks WHERE document_id = ANY(%s)
"""
_LINKS = """
SELECT id, uses_md, used_by_md FROM chunks
WHERE document_id = ANY(%s) AND (uses_md IS NOT NULL OR used_by_md IS NOT NULL)
"""
_RELINK = """
UPDATE chunks c
SET uses_md = given.uses, used_by_md = given.used_by, row_hash = given.row_hash
FROM unnest(%s::text[], %s::bigint[], %s::text[], %s::text[])
    AS given (id, row_hash, uses, used_by)
WHERE c.id = given.id
"""
_RELINK_PAGE = 1_000
_DELETE = "DELETE FROM chunks WHERE id = ANY(%s)"
_COUNT = """
UPDATE documents d SET chunk_count =
    (SELECT count(*) FROM chunks c WHERE c.document_id = d.id)
WHERE d.id = ANY(%s)
"""
# SQL type of a column -> the type its values are sent as, and how each is made.
# psycopg has no adapter for vectors, and JSON travels as text anyway.
_TYPES: Mapping[str, tuple[str, Callable[[Any], Any]]] = {
    "text": ("text", lambda value: clean_text(str(value))),
    "int": ("int", int),
    "bool": ("bool", bool),
    "jsonb": ("text", to_json),
    "vector": ("text", vector_literal),
    "int4range": ("text", lambda span: "[{},{}]".format(*span)),
    "int8range": ("text", lambda span: "[{},{})".format(*span)),
}
_UNCHANGED = """
SELECT c.id FROM chunks c
JOIN unnest(%s::text[], %s::text[]) AS given (id, content_key) ON c.id = given.id
WHERE c.pipeline ->> 'content_key' IS NOT DISTINCT FROM given.content_key
"""


class ChunkState(NamedTuple):
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
            NotFoundError: No chunk has this id.
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

    def has_chunks(self, restriction: Filter) -> bool:
        """Return whether any chunk meets the conditions of a filter."""

        def look(connection: Connection) -> bool:
            parameters = resolve(connection, restriction).parameters
            found = connection.execute(_HAS_CHUNKS, parameters).fetchone()
            return found is not None and bool(found[0])

        return self._read(look)

    def chunks_of(
        self, path: str, *, limit: int | None = None, offset: int = 0
    ) -> list[StoredChunk]:
        """Return a document's chunks in order, or a page; none if it is unknown."""
        rows = self._fetch(_OF_DOCUMENT, (document_id(path), limit, offset))
        return list(map(unpack_chunk, rows))

    def leaves_within(self, path: str, start: int, end: int) -> list[StoredChunk]:
        """Return the leaves of a document that start within a range of its text."""
        rows = self._fetch(_LEAVES_WITHIN, (document_id(path), start, end))
        return list(map(unpack_chunk, rows))

    def leaf_ids(self, path: str, first: int, last: int) -> list[str]:
        """Return the ids of the leaves between two places of a document, in order."""
        rows = self._fetch(_LEAF_IDS, (document_id(path), first, last))
        return [row[0] for row in rows]

    def neighbours(
        self, chunk_id: str, *, before: int = 1, after: int = 1
    ) -> list[StoredChunk]:
        """Return the leaves next to a chunk in its document, in order."""
        parameters = {"id": chunk_id, "before": max(0, before), "after": max(0, after)}
        return list(map(unpack_chunk, self._fetch(_NEIGHBOURS, parameters)))

    def child_chunks(
        self, chunk_id: str, *, limit: int | None = None, offset: int = 0
    ) -> list[StoredChunk]:
        """Return a page of the children of a chunk in the hierarchy, in order."""
        rows = self._fetch(_CHILDREN, (chunk_id, limit, offset))
        return list(map(unpack_chunk, rows))

    def unembedded(self, *, after: str = "", limit: int = 1000) -> list[StoredChunk]:
        """Return a page of the chunks without an embedding, by id, after one."""
        return list(map(unpack_chunk, self._fetch(_UNEMBEDDED, (after, limit))))

    def embedded_hashes(self, paths: Sequence[str]) -> dict[str, str]:
        """Return the search hashes of the documents' chunks with an embedding, by id."""
        ids = [document_id(path) for path in paths]
        return dict(self._fetch(_EMBEDDED_HASHES, (ids,)))

    def chunk_states(self, paths: Sequence[str]) -> dict[str, ChunkState]:
        """Return the work of stages that the documents' chunks have, by id."""
        ids = [document_id(path) for path in paths]
        return {row[0]: ChunkState(*row[1:]) for row in self._fetch(_STATES, (ids,))}

    def relink_chunks(
        self, paths: Collection[str], change: Callable[[str], str]
    ) -> int:
        """Change the lists of links of the chunks of documents, and nothing else.

        `change` returns the new version of a list.

        Returns:
            The number of chunks that were changed.
        """
        documents = sorted(document_id(path) for path in paths)
        changed: dict[str, tuple[str | None, str | None]] = {}
        with self._database.write() as connection:
            lock_documents(connection, documents)
            for chunk, *links in connection.execute(_LINKS, (documents,)):
                uses, used_by = (text and change(text) for text in links)
                if [uses, used_by] != links:
                    changed[chunk] = (uses, used_by)
            ids = sorted(changed)
            for start in range(0, len(ids), _RELINK_PAGE):
                _relink(connection, ids[start : start + _RELINK_PAGE], changed)
        return len(changed)

    def put_facts(
        self,
        connection: Connection,
        chunks: Sequence[StoredChunk],
        facts: Sequence[StageOutcome],
    ) -> set[str]:
        """Write the results of a stage; return the ids of the chunks written.

        The caller's transaction also records that the stage is done. Results with an
        error are skipped; `chunks` are as the stage saw them.
        """
        by_id = {chunk.id: chunk for chunk in chunks}
        good = [fact for fact in facts if not fact.error and fact.chunk_id in by_id]
        if not good:
            return set()
        lock_documents(connection, {by_id[fact.chunk_id].document_id for fact in good})
        good = _about_stored_text(connection, by_id, good)
        groups: dict[tuple[str, ...], list[StageOutcome]] = {}
        for fact in good:
            groups.setdefault(tuple(fact.values), []).append(fact)
        for names, group in groups.items():
            _update(connection, names, group)
        vectors = {f.chunk_id: f.values["emb"] for f in good if "emb" in f.values}
        write_sketches(connection, vectors, gone=vectors)
        _put_words(connection, by_id, good)
        _put_mentions(connection, good)
        return {fact.chunk_id for fact in good}


def delete_chunks(connection: Connection, ids: Collection[str]) -> None:
    """Delete chunks and their mentions; their words are deleted by `write_words`."""
    if ids:
        forget_mentions(connection, ids)
        connection.execute(_DELETE, (list(ids),))
        write_sketches(connection, {}, gone=ids)


def count_chunks(connection: Connection, documents: Collection[str]) -> None:
    """Update the chunk counts of documents."""
    connection.execute(_COUNT, (list(documents),))


def _relink(
    connection: Connection,
    ids: Sequence[str],
    links: Mapping[str, tuple[str | None, str | None]],
) -> None:
    now = datetime.now(UTC)
    rows = []
    for row in connection.execute(_GET, (list(ids),)):
        chunk = unpack_chunk(row)
        uses, used_by = links[chunk.id]
        values = {"uses_md": uses, "used_by_md": used_by, "freshness_at": None}
        packed = pack_chunk(altered(chunk, values), saved_at=now)
        rows.append((chunk.id, packed[1], uses, used_by))
    if rows:
        connection.execute(
            _RELINK, [list(column) for column in zip(*rows, strict=True)]
        )


def _about_stored_text(
    connection: Connection,
    chunks: Mapping[str, StoredChunk],
    facts: Sequence[StageOutcome],
) -> list[StageOutcome]:
    ids = [fact.chunk_id for fact in facts]
    keys = [chunks[chunk_id].pipeline.get("content_key") for chunk_id in ids]
    unchanged = {row[0] for row in connection.execute(_UNCHANGED, (ids, keys))}
    return [fact for fact in facts if fact.chunk_id in unchanged]


def _update(
    connection: Connection, names: Sequence[str], facts: Sequence[StageOutcome]
) -> None:
    columns = [column for column in STAGE_COLUMNS if column.fields.keys() <= set(names)]
    if not columns:
        return
    arrays: list[list[Any]] = [[fact.chunk_id for fact in facts]]
    for column in columns:
        make = _TYPES[column.stage][1]
        values = [column.value_in(fact.values) for fact in facts]
        arrays.append([None if value is None else make(value) for value in values])
    connection.execute(_update_statement(columns), arrays)


def _update_statement(columns: Sequence[Column]) -> str:
    names = [column.name for column in columns]
    sets = [f"{column.name} = s.{column.name}::{column.stage}" for column in columns]
    if "content" in names:
        sets += ["freshness_at = now()", "updated_at = now()"]
    if "emb" in names:
        sets.append("embed_ts = now()")
    types = ["text", *(_TYPES[column.stage][0] for column in columns)]
    arrays = ", ".join(f"%s::{sent}[]" for sent in types)
    return (
        f"UPDATE chunks c SET {', '.join(sets)} "  # noqa: S608 - names of columns
        f"FROM unnest({arrays}) AS s ({', '.join(['id', *names])}) WHERE c.id = s.id"
    )


def _put_words(
    connection: Connection,
    chunks: Mapping[str, StoredChunk],
    facts: Sequence[StageOutcome],
) -> None:
    worded = [fact for fact in facts if "terms" in fact.values]
    if worded:
        added = [
            ChunkWords(f.chunk_id, chunks[f.chunk_id].document_id, f.values["terms"])
            for f in worded
        ]
        write_words(connection, gone=[f.chunk_id for f in worded], added=added)


def _put_mentions(connection: Connection, facts: Sequence[StageOutcome]) -> None:
    looked = [fact for fact in facts if fact.mentions is not None]
    if looked:
        edges = [edge for fact in looked for edge in fact.mentions or ()]
        replace_mentions(connection, edges, [fact.chunk_id for fact in looked])
