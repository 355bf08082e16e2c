"""What stages found out, written to the chunks that it is about.

A chunk that was planned again meanwhile is skipped: the results are about a text that no
longer exists.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outcrop.store._text import clean_text, to_json
from outcrop.store.bulk import lock_documents
from outcrop.store.columns import STAGE_COLUMNS
from outcrop.store.connected import ConnectedStore
from outcrop.store.lexical.write import ChunkWords, write_words
from outcrop.store.mentions import replace_mentions
from outcrop.store.packing import vector_literal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from outcrop.model.stage_outcome import StageOutcome
    from outcrop.model.stored import StoredChunk
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
_UNCHANGED = """
SELECT c.id FROM chunks c
JOIN unnest(%s::text[], %s::text[]) AS given (id, content_key) ON c.id = given.id
WHERE c.pipeline ->> 'content_key' IS NOT DISTINCT FROM given.content_key
"""


class StageResults(ConnectedStore):
    """The results of stages."""

    def put_facts(
        self,
        connection: Connection,
        chunks: Sequence[StoredChunk],
        facts: Sequence[StageOutcome],
    ) -> int:
        """Write the results of a stage; return the number of chunks written.

        Args:
            connection: In a transaction of the caller's, who records with it that the
                stage is done.
            chunks: The chunks as the stage saw them.
            facts: The results; those with an error are skipped.
        """
        by_id = {chunk.id: chunk for chunk in chunks}
        good = [fact for fact in facts if not fact.error and fact.chunk_id in by_id]
        if not good:
            return 0
        lock_documents(connection, {by_id[fact.chunk_id].document_id for fact in good})
        good = _about_stored_text(connection, by_id, good)
        groups: dict[tuple[str, ...], list[StageOutcome]] = {}
        for fact in good:
            groups.setdefault(tuple(fact.values), []).append(fact)
        for names, group in groups.items():
            _update(connection, names, group)
        _put_words(connection, by_id, good)
        _put_mentions(connection, good)
        return len(good)


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
