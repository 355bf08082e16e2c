"""A document with its chunks, as renderers take it, and its sections as a flat list.

If a tree was requested, its nodes are shown. Otherwise they are the sections of the
document: its headings, each with everything up to the next heading that is not below it,
however the chunks were cut.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from outcrop.presentation.text import count
from outcrop.text.offsets import LineCounter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from outcrop.chunking.hierarchy import HierarchicalChunkingResult
    from outcrop.markdown import Document
    from outcrop.model.chunk import Chunk

NO_HEADING = "(no heading)"
OWN_TEXT = "(its own text)"
UNTITLED = "(untitled)"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkedDocument:
    """A document with its chunks."""

    path: str  # as the user named it; `-` for standard input
    text: str  # the source
    chunks: list[Chunk]  # its chunks, in order
    limit: int  # maximum size of a chunk; a larger one has a reason
    # The tree whose leaves the chunks are, if requested.
    tree: HierarchicalChunkingResult | None = None
    lang: str | None = None  # the language, if it was cut as code
    # Counts the size of a text in tokens; characters if None.
    length: Callable[[str], int] | None = None

    @property
    def unit(self) -> str:
        """The unit of sizes."""
        return "characters" if self.length is None else "tokens"

    def measure(self, chunk: Chunk) -> int:
        """The size of a chunk."""
        return (self.length or len)(chunk.content)

    @property
    def strategy(self) -> str:
        """The strategy that was chosen; empty for a blank document."""
        return str(self.chunks[0].metadata.get("strategy", "")) if self.chunks else ""

    @property
    def summary(self) -> str:
        """One line on the document: chunks, length and strategy."""
        if not self.chunks:
            return "no chunks: the document is blank"
        chunks = count(len(self.chunks), "chunk")
        if self.tree:
            nodes = count(len(self.tree.chunks), "node")
            chunks = f"{nodes}, {len(self.chunks):,} of them chunks,"
        size = count(len(self.text), "character")
        code = f" of {self.lang} code" if self.lang else ""
        return f"{chunks} of {size}{code}, strategy {self.strategy}"


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


@dataclass(frozen=True, slots=True, kw_only=True)
class PageNode:
    """A node of the tree beside the text."""

    title: str
    headers: list[str]  # from the outermost section down to it
    depth: int  # 0 for a document
    start_line: int
    end_line: int
    size: int  # characters
    chunk: int  # number of the chunk in which it starts, from 0
    is_leaf: bool = False  # whether it is a chunk of a tree
    content: str = ""  # of a tree node
    metadata: dict[str, Any] = field(default_factory=dict)


def page_nodes(document: ChunkedDocument, parsed: Document | None) -> list[PageNode]:
    """Return the nodes of one document, itself first; none if it is blank."""
    if not document.chunks:
        return []
    if document.tree is not None:
        return list(_tree_nodes(document, document.tree))
    root = _document_node(document)
    return [root] if parsed is None else [root, *_sections(document, parsed)]


def _document_node(document: ChunkedDocument) -> PageNode:
    chunks = document.chunks
    lines = LineCounter(document.text)
    return PageNode(
        title=document.path,
        headers=[],
        depth=0,
        start_line=lines.line_at(chunks[0].start_offset),
        end_line=lines.line_at(chunks[-1].end_offset - 1),
        size=len(document.text),
        chunk=0,
    )


def nodes_of_chunks(
    document: ChunkedDocument, parsed: Document | None, nodes: list[PageNode]
) -> list[int]:
    """Return the node of each chunk of a document.

    That is its leaf or, without a tree, the section of its first text.
    """
    if document.tree is not None:
        return [at for at, node in enumerate(nodes) if node.is_leaf]
    if parsed is None:  # code, which has no sections
        return [0] * len(document.chunks)
    # Loaded here, so that the help of outcrop chunk needs no parser.
    from outcrop.chunking.hierarchy_builder import section_of_leaf

    return [section_of_leaf(parsed, chunk) + 1 for chunk in document.chunks]


def _tree_nodes(
    document: ChunkedDocument, tree: HierarchicalChunkingResult
) -> Iterator[PageNode]:
    lines = LineCounter(document.text)
    chunk = 0
    for node in tree.chunks:
        is_leaf = node.metadata["is_leaf"]
        yield PageNode(
            title=node_title(tree, node),
            headers=node.metadata["headers"],
            depth=len(tree.get_ancestors(node.chunk_id)),
            start_line=lines.line_at(node.start_offset),
            end_line=node.end_line,
            size=node_size(node),
            chunk=chunk,
            is_leaf=is_leaf,
            content="" if is_leaf else node.content,
            metadata={} if is_leaf else node.metadata,
        )
        chunk += is_leaf


def _sections(document: ChunkedDocument, parsed: Document) -> Iterator[PageNode]:
    text, headings = document.text, parsed.headings
    ends = _section_ends(parsed)
    starts = [chunk.start_offset for chunk in document.chunks]
    lines, last = LineCounter(text), LineCounter(text)
    depths: list[int] = []
    for heading, title, end in zip(headings, parsed.titles, ends, strict=True):
        depths.append(depths[heading.parent] + 1 if heading.parent >= 0 else 1)
        yield PageNode(
            title=title or UNTITLED,
            headers=parsed.path(len(depths) - 1),
            depth=depths[-1],
            start_line=lines.line_at(heading.start),
            end_line=last.line_at(end - 1),
            size=end - heading.start,
            chunk=max(bisect_right(starts, heading.start) - 1, 0),
        )


def _section_ends(parsed: Document) -> list[int]:
    """Return the end of each section, subsections included, without blank lines."""
    text, headings = parsed.text, parsed.headings
    ends = [len(text.rstrip())] * len(headings)
    open_sections: list[int] = []
    for index, heading in enumerate(headings):
        while open_sections and headings[open_sections[-1]].level >= heading.level:
            closed = open_sections.pop()
            ends[closed] = headings[closed].start + len(
                text[headings[closed].start : heading.start].rstrip()
            )
        open_sections.append(index)
    return ends
