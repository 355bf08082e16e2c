"""Plans written as chunks, by set difference, a batch in one transaction.

A chunk whose plan has the same content keeps its text, its embedding and its summary,
wherever it has moved to. One whose content has changed starts afresh: nothing is found
of it until the stages have been there. What some plans are all of, and no plan stands
behind, is deleted in the same transaction.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from outcrop.model.ids import document_id
from outcrop.planning.chunk import planned_chunk
from outcrop.planning.protocols import Covered, SavedPlans
from outcrop.store._rows import (
    COPY_CHUNKS,
    COPY_STAGE,
    COPY_TYPES,
    UPDATE_FROM_STAGE,
    pack_chunk,
)
from outcrop.store._text import clean_row
from outcrop.store.graph import forget_mentions
from outcrop.store.lexical.write import write_words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from outcrop.model.stored import StoredChunk
    from outcrop.planning.plans import ChunkPlan
    from outcrop.store.database import Connection

# A node without a file has a document of its own, under its qualified name.
_PUT_DOCUMENTS = """
INSERT INTO documents (id, path, kind, lang, fingerprint, chunk_count)
SELECT id, path, kind, lang, '', 0
FROM unnest(%s::text[], %s::text[], %s::text[], %s::text[]) AS given (id, path, kind, lang)
ORDER BY id ON CONFLICT (id) DO NOTHING
"""
_LOCK_DOCUMENTS = """
SELECT id FROM documents WHERE id IN (
    SELECT unnest(%(documents)s::text[])
    UNION SELECT document_id FROM chunks WHERE node_id = ANY(%(nodes)s)
) ORDER BY id FOR UPDATE
"""
# Chunks that nobody planned, such as those of documents, are none of ours.
_KEYS = "SELECT id, pipeline ->> 'plan_key', pipeline ->> 'content_key' FROM chunks"
_READ_CHUNKS = f"""
{_KEYS} WHERE node_id = ANY(%(nodes)s) AND pipeline ? 'content_key'
UNION {_KEYS} WHERE document_id = ANY(%(documents)s) AND pipeline ? 'content_key'
UNION {_KEYS} WHERE id = ANY(%(ids)s)
"""
# While a table grows the server knows nothing of it, and would read all of it for each
# batch.
_BY_INDEX = "SET LOCAL enable_seqscan = off"
_CREATE_STAGE = """
CREATE TEMPORARY TABLE chunk_stage (LIKE chunks INCLUDING DEFAULTS) ON COMMIT DROP
"""
_SAME_LINKS = "c.pipeline -> 'links_key' = s.pipeline -> 'links_key'"
_MOVE_FROM_STAGE = f"""
UPDATE chunks c SET row_hash = s.row_hash, chunk_index = s.chunk_index,
    span_lines = s.span_lines, span_chars = s.span_chars, title = s.title,
    section_path = s.section_path, metadata = s.metadata,
    application_id = s.application_id, node_id = s.node_id,
    relations = CASE WHEN {_SAME_LINKS} THEN c.relations ELSE s.relations END,
    pipeline = s.pipeline || jsonb_build_object('done', CASE WHEN {_SAME_LINKS}
        THEN coalesce(c.pipeline -> 'done', '[]')
        ELSE coalesce(c.pipeline -> 'done', '[]') - 'link-edges' END)
FROM chunk_stage s WHERE c.id = s.id
"""  # noqa: S608 - a constant of ours
_DELETE_CHUNKS = "DELETE FROM chunks WHERE id = ANY(%s)"
# What another strategy cut is not what the indexer would: it looks again next time.
_COUNT_CHUNKS = """
UPDATE documents d SET
    chunk_count = (SELECT count(*) FROM chunks c WHERE c.document_id = d.id),
    fingerprint = CASE WHEN %(keep)s THEN fingerprint ELSE '' END
WHERE d.id = ANY(%(ids)s)
"""
_DROP_EMPTY = """
DELETE FROM documents d WHERE d.id = ANY(%s) AND d.kind = 'symbol'
    AND NOT EXISTS (SELECT FROM chunks c WHERE c.document_id = d.id)
"""
_OTHER_STRATEGIES = """
SELECT id, document_id FROM chunks
WHERE application_id = %(application)s AND pipeline ? 'content_key'
    AND pipeline #>> '{service,strategy}' <> %(strategy)s
"""
# Whoever is linked with a node tells of it too, with its name and its line.
_AROUND = """
SELECT unnest(%(ids)s::text[])
UNION SELECT dst FROM edges WHERE src = ANY(%(ids)s) AND NOT external
UNION SELECT src FROM edges WHERE dst = ANY(%(ids)s) AND kind <> 'MENTIONS'
"""
_UNLINK = """
UPDATE chunks SET pipeline = jsonb_set(
    pipeline, '{done}', (pipeline -> 'done') - 'link-edges')
WHERE node_id = ANY(%s) AND pipeline -> 'done' ? 'link-edges'
"""
_INDEXERS_STRATEGY = "adaptive"


@dataclass(slots=True)
class _Difference:
    inserted: list[StoredChunk] = field(default_factory=list)
    reset: list[tuple[Any, ...]] = field(default_factory=list)
    moved: list[tuple[Any, ...]] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    unchanged: int = 0


def save_plan(
    connection: Connection,
    plans: Sequence[ChunkPlan],
    application_id: str,
    covered: Covered | None,
) -> SavedPlans:
    """Write plans; see `ChunkWriter`."""
    nodes = {plan.node_id for plan in plans if plan.node_id is not None}
    paths: set[str] = set()
    if covered is not None:
        nodes.update(covered.nodes)
        paths.update(covered.paths)
    chunks = [planned_chunk(plan, application_id) for plan in plans]
    connection.execute(_BY_INDEX)
    _put_documents(connection, plans)
    given = {
        "nodes": list(nodes),
        "documents": sorted({document_id(p) for p in paths}),
        "ids": [chunk.id for chunk in chunks],
    }
    documents = sorted({*given["documents"], *(c.document_id for c in chunks)})
    locking = {**given, "documents": documents}
    touched = [row[0] for row in connection.execute(_LOCK_DOCUMENTS, locking)]
    rows = connection.execute(_READ_CHUNKS, given)
    difference = _compare(chunks, {row[0]: (row[1], row[2]) for row in rows})
    _write(connection, difference)
    if difference.inserted or difference.deleted or difference.reset:
        keep = all(_is_indexers(plan) for plan in plans)
        _settle(connection, touched, keep=keep)
    return SavedPlans(
        written=len(difference.inserted) + len(difference.reset),
        skipped=difference.unchanged + len(difference.moved),
        deleted=len(difference.deleted),
    )


def sweep(connection: Connection, application_id: str, strategy: str) -> int:
    """Delete the chunks that another strategy has planned; return how many."""
    given = {"application": application_id, "strategy": strategy}
    rows = connection.execute(_OTHER_STRATEGIES, given).fetchall()
    if not rows:
        return 0
    documents = sorted({row[1] for row in rows})
    connection.execute(_LOCK_DOCUMENTS, {"documents": documents, "nodes": []})
    ids = [row[0] for row in connection.execute(_OTHER_STRATEGIES, given)]
    _delete(connection, ids)
    _settle(connection, documents, keep=strategy == _INDEXERS_STRATEGY)
    return len(ids)


def forget_links(connection: Connection, node_ids: Collection[str]) -> int:
    """Have the chunks of nodes, and of those linked with them, linked again."""
    if not node_ids:
        return 0
    around = connection.execute(_AROUND, {"ids": list(node_ids)})
    nodes = [row[0] for row in around]
    connection.execute(_LOCK_DOCUMENTS, {"documents": [], "nodes": nodes})
    return connection.execute(_UNLINK, (nodes,)).rowcount


def _is_indexers(plan: ChunkPlan) -> bool:
    return plan.pipeline.service.strategy == _INDEXERS_STRATEGY


def _put_documents(connection: Connection, plans: Iterable[ChunkPlan]) -> None:
    """Make sure that every plan has a document to belong to."""
    found: dict[str, tuple[Any, ...]] = {}
    for plan in plans:
        node = plan.node
        is_symbol = node is not None and node.file_path is None
        lang = node.lang if node is not None else plan.lang
        kind = "symbol" if is_symbol else "code"
        row = clean_row((plan.path, kind, lang))
        found.setdefault(document_id(plan.path), row)
    if found:
        columns = [list(column) for column in zip(*found.values(), strict=True)]
        connection.execute(_PUT_DOCUMENTS, [list(found), *columns])


def _compare(
    chunks: Sequence[StoredChunk], stored: Mapping[str, tuple[str | None, str | None]]
) -> _Difference:
    result = _Difference()
    now = datetime.now(UTC)
    planned: set[str] = set()
    for chunk in chunks:
        planned.add(chunk.id)
        known = stored.get(chunk.id)
        if known is None:
            result.inserted.append(chunk)
            continue
        if known[0] == chunk.pipeline["plan_key"]:
            result.unchanged += 1
            continue
        row = pack_chunk(chunk, embedded_at=now)
        has_moved = known[1] == chunk.pipeline["content_key"]
        (result.moved if has_moved else result.reset).append(row)
    result.deleted = [chunk_id for chunk_id in stored if chunk_id not in planned]
    return result


def _write(connection: Connection, difference: _Difference) -> None:
    _delete(connection, difference.deleted)
    reset = [row[0] for row in difference.reset]
    if reset:
        write_words(connection, gone=reset, added=())
    if reset or difference.moved:
        connection.execute(_CREATE_STAGE)
        _copy(connection, COPY_STAGE, difference.reset)
        if reset:
            connection.execute(UPDATE_FROM_STAGE)
            connection.execute("TRUNCATE chunk_stage")
        _copy(connection, COPY_STAGE, difference.moved)
        if difference.moved:
            connection.execute(_MOVE_FROM_STAGE)
        connection.execute("DROP TABLE chunk_stage")
    if difference.inserted:
        now = datetime.now(UTC)
        rows = (pack_chunk(chunk, embedded_at=now) for chunk in difference.inserted)
        _copy(connection, COPY_CHUNKS, rows)


def _delete(connection: Connection, ids: Sequence[str]) -> None:
    if ids:
        write_words(connection, gone=list(ids), added=())
        forget_mentions(connection, ids)
        connection.execute(_DELETE_CHUNKS, (list(ids),))


def _settle(connection: Connection, documents: Sequence[str], *, keep: bool) -> None:
    connection.execute(_COUNT_CHUNKS, {"ids": list(documents), "keep": keep})
    connection.execute(_DROP_EMPTY, (list(documents),))


def _copy(
    connection: Connection, statement: str, rows: Iterable[tuple[Any, ...]]
) -> None:
    with connection.cursor().copy(statement) as copy:
        copy.set_types(COPY_TYPES)
        for row in rows:
            copy.write_row(row)
