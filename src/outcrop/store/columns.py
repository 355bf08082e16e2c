"""The columns of a chunk: one table that all reading and writing is derived from.

A new column is one line in `COLUMNS`, a migration, and a field of `StoredChunk`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal

import orjson

from outcrop.model.stored import HitChunk, StoredChunk
from outcrop.store.packing import (
    clean_row,
    hash_row,
    pack_json,
    pack_lines,
    pack_offsets,
    pack_texts,
    pack_vector,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime


class Writer(StrEnum):
    """Who writes a column.

    The indexer's columns are what `row_hash` is computed from. What stages write
    survives a new version of a document in which the chunk's text is the same.
    """

    INDEXER = "indexer"
    STAGE = "stage"
    STORE = "store"


# The value of a column after an update: `c` is the stored row, `s` the new one.

_SAME_TEXT = "c.search_hash IS NOT DISTINCT FROM s.search_hash"
_SAME_LINKS = "c.pipeline -> 'links_key' = s.pipeline -> 'links_key'"


def _new(name: str) -> str:
    return f"s.{name}"


def _kept_with_text(name: str) -> str:
    kept = f"coalesce(s.{name}, c.{name})"
    return f"CASE WHEN {_SAME_TEXT} THEN {kept} ELSE s.{name} END"


def _kept_with_prose(name: str) -> str:
    """Return the rule for relations; those of code are all known to the indexer."""
    kept = f"coalesce(s.{name}, c.{name})"
    same = f"{_SAME_TEXT} AND s.source <> 'code'"
    return f"CASE WHEN {same} THEN {kept} ELSE s.{name} END"


def _kept_if_empty(name: str) -> str:
    same = f"{_SAME_TEXT} AND s.{name} = '{{}}'"
    return f"CASE WHEN {same} THEN c.{name} ELSE s.{name} END"


def _kept_with_links(name: str) -> str:
    return f"CASE WHEN {_SAME_LINKS} THEN c.{name} ELSE s.{name} END"


def _done_but_links(name: str) -> str:
    """Return the rule for `pipeline`: the stages that are done stay done."""
    done = f"coalesce(c.{name} -> 'done', '[]')"
    return f"""s.{name} || jsonb_build_object('done', CASE WHEN {_SAME_LINKS}
        THEN {done} ELSE {done} - 'link-edges' END)"""


def _time_of_text(name: str) -> str:
    return f"CASE WHEN {_SAME_TEXT} THEN c.{name} ELSE now() END"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table `chunks`.

    Attributes:
        name: Its name, and that of the attribute of `StoredChunk` it is written from.
        type: The type it is sent as by COPY: `bytea` where `pack` makes the bytes that
            PostgreSQL expects; None where it is not sent.
        pack: Makes the value that is sent from the attribute's.
        writer: Who writes it.
        read_as: The fields of `StoredChunk` it is read into, and how each is read, where
            that is not one field of the same name.
        read: Whether it is read for hits too, for whole chunks alone, or never.
        stage: Its SQL type where stages write it; empty where none does.
        update: Its value when a document is replaced and the chunk is stored already;
            None where it stays.
        move: Its value when a plan moves the chunk but leaves its content alone; None
            where it stays.
    """

    name: str
    type: str | None = "text"
    pack: Callable[[Any], Any] | None = None
    writer: Writer = Writer.INDEXER
    read_as: Mapping[str, str] = field(default_factory=dict)
    read: Literal["hit", "chunk", "never"] = "chunk"
    stage: str = ""
    update: Callable[[str], str] | None = _new
    move: Callable[[str], str] | None = None

    @property
    def fields(self) -> Mapping[str, str]:
        """The fields of `StoredChunk` it is read into, and how each is read."""
        return self.read_as or {self.name: f"c.{self.name}"}

    def value_in(self, values: Mapping[str, Any]) -> Any:
        """Return its value where a stage gives its fields."""
        if not self.read_as:
            return values.get(self.name)
        return tuple(values.get(name) for name in self.read_as)


_LINES = {"start_line": "lower(c.span_lines)", "end_line": "upper(c.span_lines) - 1"}
_CHARS = {"start_offset": "lower(c.span_chars)", "end_offset": "upper(c.span_chars)"}

# A row's values are sent in this order, and hashed up to the first that a stage writes.
COLUMNS = (
    Column("id", writer=Writer.STORE, read="never", update=None),
    Column("row_hash", "int8", writer=Writer.STORE, read="never", move=_new),
    Column("chunk_id", read="hit"),
    Column("document_id", read_as={"path": "d.path"}, read="hit"),
    Column("application_id", move=_new),
    Column("node_id", read="hit", move=_new),
    Column("source", read="hit"),
    Column("kind", read="hit"),
    Column("lang_detected", stage="text"),
    Column("content_raw", read="hit", stage="text"),
    Column("content", read="hit", stage="text"),
    Column("prefix", read="hit"),
    Column("suffix", read="hit"),
    Column("content_hash", stage="text"),
    Column("search_hash", stage="text"),
    Column("token_count", "int4", read="hit", stage="int"),
    Column("place", "int4", read="hit", move=_new),
    Column("span_lines", "bytea", pack_lines, read_as=_LINES, read="hit", stage="int4range", move=_new),
    Column("span_chars", "bytea", pack_offsets, read_as=_CHARS, read="hit", stage="int8range", move=_new),
    Column("title", move=_new),
    Column("section_path", "bytea", pack_texts, read="hit", move=_new),
    Column("header_level", "int4"),
    Column("level", "int4", read="hit"),
    Column("parent_id"),
    Column("is_leaf", "bool"),
    Column("indexable", "bool", stage="bool"),
    Column("relations", "bytea", pack_json, stage="jsonb", move=_kept_with_links),
    Column("used_objects", "bytea", pack_json, stage="jsonb"),
    Column("pipeline", "bytea", pack_json, move=_done_but_links),
    Column("metadata", "bytea", pack_json, read="hit", move=_new),
    Column("freshness_at", "timestamptz", move=_new),
    Column("rank_boost", "float4"),
    Column("uses_md", writer=Writer.STAGE, read="hit", stage="text", update=_kept_with_prose),
    Column("used_by_md", writer=Writer.STAGE, read="hit", stage="text", update=_kept_with_prose),
    Column("explain_md", writer=Writer.STAGE, read="hit", stage="text", update=_kept_with_text),
    Column("explain_quality", "bytea", pack_json, writer=Writer.STAGE, stage="jsonb", update=_kept_if_empty),
    Column("emb", "bytea", writer=Writer.STAGE, read="never", stage="vector", update=_kept_with_text),
    Column("embed_model", writer=Writer.STAGE, stage="text", update=_kept_with_text),
    Column("embed_ts", "timestamptz", writer=Writer.STAGE, update=_kept_with_text),
    Column("chunk_index", "int4", writer=Writer.STORE, move=_new),
    Column("created_at", None, writer=Writer.STORE, update=None),
    Column("updated_at", None, writer=Writer.STORE, update=_time_of_text),
)  # fmt: skip

COPY_COLUMNS = {column.name: column.type for column in COLUMNS if column.type}
STAGE_COLUMNS = [column for column in COLUMNS if column.stage]


def _statement(rules: Mapping[str, Callable[[str], str] | None]) -> str:
    """Return the statement that updates chunks from the rows in `chunks_stage`."""
    sets = [f"{name} = {rule(name)}" for name, rule in rules.items() if rule]
    return (
        f"UPDATE chunks c SET {', '.join(sets)} "  # noqa: S608 - names of columns
        "FROM chunks_stage s WHERE c.id = s.id"
    )


UPDATE_FROM_STAGE = _statement({column.name: column.update for column in COLUMNS})
MOVE_FROM_STAGE = _statement({column.name: column.move for column in COLUMNS})


def _readings(*read: str) -> dict[str, str]:
    columns = [column for column in COLUMNS if column.read in read]
    return {name: how for column in columns for name, how in column.fields.items()}


_OF_HIT = _readings("hit")
_METADATA, _SECTION_PATH = map([*_OF_HIT].index, ("metadata", "section_path"))
_OF_CHUNK = _readings("hit", "chunk")
# Metadata as text: hits show strings of it alone, so that a fast parser may read it.
SHOWN_COLUMNS = ", ".join((_OF_HIT | {"metadata": "c.metadata::text"}).values())
CHUNK_COLUMNS = ", ".join(_OF_CHUNK.values())

# The id and the hash are put before the others.
_SENT = [column for column in COLUMNS if column.type][2:]
_NAMES = [column.name for column in _SENT]
_values_of = attrgetter(*_NAMES)
_PACKED = [(at, column.pack) for at, column in enumerate(_SENT) if column.pack]
_HASHED = sum(column.writer is Writer.INDEXER for column in _SENT)
_QUALITY = _NAMES.index("explain_quality")
_EMB, _MODEL, _TIME = map(_NAMES.index, ("emb", "embed_model", "embed_ts"))
_FRESH = _NAMES.index("freshness_at")


def pack_chunk(chunk: StoredChunk, *, saved_at: datetime) -> tuple[Any, ...]:
    """Return a chunk's row for COPY, in the order of `COPY_COLUMNS`.

    Args:
        chunk: The chunk.
        saved_at: Now; also when it was embedded, if the chunk does not say.
    """
    values = list(_values_of(chunk))
    for at, pack in _PACKED:
        values[at] = pack(values[at])
    if chunk.emb is None:
        values[_MODEL] = values[_TIME] = None
    else:
        values[_EMB] = pack_vector(chunk.emb)
        values[_TIME] = chunk.embed_ts or saved_at
    # Of code the indexer writes the explanations too; of documents it writes none.
    explained = any(values[_HASHED:_QUALITY])
    hashed = values[: _QUALITY + 1 if explained else _HASHED]
    digest = hash_row(tuple(hashed))
    values[_FRESH] = chunk.freshness_at or saved_at
    return clean_row((chunk.id, digest, *values))


def unpack_chunk(row: Sequence[Any]) -> StoredChunk:
    """Turn a row of `CHUNK_COLUMNS` into a chunk."""
    values = dict(zip(_OF_CHUNK, row, strict=True))
    values["section_path"] = tuple(values["section_path"])
    return StoredChunk(**values)


def unpack_hit_chunk(row: Sequence[Any]) -> HitChunk:
    """Turn a row of `SHOWN_COLUMNS` into a chunk as a hit shows it."""
    values = [*row]
    values[_METADATA] = orjson.loads(values[_METADATA])
    values[_SECTION_PATH] = tuple(values[_SECTION_PATH])
    return HitChunk._make(values)
