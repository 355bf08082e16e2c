"""Trees for tests: how one is made, read at a glance, and checked."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

from outcrop import ChunkConfig, HierarchicalChunkingResult, MarkdownChunker
from promises import read_truth

GUIDE = """\
# Guide

## Setup

Install it first.

### Linux

Use the package.

### Windows

Use the installer.

## Usage

Run it.
"""


def tree_of(text: str, **config: Any) -> HierarchicalChunkingResult:
    """The tree of a text, cut with the settings given."""
    return MarkdownChunker(ChunkConfig(**config)).chunk_hierarchical(text)


def shape(tree: HierarchicalChunkingResult, chunk_id: str | None = None) -> Any:
    """The tree as nested pairs of a node's last title and its children."""
    chunk = tree.get_chunk(chunk_id or tree.root_id)
    assert chunk
    title = chunk.metadata["headers"][-1] if chunk.metadata["headers"] else "-"
    children = [shape(tree, child) for child in chunk.metadata["children_ids"]]
    return (title, children) if children else title


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
        # Only front matter is a leaf that is not searched.
        if chunk.metadata["indexable"] == bool(children):
            assert not children
            _, end, tag = read_truth(text).atomic[0]
            assert tag == "MetadataBlock"
            assert chunk.end_offset <= end
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
