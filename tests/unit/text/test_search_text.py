"""The text of a chunk that is embedded."""

from __future__ import annotations

import pytest

from outcrop.model.stored import StoredChunk
from outcrop.text.search_text import embedded_text, search_text


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"source": "doc", "section_path": ("A", "B")}, "A > B\ntext"),
        ({"source": "doc", "title": "A"}, "text"),
        ({"source": "code", "title": "a.b", "section_path": ("A",)}, "a.b\ntext"),
        ({"source": "code"}, "text"),
        ({"source": "doc", "node_id": "1", "title": "a.b"}, "a.b\ntext"),
    ],
)
def test_the_embedded_text_is_that_of_the_search_text(values, expected):
    chunk = StoredChunk(
        path="a.md", chunk_id="1", kind="x", content="text", chunk_index=0, **values
    )
    assert embedded_text(chunk) == search_text(chunk).embedded == expected
