"""What is in an index, to compare two of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from outcrop.indexing.index import Index

_DOCUMENTS = """
SELECT path, kind, title, fingerprint, content_hash, size_bytes, chunk_count
FROM documents ORDER BY path
"""
_CHUNKS = """
SELECT c.id, c.content, c.prefix, c.suffix, c.search_hash, c.row_hash, c.chunk_index, c.place,
    c.span_lines::text, c.span_chars::text, c.section_path, c.parent_id, c.metadata,
    c.token_count, c.embed_model, c.emb::text, c.node_id, c.title, c.relations,
    c.used_objects, c.pipeline, c.uses_md, c.used_by_md, c.explain_md,
    c.explain_quality, c.content_raw, c.content_hash, c.lang_detected, d.path
FROM chunks c JOIN documents d ON d.id = c.document_id ORDER BY c.id
"""
_WORDS = "SELECT chunk_id, len, tsv::text FROM chunk_lex ORDER BY chunk_id"
_FREQUENCIES = """
SELECT term, sum(df) FROM (
    SELECT term, df FROM lex_df UNION ALL SELECT term, df FROM lex_delta
) both_tables GROUP BY term HAVING sum(df) <> 0 ORDER BY term
"""
_TOTALS = "SELECT sum(chunks), sum(length) FROM lex_batch"
_NODES = """
SELECT id, row_hash, application_id, document_id, kind, fqn, file_path, line_start,
    line_end, start_offset, end_offset, source_code
FROM nodes ORDER BY id
"""
_EDGES = """
SELECT src, kind, dst, resolution, confidence, external, application_id
FROM edges ORDER BY src, kind, dst
"""
_APPLICATIONS = "SELECT id, name, metadata FROM applications ORDER BY id"
# Who wrote each row and when: the same only if nothing was written.
_ROWS = """
SELECT 'd', id, xmin::text, updated_at FROM documents
UNION ALL SELECT 'c', id, xmin::text, updated_at FROM chunks
UNION ALL SELECT 'n', id, xmin::text, NULL FROM nodes
UNION ALL SELECT 'e', src || kind || dst, xmin::text, NULL FROM edges
UNION ALL SELECT 'a', id, xmin::text, NULL FROM applications ORDER BY 1, 2
"""


def state_of(index: Index, *, with_rows: bool = False) -> dict[str, list[Any]]:
    """Return everything an index holds that depends on the files alone."""
    queries = {
        "documents": _DOCUMENTS,
        "chunks": _CHUNKS,
        "words": _WORDS,
        "frequencies": _FREQUENCIES,
        "totals": _TOTALS,
        "nodes": _NODES,
        "edges": _EDGES,
        "applications": _APPLICATIONS,
    }
    if with_rows:
        queries["rows"] = _ROWS
    with index._database.read() as connection:
        return {
            name: connection.execute(query).fetchall()
            for name, query in queries.items()
        }


def clean_state(index: Index) -> dict[str, list[Any]]:
    """Return the state of an index from nothing of the same files."""
    index.store.delete_documents([d.path for d in index.documents()])
    with index._database.write() as connection:
        connection.execute("DELETE FROM applications")
        connection.execute("DELETE FROM edges")
    index.index()
    return state_of(index)


def count_dangling(index: Index) -> int:
    """Return how many edges lead from or to a node that is not there."""
    with index._database.read() as connection:
        row = connection.execute(
            "SELECT count(*) FROM edges e WHERE"
            " (NOT external AND NOT EXISTS (SELECT FROM nodes WHERE id = e.dst)) OR"
            " (kind <> 'MENTIONS' AND NOT EXISTS"
            " (SELECT FROM nodes WHERE id = e.src))"
        ).fetchone()
    assert row is not None
    return int(row[0])


def documents_of(index: Index) -> dict[str, list[Any]]:
    """Return the stored version of each document: its row and those of its chunks.

    All of it is of one moment: a process that was killed may have left a transaction that
    the server still completes.
    """
    state = state_of(index)
    found: dict[str, list[Any]] = {row[0]: [row] for row in state["documents"]}
    words = {row[0]: row for row in state["words"]}
    for chunk_id, *row, path in state["chunks"]:
        found[path] += [(chunk_id, *row), words.pop(chunk_id, None)]
    assert not words, "words of a chunk that is gone"
    return found
