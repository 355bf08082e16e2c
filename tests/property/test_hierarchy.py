from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings
from markdown_text import documents
from test_promises import configs

from outcrop import ChunkConfig, MarkdownChunker

if TYPE_CHECKING:
    from outcrop import HierarchicalChunkingResult

_SETTINGS = settings(
    max_examples=150, deadline=None, suppress_health_check=list(HealthCheck)
)


def check_tree(text: str, tree: HierarchicalChunkingResult) -> None:
    """Assert what every tree has to keep."""
    if not text.strip():
        assert tree.chunks == []
        return
    ids = [chunk.chunk_id for chunk in tree.chunks]
    assert len(set(ids)) == len(ids)
    roots = [c for c in tree.chunks if c.metadata["parent_id"] is None]
    assert [root.chunk_id for root in roots] == [tree.root_id]
    for chunk in tree.chunks:
        children = tree.get_children(chunk.chunk_id)
        assert chunk.metadata["is_leaf"] == (not children)
        assert chunk.metadata["indexable"] == (not children)
        for child in children:
            assert tree.get_parent(child.chunk_id) is chunk
            assert chunk.start_offset <= child.start_offset
            assert child.end_offset <= chunk.end_offset
        for before, after in pairwise(children):
            assert before.end_offset <= after.start_offset
            assert before.metadata["next_sibling_id"] == after.chunk_id
            assert after.metadata["prev_sibling_id"] == before.chunk_id
        if children:
            assert children[0].metadata["prev_sibling_id"] is None
            assert children[-1].metadata["next_sibling_id"] is None
        assert (chunk.metadata["hierarchy_level"] == 0) == (chunk is roots[0])
    done = 0
    for leaf in tree.get_flat_chunks():
        assert not text[done : leaf.start_offset].strip()
        own = text[leaf.start_offset : leaf.end_offset]
        assert leaf.content == leaf.prefix + own + leaf.suffix
        done = leaf.end_offset
    assert not text[done:].strip()
    json.dumps(tree.to_tree_dict())


@given(documents(), configs())
@_SETTINGS
def test_hostile_documents_make_one_tree(text: str, config: ChunkConfig) -> None:
    check_tree(text, MarkdownChunker(config).chunk_hierarchical(text))
