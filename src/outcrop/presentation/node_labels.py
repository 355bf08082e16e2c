"""Titles and sizes of the nodes of a document's tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outcrop.chunking.hierarchy import HierarchicalChunkingResult
    from outcrop.model.chunk import Chunk

NO_HEADING = "(no heading)"
OWN_TEXT = "(its own text)"
UNTITLED = "(untitled)"


def node_title(tree: HierarchicalChunkingResult, node: Chunk) -> str:
    """Return the heading of a node, or its role if its parent shows the heading.

    A section that had to be split is several leaves under one heading: its parts are
    numbered.
    """
    headers = node.metadata["headers"]
    parent = tree.get_parent(node.chunk_id)
    title = (headers[-1] or UNTITLED) if headers else NO_HEADING
    if headers and parent and _is_own_text(node, parent):
        title = OWN_TEXT
    part = node.metadata.get("split_index")
    return title if part is None else f"{title}, part {part + 1}"


def _is_own_text(node: Chunk, parent: Chunk) -> bool:
    """Whether a leaf is the text that a section has before its subsections."""
    return (
        node.metadata["is_leaf"]
        and not parent.metadata.get("is_root")
        and node.metadata["headers"] == parent.metadata["headers"]
    )


def node_size(node: Chunk) -> int:
    """Return the characters of a chunk, or of the whole section of a node."""
    if node.metadata["is_leaf"]:
        return len(node.content)
    return node.end_offset - node.start_offset
