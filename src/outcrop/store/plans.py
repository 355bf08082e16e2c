"""Plans written as chunks, by set difference, a batch in one transaction.

A chunk whose plan has the same content keeps its text, its embedding and its summary,
wherever it has moved to. One whose content has changed starts again: search does not
find it until the stages have processed it. Chunks that the plans cover but no longer
contain are deleted in the same transaction.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from outcrop.model.stored import StoredChunk, document_id
from outcrop.planning.plans import planned_chunk
from outcrop.planning.protocols import Covered, SavedPlans
from outcrop.store.bulk import Difference, Row, copy_rows, lock_documents, staged_rows
from outcrop.store.chunks import count_chunks, delete_chunks
from outcrop.store.columns import (
    COPY_COLUMNS,
    MOVE_FROM_STAGE,
    UPDATE_FROM_STAGE,
    pack_chunk,
)
from outcrop.store.connected import ConnectedStore
from outcrop.store.lexical.maintain import tidy_words
from outcrop.store.lexical.write import write_words
from outcrop.store.packing import clean_row

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from outcrop.planning.plans import ChunkPlan
    from outcrop.store.database import Connection

# The strategy that the indexer cuts code with.
_INDEXERS_STRATEGY = "adaptive"

# A node without a file has a document of its own, under its qualified name.
_PUT_DOCUMENTS = """
INSERT INTO documents (id, path, kind, lang, fingerprint, chunk_count)
SELECT id, path, kind, lang, '', 0
FROM unnest(%s::text[], %s::text[], %s::text[], %s::text[]) AS given (id, path, kind, lang)
ORDER BY id ON CONFLICT (id) DO NOTHING
"""
# Chunks without a plan, such as those of documents, are left alone.
_KEYS = "SELECT id, pipeline ->> 'plan_key', pipeline ->> 'content_key' FROM chunks"
_READ_CHUNKS = f"""
{_KEYS} WHERE node_id = ANY(%(nodes)s) AND pipeline ? 'content_key'
UNION {_KEYS} WHERE document_id = ANY(%(documents)s) AND pipeline ? 'content_key'
UNION {_KEYS} WHERE id = ANY(%(ids)s)
"""
# While a table grows its statistics are out of date, and the server would scan all of it
# for each batch.
_BY_INDEX = "SET LOCAL enable_seqscan = off"
# The indexer would cut a document differently than another strategy does: without a
# fingerprint it reads the document again next time.
_FORGET_FINGERPRINTS = "UPDATE documents SET fingerprint = '' WHERE id = ANY(%s)"
_SYMBOLS = """
SELECT DISTINCT d.path FROM documents d JOIN chunks c ON c.document_id = d.id
WHERE d.kind = 'symbol' AND c.application_id = %s
"""
# Plans of single nodes do not know what else is in the document.
_NUMBER_PLACES = """
UPDATE chunks c SET place = numbered.place FROM (
    SELECT id, row_number() OVER (PARTITION BY document_id
        ORDER BY lower(span_chars), upper(span_chars) DESC, place, id) - 1 AS place
    FROM chunks WHERE document_id = ANY(%s)
) numbered WHERE c.id = numbered.id AND c.place <> numbered.place
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
# The chunks of linked nodes contain the node's name and line too.
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


@dataclass(slots=True)
class _Difference(Difference[StoredChunk]):
    """What has to be done to the planned chunks.

    Attributes:
        moved: Rows with the content of a stored one; those in `updated` lose theirs.
    """

    moved: list[Row] = field(default_factory=list)


class Plans(ConnectedStore):
    """Plans of chunks."""

    def symbol_documents(self, application_id: str) -> list[str]:
        """Return the paths of the documents of an application's nodes without a file."""
        return [row[0] for row in self._fetch(_SYMBOLS, (application_id,))]

    def save_plan(
        self,
        plans: Sequence[ChunkPlan],
        *,
        application_id: str,
        covered: Covered | None = None,
    ) -> SavedPlans:
        """Write plans as chunks without content, in one transaction.

        A chunk whose content stays the same keeps what it has.

        Other planned chunks of the nodes and documents `covered` are deleted; of the
        nodes of the plans, if it is None.

        Raises:
            StorageError: The database refused; nothing was changed.
        """
        with self._database.write() as connection:
            saved = _save(connection, plans, application_id, covered or Covered())
        if saved.deleted:
            tidy_words(self._database)
        return saved

    def sweep(self, application_id: str, *, strategy: str) -> int:
        """Delete the chunks that another strategy has planned; return how many."""
        parameters = {"application": application_id, "strategy": strategy}
        with self._database.write() as connection:
            rows = connection.execute(_OTHER_STRATEGIES, parameters).fetchall()
            documents = {row[1] for row in rows}
            lock_documents(connection, documents)
            ids = [row[0] for row in connection.execute(_OTHER_STRATEGIES, parameters)]
            _delete(connection, ids)
            _settle(connection, documents, keep=strategy == _INDEXERS_STRATEGY)
        if ids:
            tidy_words(self._database)
        return len(ids)

    def forget_links(self, node_ids: Collection[str]) -> int:
        """Mark chunks to be linked again whose node or linked nodes have changed.

        The nodes are those that `replace_graph` reports as changed or touched.

        Returns:
            The number of chunks whose stage `link-edges` is no longer done.
        """
        if not node_ids:
            return 0
        with self._database.write() as connection:
            rows = connection.execute(_AROUND, {"ids": list(node_ids)})
            nodes = [row[0] for row in rows]
            lock_documents(connection, of_nodes=nodes)
            return connection.execute(_UNLINK, (nodes,)).rowcount


def _save(
    connection: Connection,
    plans: Sequence[ChunkPlan],
    application_id: str,
    covered: Covered,
) -> SavedPlans:
    nodes = {plan.node_id for plan in plans if plan.node_id is not None}
    nodes.update(covered.nodes)
    chunks = [planned_chunk(plan, application_id) for plan in plans]
    connection.execute(_BY_INDEX)
    _put_documents(connection, plans)
    parameters = {
        "nodes": list(nodes),
        "documents": sorted({document_id(path) for path in covered.paths}),
        "ids": [chunk.id for chunk in chunks],
    }
    documents = {*parameters["documents"], *(c.document_id for c in chunks)}
    touched = lock_documents(connection, documents, of_nodes=nodes)
    rows = connection.execute(_READ_CHUNKS, parameters)
    difference = _compare(chunks, {row[0]: (row[1], row[2]) for row in rows})
    _write(connection, difference)
    connection.execute(_NUMBER_PLACES, (list(touched),))
    if difference.inserted or difference.deleted or difference.updated:
        keep = all(_is_indexers(plan) for plan in plans)
        _settle(connection, touched, keep=keep)
    return SavedPlans(
        written=len(difference.inserted) + len(difference.updated),
        skipped=difference.unchanged + len(difference.moved),
        deleted=len(difference.deleted),
    )


def _is_indexers(plan: ChunkPlan) -> bool:
    return plan.pipeline.service.strategy == _INDEXERS_STRATEGY


def _put_documents(connection: Connection, plans: Iterable[ChunkPlan]) -> None:
    """Make sure that every plan has a document to belong to."""
    documents: dict[str, Row] = {}
    for plan in plans:
        node = plan.node
        is_symbol = node is not None and node.file_path is None
        lang = node.lang if node is not None else plan.lang
        kind = "symbol" if is_symbol else "code"
        row = clean_row((plan.path, kind, lang))
        documents.setdefault(document_id(plan.path), row)
    if documents:
        columns = [list(column) for column in zip(*documents.values(), strict=True)]
        connection.execute(_PUT_DOCUMENTS, [list(documents), *columns])


def _compare(
    chunks: Sequence[StoredChunk], stored: Mapping[str, tuple[str | None, str | None]]
) -> _Difference:
    result = _Difference()
    now = datetime.now(UTC)
    planned: set[str] = set()
    for chunk in chunks:
        planned.add(chunk.id)
        keys = stored.get(chunk.id)
        if keys is None:
            result.inserted.append(chunk)
            continue
        if keys[0] == chunk.pipeline["plan_key"]:
            result.unchanged += 1
            continue
        row = pack_chunk(chunk, saved_at=now)
        has_moved = keys[1] == chunk.pipeline["content_key"]
        (result.moved if has_moved else result.updated).append(row)
    result.delete_others(stored, planned)
    return result


def _write(connection: Connection, difference: _Difference) -> None:
    _delete(connection, difference.deleted)
    write_words(connection, gone=[row[0] for row in difference.updated])
    for rows, statement in (
        (difference.updated, UPDATE_FROM_STAGE),
        (difference.moved, MOVE_FROM_STAGE),
    ):
        if rows:
            with staged_rows(connection, "chunks", COPY_COLUMNS, rows):
                connection.execute(statement)
    if difference.inserted:
        now = datetime.now(UTC)
        packed = (pack_chunk(chunk, saved_at=now) for chunk in difference.inserted)
        copy_rows(connection, "chunks", COPY_COLUMNS, packed)


def _delete(connection: Connection, ids: Sequence[str]) -> None:
    write_words(connection, gone=ids)
    delete_chunks(connection, ids)


def _settle(connection: Connection, documents: Collection[str], *, keep: bool) -> None:
    """Bring the rows of documents up to date with their chunks.

    Fingerprints are forgotten unless `keep` is set.
    """
    if not documents:
        return
    count_chunks(connection, documents)
    if not keep:
        connection.execute(_FORGET_FINGERPRINTS, (list(documents),))
    connection.execute(_DROP_EMPTY, (list(documents),))
