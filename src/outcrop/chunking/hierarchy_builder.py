"""Building the tree of a document over its chunks.

Sections with subsections become inner nodes; a section's own text is their first child.
Every chunk is placed by the section of its first text, looked up in the parsed document,
so that titles may repeat and levels may be skipped. One pass over the chunks with a
stack of the sections that are open: a node gets its id when its section opens and its
span when it closes.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from outcrop.chunking.hierarchy import ChunkLevel, HierarchicalChunkingResult
from outcrop.chunking.metadata import ChunkIds
from outcrop.chunking.outline import Openings, SectionRoles
from outcrop.markdown import Document, Kind, parse
from outcrop.markdown.document import path_title
from outcrop.model.chunk import Chunk

if TYPE_CHECKING:
    from collections.abc import Sequence

_ROOT = -1
_HEADING = int(Kind.HEADING)
UNTITLED = "Document"
MAX_LEVEL = int(ChunkLevel.PARAGRAPH)


class HierarchyBuilder:
    """Joins chunks of one document into a tree under one root."""

    def __init__(self, include_document_summary: bool = True) -> None:  # noqa: FBT001, FBT002 - the name is the contract's
        self.include_document_summary = include_document_summary

    def build(
        self, chunks: Sequence[Chunk], original_text: str
    ) -> HierarchicalChunkingResult:
        """Build the tree over chunks that stay as they are.

        Args:
            chunks: The leaves, in order, cut from `original_text`.
            original_text: The whole text.

        Returns:
            The tree, with copies of the chunks as leaves; empty where there are none.
        """
        copies = [replace(chunk, metadata={**chunk.metadata}) for chunk in chunks]
        return self.build_over(copies, parse(original_text))

    def build_over(
        self, leaves: list[Chunk], document: Document
    ) -> HierarchicalChunkingResult:
        """Build the tree over chunks of its own, whose metadata it completes."""
        if not leaves:
            return HierarchicalChunkingResult([], "", "none")
        tree = _Tree(document, leaves)
        return tree.build(with_summary=self.include_document_summary)


@dataclass(slots=True)
class _Open:
    """An inner node whose section has not ended yet."""

    section: int
    content: str
    metadata: dict[str, Any]
    place: int
    first_leaf: Chunk
    last_child: dict[str, Any] | None = None

    def adopt(self, child: dict[str, Any]) -> None:
        """Make a node the last child."""
        child_id = child["chunk_id"]
        child["parent_id"] = self.metadata["chunk_id"]
        child["prev_sibling_id"] = child["next_sibling_id"] = None
        if self.last_child is not None:
            self.last_child["next_sibling_id"] = child_id
            child["prev_sibling_id"] = self.last_child["chunk_id"]
        self.metadata["children_ids"].append(child_id)
        self.last_child = child


class _Tree:
    def __init__(self, document: Document, leaves: list[Chunk]) -> None:
        self._document = document
        self._leaves = leaves
        self._sections = SectionRoles(document)
        self._openings = Openings(document)
        self._ids = ChunkIds()
        self._ids.reserve(leaf.metadata["chunk_id"] for leaf in leaves)
        self._strategy = str(leaves[0].metadata.get("strategy", "none"))
        self._nodes: list[Chunk] = []
        self._stack: list[_Open] = []

    def build(self, *, with_summary: bool) -> HierarchicalChunkingResult:
        first = self._leaves[0]
        self._stack.append(self._root(first, with_summary=with_summary))
        self._nodes.append(first)  # the root takes this place when it closes
        last_section, previous = _ROOT - 1, first
        for leaf in self._leaves:
            section = section_of_leaf(self._document, leaf)
            if section != last_section:
                self._enter(section, leaf, previous)
                last_section = section
            metadata = leaf.metadata
            level = metadata["header_level"]
            metadata["children_ids"] = []
            metadata["hierarchy_level"] = min(level, MAX_LEVEL) or MAX_LEVEL
            metadata["is_leaf"] = True
            self._stack[-1].adopt(metadata)
            self._nodes.append(leaf)
            previous = leaf
        self._close_to(0, previous)
        root_id = self._nodes[0].chunk_id
        outline = outline_of(self._document, self._sections)
        return HierarchicalChunkingResult(self._nodes, root_id, self._strategy, outline)

    def _enter(self, section: int, leaf: Chunk, previous: Chunk) -> None:
        """Close the nodes that have ended, and open those down to `section`."""
        path: list[int] = []
        while section >= 0:
            if self._sections.is_node[section]:
                path.append(section)
            section = self._document.headings[section].parent
        path.reverse()
        depth = 1
        for outer, node in zip(path, self._stack[1:], strict=False):
            if node.section != outer:
                break
            depth += 1
        self._close_to(depth, previous)
        for inner in path[depth - 1 :]:
            node = self._inner_node(inner, leaf)
            self._stack[-1].adopt(node.metadata)
            self._stack.append(node)
            self._nodes.append(leaf)  # its place, until it closes

    def _close_to(self, depth: int, last: Chunk) -> None:
        while len(self._stack) > depth:
            node = self._stack.pop()
            first, metadata = node.first_leaf, node.metadata
            metadata["start_line"] = first.start_line
            metadata["end_line"] = last.end_line
            self._nodes[node.place] = Chunk(
                content=node.content,
                start_line=first.start_line,
                end_line=last.end_line,
                start_offset=first.start_offset,
                end_offset=last.end_offset,
                metadata=metadata,
            )

    def _inner_node(self, section: int, leaf: Chunk) -> _Open:
        document = self._document
        heading = document.headings[section]
        source = document.text[heading.start : heading.end]
        summary = self._openings.of(section)
        content = f"{source}\n\n{summary}" if summary else source
        chunk_id = self._ids.assign(b"section", content)
        fields = section_fields(chunk_id, document.path(section), heading.level)
        return self._open(section, content, fields, leaf)

    def _root(self, leaf: Chunk, *, with_summary: bool) -> _Open:
        title = self._title()
        summary = self._openings.of(_ROOT) if with_summary else ""
        content = root_content(title, summary)
        fields = root_fields(self._ids.assign(b"document", content), title)
        return self._open(_ROOT, content, fields, leaf)

    def _open(
        self, section: int, content: str, fields: dict[str, Any], leaf: Chunk
    ) -> _Open:
        complete_fields(fields, self._strategy)
        return _Open(section, content, fields, len(self._nodes), leaf)

    def _title(self) -> str:
        headings = self._document.headings
        if self._document.title:
            return self._document.title
        first = next((h for h in headings if h.level == 1 and h.title), None)
        first = first or next((h for h in headings if h.title), None)
        return first.title if first else UNTITLED


def section_of_leaf(document: Document, leaf: Chunk) -> int:
    """Return the section of the first text of a leaf, -1 before the first heading."""
    blocks = document.blocks
    block = max(0, bisect_right(blocks.starts, leaf.start_offset) - 1)
    while (
        blocks.kinds[block] == _HEADING
        and block + 1 < len(blocks)
        and blocks.starts[block + 1] < leaf.end_offset
    ):
        block += 1
    return document.section_of(block)


def root_content(title: str, summary: str) -> str:
    """Return the text of a root."""
    return f"# {title}\n\n{summary}" if summary else f"# {title}"


def root_fields(chunk_id: str, title: str) -> dict[str, Any]:
    """Return the fields that a root has because of its title."""
    short = path_title(title)
    return {
        "chunk_id": chunk_id,
        "content_type": "document",
        "header_path": f"/{short}",
        "headers": [short],
        "header_level": 0,
        "hierarchy_level": int(ChunkLevel.DOCUMENT),
        "is_root": True,
        "parent_id": None,
        "prev_sibling_id": None,
        "next_sibling_id": None,
    }


def section_fields(chunk_id: str, headers: list[str], level: int) -> dict[str, Any]:
    """Return the fields that an inner node has because of its heading."""
    return {
        "chunk_id": chunk_id,
        "content_type": "section",
        "header_path": "/" + "/".join(headers),
        "headers": headers,
        "header_level": level,
        "hierarchy_level": min(level, MAX_LEVEL),
    }


def complete_fields(fields: dict[str, Any], strategy: str) -> None:
    """Add the fields that all inner nodes of a tree have in common."""
    fields["strategy"] = strategy
    fields["section_tags"] = []
    fields["children_ids"] = []
    fields["is_leaf"] = fields["indexable"] = False


def outline_of(document: Document, sections: SectionRoles) -> list[tuple[int, str]]:
    """Depth and title of every heading, for a table of contents.

    A title that the root stands for is left out, unless it is one chapter of several.
    """
    headings = document.headings
    chapters = sum(1 for heading in headings if heading.level == 1)
    skipped = 1 if sections.has_title and chapters == 1 else 0
    depths: list[int] = []
    for heading in headings:
        depths.append(depths[heading.parent] + 1 if heading.parent >= 0 else 0)
    base = min(depths[skipped:], default=0)
    return [
        (depth - base, title)
        for depth, title in zip(
            depths[skipped:], document.titles[skipped:], strict=True
        )
    ]
