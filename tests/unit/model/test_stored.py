"""Ids of documents and chunks."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from outcrop.model.stored import document_id, store_id


@given(st.text(st.characters(codec="utf-8")), st.text(st.characters(codec="utf-8")))
def test_ids_are_16_hexadecimal_digits(path: str, chunk_id: str) -> None:
    assert re.fullmatch("[0-9a-f]{16}", document_id(path))
    assert re.fullmatch("[0-9a-f]{16}", store_id(path, chunk_id))


def test_ids_never_change() -> None:
    # Stored ids must be found again by every later version.
    assert document_id("docs/a.md") == "ad311d9dab800abe"
    assert store_id("docs/a.md", "0011aabb") == "05498b279ac6bac6"


def test_path_and_chunk_id_are_told_apart() -> None:
    assert store_id("ab", "c") != store_id("a", "bc")
