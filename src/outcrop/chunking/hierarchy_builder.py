"""Building the tree of a document over its chunks.

Sections with subsections become inner nodes; a section's own text is their first child.
Every chunk is placed by the section of its first text, looked up in the parsed document,
so that titles may repeat and levels may be skipped. One pass over the chunks, with work
bounded by the six levels of heading.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from outcrop.chunking.hierarchy import ChunkLevel, HierarchicalChunkingResult
from outcrop.chunking.metadata import ChunkIds
from outcrop.chunking.summary import opening_text
from outcrop.markdown import Document, Kind, parse
from outcrop.model.chunk import Chunk

if TYPE_CHECKING:
    from collections.abc import Sequence

_ROOT = -1
_HEADING = int(Kind.HEADING)
_UNTITLED = "Document"


class HierarchyBuilder:
    """Joins chunks of one document into a tree under one root."""

    def __init__(self, include_document_summary: bool = True) -> None:  # noqa: FBT001, FBT002 - the name is the contract's
        self.include_document_summary = include_document_summary

    def build(
        self,
        chunks: Sequence[Chunk],
        original_text: str,
        document: Document | None = None,
    ) -> HierarchicalChunkingResult:
        """Build the tree.

        Args:
            chunks: The leaves, in order, cut from `original_text`.
            original_text: The whole text.
            document: The parsed text, where it is at hand.

        Returns:
            The tree; empty where there are no chunks.
        """
        if not chunks:
            return HierarchicalChunkingResult([], "", "none")
        tree = _Tree(document or parse(original_text), chunks)
        return tree.build(with_summary=self.include_document_summary)


class _Node:
    """A node in the making."""

    __slots__ = ("children", "first_leaf", "last_leaf", "leaf", "section")

    def __init__(self, section: int, leaf: Chunk, *, is_leaf: bool) -> None:
        self.section = section
        self.leaf = leaf if is_leaf else None
        self.children: list[_Node] = []
        self.first_leaf = leaf
        self.last_leaf = leaf


class _Tree:
    def __init__(self, document: Document, chunks: Sequence[Chunk]) -> None:
        self._document = document
        self._chunks = chunks
        self._is_node = _Sections(document).is_node
        self._ids = ChunkIds()
        self._ids.reserve(chunk.chunk_id for chunk in chunks)

    def build(self, *, with_summary: bool) -> HierarchicalChunkingResult:
        root = self._grow()
        finished: list[Chunk] = []
        self._finish(root, None, finished, with_summary=with_summary)
        strategy = str(self._chunks[0].metadata.get("strategy", "none"))
        return HierarchicalChunkingResult(finished, finished[0].chunk_id, strategy)

    def _grow(self) -> _Node:
        """Hang every chunk under the innermost section that is a node."""
        root = _Node(_ROOT, self._chunks[0], is_leaf=False)
        nodes = {_ROOT: root}
        for chunk in self._chunks:
            section = self._section_of(chunk)
            parent = root
            root.last_leaf = chunk
            for outer in self._inner_path(section):
                node = nodes.get(outer)
                if node is None:
                    node = nodes[outer] = _Node(outer, chunk, is_leaf=False)
                    parent.children.append(node)
                node.last_leaf = chunk
                parent = node
            parent.children.append(_Node(section, chunk, is_leaf=True))
        return root

    def _section_of(self, chunk: Chunk) -> int:
        blocks = self._document.blocks
        block = bisect_right(blocks.starts, chunk.start_offset) - 1
        block = max(block, 0)
        while (
            block + 1 < len(blocks)
            and blocks.kinds[block] == _HEADING
            and blocks.starts[block + 1] < chunk.end_offset
        ):
            block += 1
        return self._document.section_of(block)

    def _inner_path(self, section: int) -> list[int]:
        """The sections that are nodes, from the outermost down to `section`."""
        path: list[int] = []
        while section >= 0:
            if self._is_node[section]:
                path.append(section)
            section = self._document.headings[section].parent
        path.reverse()
        return path

    def _finish(
        self,
        node: _Node,
        parent_id: str | None,
        finished: list[Chunk],
        *,
        with_summary: bool,
    ) -> str:
        """Append a node and what is below it; give its id."""
        place = len(finished)
        if node.leaf is not None:
            chunk = _as_leaf(node.leaf)
        elif node.section == _ROOT:
            chunk = self._root(node, with_summary=with_summary)
        else:
            chunk = self._inner_node(node)
        chunk.metadata["parent_id"] = parent_id
        finished.append(chunk)
        places: list[int] = []
        for child in node.children:
            places.append(len(finished))
            self._finish(child, chunk.chunk_id, finished, with_summary=with_summary)
        children = [finished[at] for at in places]
        finished[place].metadata["children_ids"] = [c.chunk_id for c in children]
        for before, after in pairwise(children):
            before.metadata["next_sibling_id"] = after.chunk_id
            after.metadata["prev_sibling_id"] = before.chunk_id
        return chunk.chunk_id

    def _inner_node(self, node: _Node) -> Chunk:
        document = self._document
        heading = document.headings[node.section]
        source = document.text[heading.start : heading.end]
        summary = opening_text(document, node.section)
        headers = document.path(node.section)
        content = f"{source}\n\n{summary}" if summary else source
        return self._node_chunk(
            node,
            content,
            {
                "chunk_id": self._ids.assign(b"section", content),
                "content_type": "section",
                "header_path": "/" + "/".join(headers),
                "headers": headers,
                "header_level": heading.level,
                "hierarchy_level": min(heading.level, ChunkLevel.PARAGRAPH),
            },
        )

    def _root(self, node: _Node, *, with_summary: bool) -> Chunk:
        title = self._title()
        summary = opening_text(self._document, _ROOT) if with_summary else ""
        content = f"# {title}\n\n{summary}" if summary else f"# {title}"
        return self._node_chunk(
            node,
            content,
            {
                "chunk_id": self._ids.assign(b"document", content),
                "content_type": "document",
                "header_path": f"/{title}",
                "headers": [title],
                "header_level": 0,
                "hierarchy_level": int(ChunkLevel.DOCUMENT),
                "is_root": True,
            },
        )

    def _title(self) -> str:
        headings = self._document.headings
        first = next((h for h in headings if h.level == 1 and h.title), None)
        first = first or next((h for h in headings if h.title), None)
        return first.title if first else _UNTITLED

    def _node_chunk(self, node: _Node, content: str, fields: dict[str, Any]) -> Chunk:
        first, last = node.first_leaf, node.last_leaf
        metadata: dict[str, Any] = {
            **fields,
            "strategy": first.metadata.get("strategy", "none"),
            "section_tags": [],
            "start_line": first.start_line,
            "end_line": last.end_line,
            "parent_id": None,
            "children_ids": [],
            "prev_sibling_id": None,
            "next_sibling_id": None,
            "is_leaf": False,
            "indexable": False,
        }
        return Chunk(
            content=content,
            start_line=first.start_line,
            end_line=last.end_line,
            start_offset=first.start_offset,
            end_offset=last.end_offset,
            metadata=metadata,
        )


def _as_leaf(chunk: Chunk) -> Chunk:
    level = chunk.metadata["header_level"]
    metadata = {
        **chunk.metadata,
        "parent_id": None,
        "children_ids": [],
        "prev_sibling_id": None,
        "next_sibling_id": None,
        "hierarchy_level": min(level, ChunkLevel.PARAGRAPH)
        or int(ChunkLevel.PARAGRAPH),
        "is_leaf": True,
    }
    return replace(chunk, metadata=metadata)


class _Sections:
    """Which sections of a document hold text, and which are nodes of the tree.

    Attributes:
        has_text: Whether a section, its subsections included, is more than headings.
        is_node: Whether it is an inner node: it has subsections and some text. The
            first H1, where it has no text of its own, is the document's title: the
            root stands for it.
    """

    def __init__(self, document: Document) -> None:
        headings = document.headings
        blocks = [heading.block for heading in headings]
        blocks.append(len(document.blocks))
        own_text = [following - block > 1 for block, following in pairwise(blocks)]
        self.has_text = own_text.copy()
        self.is_node = [False] * len(headings)
        for section in range(len(headings) - 1, -1, -1):
            self.is_node[section] = self.is_node[section] and self.has_text[section]
            parent = headings[section].parent
            if parent >= 0:
                self.is_node[parent] = True
                self.has_text[parent] = self.has_text[parent] or self.has_text[section]
        if headings and headings[0].level == 1 and not own_text[0]:
            self.is_node[0] = False


def separate_empty_headings(document: Document, glued: bytearray) -> None:
    """Let every heading of a section without any text stand alone.

    Such a heading has no body to wait for: it is a leaf of its own.
    """
    has_text = _Sections(document).has_text
    for heading, some in zip(document.headings, has_text, strict=True):
        if not some:
            glued[heading.block + 1] = 0
