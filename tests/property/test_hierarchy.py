from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from markdown_text import documents
from test_promises import configs

from outcrop import ChunkConfig, MarkdownChunker
from trees import check_tree

_SETTINGS = settings(
    max_examples=150, deadline=None, suppress_health_check=list(HealthCheck)
)


@given(documents(), configs())
@_SETTINGS
def test_hostile_documents_make_one_tree(text: str, config: ChunkConfig) -> None:
    check_tree(text, MarkdownChunker(config).chunk_hierarchical(text))
