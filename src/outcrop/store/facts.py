"""What stages found out, written to the chunks it concerns.

A chunk that was planned again meanwhile is left alone: the facts are about a text that
is no more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outcrop.store._text import clean_text, to_json
from outcrop.store.bulk import lock_documents
from outcrop.store.columns import STAGE_COLUMNS
from outcrop.store.graph import put_mentions
from outcrop.store.lexical.write import ChunkWords, write_words
from outcrop.store.packing import vector_literal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from outcrop.model.stored import StoredChunk
    from outcrop.planning.facts import Facts
    from outcrop.store.columns import Column
    from outcrop.store.database import Connection

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
_STILL = """
SELECT c.id FROM chunks c
JOIN unnest(%s::text[], %s::text[]) AS given (id, content_key) ON c.id = given.id
WHERE c.pipeline ->> 'content_key' IS NOT DISTINCT FROM given.content_key
"""


def put_facts(
    connection: Connection, chunks: Sequence[StoredChunk], facts: Sequence[Facts]
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
    lock_documents(connection, {known[f.chunk_id].document_id for f in good})
    ids = [fact.chunk_id for fact in good]
    keys = [known[chunk_id].pipeline.get("content_key") for chunk_id in ids]
    still = {row[0] for row in connection.execute(_STILL, (ids, keys))}
    good = [fact for fact in good if fact.chunk_id in still]
    groups: dict[tuple[str, ...], list[Facts]] = {}
    for fact in good:
        groups.setdefault(tuple(fact.values), []).append(fact)
    for names, group in groups.items():
        _update(connection, names, group)
    _put_words(connection, known, good)
    _put_mentions(connection, good)
    return len(good)


def _update(
    connection: Connection, names: Sequence[str], facts: Sequence[Facts]
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


def _update_statement(columns: Sequence[Column]) -> bytes:
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
    ).encode()


def _put_words(
    connection: Connection, known: Mapping[str, StoredChunk], facts: Sequence[Facts]
) -> None:
    worded = [fact for fact in facts if "terms" in fact.values]
    if worded:
        added = [
            ChunkWords(f.chunk_id, known[f.chunk_id].document_id, f.values["terms"])
            for f in worded
        ]
        write_words(connection, gone=[f.chunk_id for f in worded], added=added)


def _put_mentions(connection: Connection, facts: Sequence[Facts]) -> None:
    looked = [fact for fact in facts if fact.mentions is not None]
    if looked:
        edges = [edge for fact in looked for edge in fact.mentions or ()]
        put_mentions(connection, edges, [fact.chunk_id for fact in looked])
