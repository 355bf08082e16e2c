"""Chunks made in C, against the methods in Python that say what they are."""

from __future__ import annotations

from unittest.mock import patch

import pytest

from fuzz.readers import chunk_facts
from fuzz.seeds import spec_examples
from outcrop import MarkdownChunker
from outcrop.chunking import metadata
from outcrop.model.chunk import Chunk

needs_native = pytest.mark.skipif(
    metadata.MAKE_NATIVELY is None, reason="not built: python hatch_build.py"
)
SHAPES = (
    "# A\n\ntext\n\n## B\n\nmore\n",
    "é\u3000ü\n\n\u2003# no heading\n\n# Ö\n\n\u2028x\u00a0\n",
    "\ud800 alone\n\n# T \udc00\n\ntext\n",
    "\ufeff# Mark\n\ntext\n",
    "one\n\n\n\n   two\n\n\tthree\n",
    "# A\n\nsame\n\n# A\n\nsame\n\n# A\n\nsame\n",
    "# A\n\n```py\na = 1\n\nb = 2\n```\n\n| a |\n|---|\n| b |\n\n    c\n",
    "---\ntitle: Ж\n---\n\ntext 😀 " + "word " * 60,
    "# A\n## B\n### C\n\n" + "Sentence one. Sentence two.\n" * 20,
    "a\rb\r\nc\n" * 30,
    "text " + " " * 300 + "text" + "\n" * 300 + "end",
)


@needs_native
@pytest.mark.parametrize("limit", [1, 7, 60, 400])
@pytest.mark.parametrize("text", SHAPES)
def test_chunks_made_in_c_equal_those_made_in_python(text, limit):
    fast = chunk_facts(text, limit)
    with patch.object(metadata, "MAKE_NATIVELY", None):
        assert chunk_facts(text, limit) == fast


@needs_native
def test_the_examples_of_the_specifications_give_equal_chunks():
    for lines in spec_examples():
        text = "".join(lines)
        fast = chunk_facts(text, 30)
        with patch.object(metadata, "MAKE_NATIVELY", None):
            assert chunk_facts(text, 30) == fast


def test_a_chunk_shares_no_field_with_another():
    """Callers may change what they get."""
    first, second = MarkdownChunker().chunk("# A\n\n" + "word " * 900)[:2]
    for name in ("headers", "section_tags", "boundary"):
        assert first.metadata[name] is not second.metadata[name]


@needs_native
def test_a_draft_without_blocks_is_an_error():
    class Draft:
        first, stop, start, end = 1, 2, 0, 4
        prefix = suffix = ""

    with pytest.raises(IndexError, match="blocks of its text"):
        metadata.MAKE_NATIVELY(
            [Draft], "text", b"\1", [], [], {}, Chunk, str, str, str, bytes.hex
        )
