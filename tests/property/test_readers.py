"""The scanner in C and the walk over the parser's events see the same document."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_text import any_text, documents

from fuzz.readers import facts
from outcrop.markdown import parse


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.one_of(documents(), any_text()))
def test_both_readers_see_the_same_document(text):
    assert facts(parse(text)) == facts(parse(text, scanner=None))
