"""Chunks made in C are those that the methods in Python make."""

from __future__ import annotations

from unittest.mock import patch

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_text import any_text, documents

from fuzz.readers import chunk_facts
from outcrop.chunking import metadata


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.one_of(documents(), any_text()), st.sampled_from([1, 20, 100, 1000]))
def test_chunks_made_in_c_equal_those_made_in_python(text, limit):
    fast = chunk_facts(text, limit)
    with patch.object(metadata, "MAKE_NATIVELY", None):
        assert chunk_facts(text, limit) == fast
