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
SELECT c.id, c.content, c.prefix, c.suffix, c.search_hash, c.row_hash, c.chunk_index,
    c.span_lines::text, c.span_chars::text, c.section_path, c.parent_id, c.metadata,
    c.token_count, c.embed_model, c.emb::text
FROM chunks c ORDER BY c.id
"""
_WORDS = "SELECT chunk_id, len, tsv::text FROM chunk_lex ORDER BY chunk_id"
_FREQUENCIES = """
SELECT term, sum(df) FROM (
    SELECT term, df FROM lex_df UNION ALL SELECT term, df FROM lex_delta
) both_tables GROUP BY term HAVING sum(df) <> 0 ORDER BY term
"""
_TOTALS = "SELECT sum(chunks), sum(length) FROM lex_batch"
# Who wrote each row and when: the same only if nothing was written.
_ROWS = """
SELECT 'd', id, xmin::text, updated_at FROM documents
UNION ALL SELECT 'c', id, xmin::text, updated_at FROM chunks ORDER BY 1, 2
"""


def state_of(index: Index, *, with_rows: bool = False) -> dict[str, list[Any]]:
    """Return everything an index holds that depends on the files alone."""
    queries = {
        "documents": _DOCUMENTS,
        "chunks": _CHUNKS,
        "words": _WORDS,
        "frequencies": _FREQUENCIES,
        "totals": _TOTALS,
    }
    if with_rows:
        queries["rows"] = _ROWS
    with index._database.read() as connection:
        return {
            name: connection.execute(query).fetchall()
            for name, query in queries.items()
        }


def documents_of(index: Index) -> dict[str, list[Any]]:
    """Return the stored version of each document: its row and those of its chunks."""
    state = state_of(index)
    found: dict[str, list[Any]] = {row[0]: [row] for row in state["documents"]}
    path_of = {c.id: d for d in found for c in index.store.chunks_of(d)}
    assert len(path_of) == len(state["chunks"]), "a chunk belongs to no document"
    for row in state["chunks"]:
        found[path_of[row[0]]].append(row)
    words = {row[0]: row for row in state["words"]}
    for chunk_id, path in path_of.items():
        found[path].append(words.pop(chunk_id, None))
    assert not words, "words of a chunk that is gone"
    return found
