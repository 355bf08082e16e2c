"""Trees for tests: how one is made, and how it is read at a glance."""

from __future__ import annotations

from typing import Any

from outcrop import ChunkConfig, HierarchicalChunkingResult, MarkdownChunker

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
