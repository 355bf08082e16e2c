"""What stages found out, written to the chunks it concerns.

A chunk that was planned again meanwhile is left alone: the facts are about a text that
is no more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outcrop.store._rows import vector_literal
from outcrop.store._text import clean_text, to_json
from outcrop.store.graph import put_mentions
from outcrop.store.lexical.write import ChunkWords, write_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from outcrop.model.stage_outcome import StageOutcome
    from outcrop.model.stored import StoredChunk
    from outcrop.store.database import Connection

# Column -> the type its values are sent as, and how to make one of a fact's values.
_TEXT = ("text", lambda value: clean_text(str(value)))
_COLUMNS: Mapping[str, tuple[str, Any]] = {
    "content": _TEXT,
    "content_raw": _TEXT,
    "content_hash": _TEXT,
    "token_count": ("int", int),
    "lang_detected": _TEXT,
    "used_objects": ("jsonb", to_json),
    "explain_md": _TEXT,
    "explain_quality": ("jsonb", to_json),
    "search_hash": _TEXT,
    "indexable": ("bool", bool),
    "emb": ("vector", vector_literal),
    "embed_model": _TEXT,
    "uses_md": _TEXT,
    "used_by_md": _TEXT,
    "relations": ("jsonb", to_json),
}
_SPANS = {
    "span_lines": ("int4range", "start_line", "end_line", "[{},{}]"),
    "span_chars": ("int8range", "start_offset", "end_offset", "[{},{})"),
}
_LOCK_DOCUMENTS = """
SELECT FROM documents WHERE id = ANY(%s) ORDER BY id FOR UPDATE
"""
_STILL = """
SELECT c.id FROM chunks c
JOIN unnest(%s::text[], %s::text[]) AS given (id, content_key) ON c.id = given.id
WHERE c.pipeline ->> 'content_key' IS NOT DISTINCT FROM given.content_key
"""
# Sent as text: psycopg has no adapter for vectors, and JSON travels as text anyway.
_AS_TEXT = frozenset({"jsonb", "vector", "int4range", "int8range"})


def put_facts(
    connection: Connection, chunks: Sequence[StoredChunk], facts: Sequence[StageOutcome]
) -> int:
    """Write facts in the transaction of a connection; return of how many chunks.

    Args:
        connection: In a transaction.
        chunks: The chunks as the stage saw them.
        facts: What it found; those with an error are passed over.
    """
    known = {chunk.id: chunk for chunk in chunks}
    good = [f for f in facts if not f.error and f.chunk_id in known]
    if not good:
        return 0
    documents = sorted({known[fact.chunk_id].document_id for fact in good})
    connection.execute(_LOCK_DOCUMENTS, (documents,))
    ids = [fact.chunk_id for fact in good]
    keys = [known[chunk_id].pipeline.get("content_key") for chunk_id in ids]
    still = {row[0] for row in connection.execute(_STILL, (ids, keys))}
    good = [fact for fact in good if fact.chunk_id in still]
    groups: dict[tuple[str, ...], list[StageOutcome]] = {}
    for fact in good:
        groups.setdefault(tuple(fact.values), []).append(fact)
    for names, group in groups.items():
        _update(connection, names, group)
    _put_words(connection, known, good)
    _put_mentions(connection, good)
    return len(good)


def _update(
    connection: Connection, names: Sequence[str], facts: Sequence[StageOutcome]
) -> None:
    columns: dict[str, str] = {}
    arrays: list[list[Any]] = [[fact.chunk_id for fact in facts]]
    for name, (kind, make) in _COLUMNS.items():
        if name in names:
            columns[name] = kind
            values = [fact.values.get(name) for fact in facts]
            arrays.append([None if v is None else make(v) for v in values])
    for name, (kind, first, last, form) in _SPANS.items():
        if first in names and last in names:
            columns[name] = kind
            arrays.append(
                [form.format(f.values.get(first), f.values.get(last)) for f in facts]
            )
    if columns:
        connection.execute(_update_statement(columns), arrays)


def _update_statement(columns: Mapping[str, str]) -> bytes:
    """Return the statement that sets some columns; all names are from the tables."""
    sent = ["text", *("text" if k in _AS_TEXT else k for k in columns.values())]
    sets = [f"{name} = s.{name}::{kind}" for name, kind in columns.items()]
    if "content" in columns:
        sets += ["freshness_at = now()", "updated_at = now()"]
    if "emb" in columns:
        sets.append("embed_ts = now()")
    given = ", ".join(f"%s::{kind}[]" for kind in sent)
    names = ", ".join(["id", *columns])
    return (
        f"UPDATE chunks c SET {', '.join(sets)} "  # noqa: S608 - names of columns
        f"FROM unnest({given}) AS s ({names}) WHERE c.id = s.id"
    ).encode()


def _put_words(
    connection: Connection,
    known: Mapping[str, StoredChunk],
    facts: Sequence[StageOutcome],
) -> None:
    worded = [fact for fact in facts if "terms" in fact.values]
    if worded:
        added = [
            ChunkWords(f.chunk_id, known[f.chunk_id].document_id, f.values["terms"])
            for f in worded
        ]
        write_words(connection, gone=[f.chunk_id for f in worded], added=added)


def _put_mentions(connection: Connection, facts: Sequence[StageOutcome]) -> None:
    looked = [fact for fact in facts if fact.mentions is not None]
    if looked:
        edges = [edge for fact in looked for edge in fact.mentions or ()]
        put_mentions(connection, edges, [fact.chunk_id for fact in looked])
