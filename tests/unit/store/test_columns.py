"""The table of a chunk's columns, and what is derived from it."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from outcrop.model.stored import OWN_LINE, HitChunk, StoredChunk
from outcrop.store.columns import (
    COLUMNS,
    COPY_COLUMNS,
    SHOWN_COLUMNS,
    Writer,
    pack_chunk,
    unpack_hit_chunk,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)
DOCUMENT = StoredChunk(
    path="a.md", chunk_id="1", source="doc", content="text", chunk_index=0
)
CODE = StoredChunk(
    path="src/a.py",
    chunk_id="2",
    source="code",
    content="def f(): pass",
    chunk_index=3,
    kind="snippet",
    start_line=1,
    end_line=2,
    start_offset=0,
    end_offset=13,
    title="f",
    section_path=("a", "f"),
    level=1,
    node_id="n",
    relations=[{"kind": "CALLS"}],
    pipeline={"done": ["embed"]},
    metadata={"part": 0},
    uses_md="uses g",
    explain_quality={"model": "m"},
    emb=np.ones(3, np.float32),
    embed_model="m",
)


def _row(chunk: StoredChunk) -> dict[str, Any]:
    return dict(zip(COPY_COLUMNS, pack_chunk(chunk, saved_at=NOW), strict=True))


def test_every_field_of_a_chunk_is_read_or_never_read_back() -> None:
    never = {column.name for column in COLUMNS if column.read == "never"}
    read = {name for column in COLUMNS for name in column.fields} - never
    unread = {each.name for each in fields(StoredChunk)} - read
    assert unread == {"emb", "terms"}, "list the columns of these in store/columns.py"


def test_the_columns_that_are_hashed_come_first() -> None:
    writers = [column.writer for column in COLUMNS if column.type][2:]
    order = list(Writer)
    assert writers == sorted(writers, key=order.index), (
        "list columns of the indexer before those of the stages, and these before those "
        "of the store"
    )


def test_values_are_sent_under_the_names_of_their_columns() -> None:
    row = _row(CODE)
    for name in ("chunk_id", "document_id", "source", "content", "title", "uses_md"):
        assert row[name] == getattr(CODE, name)
    assert row["id"] == CODE.id
    assert row["embed_ts"] == NOW


@pytest.mark.parametrize(
    ("chunk", "expected"),
    [(DOCUMENT, 6531261893900703629), (CODE, 2170158774595447790)],
)
def test_the_hash_of_a_row_is_that_of_earlier_versions(
    chunk: StoredChunk, expected: int
) -> None:
    assert _row(chunk)["row_hash"] == expected, (
        "every stored row would be written again. A new column of the indexer needs that: "
        "update these values"
    )


@pytest.mark.parametrize(
    ("values", "is_same"),
    [
        ({"title": "g"}, False),
        ({"explain_quality": {"model": "other"}}, False),
        ({"emb": None}, True),
        ({"embed_model": "other"}, True),
    ],
)
def test_the_hash_covers_all_but_the_embedding(
    values: dict[str, Any], *, is_same: bool
) -> None:
    assert (_row(CODE)["row_hash"] == _row(replace(CODE, **values))["row_hash"]) == (
        is_same
    )


def test_a_chunk_without_a_vector_has_no_model_either() -> None:
    row = _row(replace(CODE, emb=None))
    assert (row["emb"], row["embed_model"], row["embed_ts"]) == (None, None, None)


def test_the_time_of_an_embedding_is_kept() -> None:
    earlier = datetime(2025, 1, 1, tzinfo=UTC)
    assert _row(replace(CODE, embed_ts=earlier))["embed_ts"] == earlier


@pytest.mark.parametrize(
    "chunk",
    [
        DOCUMENT,
        CODE,
        replace(CODE, kind="explanation", content_raw="def g(): ..."),
        replace(DOCUMENT, start_line=3, metadata={OWN_LINE: 5}),
    ],
)
def test_a_hit_reads_what_it_shows_of_a_chunk(chunk: StoredChunk) -> None:
    names = HitChunk._fields
    assert len(SHOWN_COLUMNS.split(", ")) == len(names)
    row = [getattr(chunk, name) for name in names]
    row[names.index("metadata")] = json.dumps(chunk.metadata)
    shown = unpack_hit_chunk(row)
    derived = ("id", "document_id", "is_rendered", "text", "own_line")
    for name in (*names, *derived):
        assert getattr(shown, name) == getattr(chunk, name)


def test_the_fields_of_a_shown_chunk_are_in_the_order_of_the_columns() -> None:
    read = [column for column in COLUMNS if column.read == "hit"]
    assert [*HitChunk._fields] == [name for each in read for name in each.fields]
