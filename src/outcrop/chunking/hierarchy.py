"""A document's chunks as a tree, and how to navigate it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from outcrop.errors import InputError

if TYPE_CHECKING:
    from outcrop.model.chunk import Chunk

_MAX_PREVIEW_CHARS = 100
_UNTITLED = "(untitled)"


class ChunkLevel(IntEnum):
    """The level of a chunk in the tree."""

    DOCUMENT = 0
    SECTION = 1  # under an H1
    SUBSECTION = 2  # under an H2
    PARAGRAPH = 3  # under an H3 or deeper, or under no heading at all


@dataclass(frozen=True, slots=True)
class HierarchicalChunkingResult:
    """The tree of one document.

    Inner nodes are sections, leaves are chunks with all the promises of chunking. Nodes
    refer to each other by id, so that everything can be written as JSON.

    Attributes:
        chunks: All nodes in document order, the root first; empty for a blank text.
        root_id: Id of the root, or an empty string.
        strategy_used: Name of the strategy that cut the leaves.
        headings: Depth and title of every heading, for the table of contents.
    """

    chunks: list[Chunk]
    root_id: str
    strategy_used: str
    headings: list[tuple[int, str]] = field(default_factory=list, repr=False)
    _index: dict[str, Chunk] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._index.update((c.metadata["chunk_id"], c) for c in self.chunks)

    def get_chunk(self, chunk_id: str) -> Chunk | None:
        """The node with an id, or None."""
        return self._index.get(chunk_id)

    def get_children(
        self, chunk_id: str, limit: int | None = None, offset: int = 0
    ) -> list[Chunk]:
        """The children of a node in document order; none for an unknown id.

        Args:
            chunk_id: The node.
            limit: Maximum number of children; all by default.
            offset: How many to skip.

        Raises:
            InputError: The limit or the offset is negative.
        """
        for name, value in (("limit", limit or 0), ("offset", offset)):
            if value < 0:
                raise InputError(f"{name} is {value!r}, but it must be at least 0")
        chunk = self.get_chunk(chunk_id)
        if chunk is None:
            return []
        ids = chunk.metadata["children_ids"]
        end = None if limit is None else offset + limit
        return [self._index[child] for child in ids[offset:end]]

    def get_parent(self, chunk_id: str) -> Chunk | None:
        """The parent of a node; None for the root and for an unknown id."""
        chunk = self.get_chunk(chunk_id)
        if chunk is None or chunk.metadata["parent_id"] is None:
            return None
        return self._index[chunk.metadata["parent_id"]]

    def get_ancestors(self, chunk_id: str) -> list[Chunk]:
        """The parent, its parent and so on up to the root."""
        ancestors: list[Chunk] = []
        parent = self.get_parent(chunk_id)
        while parent is not None:
            ancestors.append(parent)
            parent = self.get_parent(parent.chunk_id)
        return ancestors

    def get_siblings(self, chunk_id: str) -> list[Chunk]:
        """All children of a node's parent, the node itself among them."""
        parent = self.get_parent(chunk_id)
        if parent is not None:
            return self.get_children(parent.chunk_id)
        chunk = self.get_chunk(chunk_id)
        return [] if chunk is None else [chunk]

    def get_flat_chunks(self) -> list[Chunk]:
        """The leaves: together they hold every character of the document once."""
        return [chunk for chunk in self.chunks if chunk.metadata["is_leaf"]]

    def get_by_level(self, level: int) -> list[Chunk]:
        """The nodes of a `ChunkLevel`."""
        return [c for c in self.chunks if c.metadata["hierarchy_level"] == level]

    def breadcrumb(self, chunk_id: str) -> str:
        """The way from the document's title down to a node: `Guide > Setup > Linux`."""
        chunk = self.get_chunk(chunk_id)
        if chunk is None:
            return ""
        root = self._index[self.root_id]
        return " > ".join(chunk.metadata["headers"] or root.metadata["headers"])

    def outline(self) -> str:
        """A table of contents as a nested Markdown list."""
        return "\n".join(
            f"{'  ' * depth}- {title or _UNTITLED}" for depth, title in self.headings
        )

    def to_tree_dict(self) -> dict[str, Any]:
        """The tree as nested dictionaries, children inside their parents."""
        return self._tree(self.root_id) if self.root_id else {}

    def _tree(self, chunk_id: str) -> dict[str, Any]:
        chunk = self._index[chunk_id]
        content = chunk.content
        return {
            "id": chunk_id,
            "content_preview": content
            if len(content) <= _MAX_PREVIEW_CHARS
            else content[:_MAX_PREVIEW_CHARS] + "...",
            "header_path": chunk.metadata["header_path"],
            "level": chunk.metadata["hierarchy_level"],
            "start_line": chunk.start_line,
            "end_line": chunk.end_line,
            "is_leaf": chunk.metadata["is_leaf"],
            # A tree is at most eight levels deep: the root, six headings, a leaf.
            "children": [self._tree(child) for child in chunk.metadata["children_ids"]],
        }
