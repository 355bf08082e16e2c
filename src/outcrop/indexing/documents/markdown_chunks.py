"""Makes the chunks of a document in Markdown, without side effects."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any

from outcrop.chunking.chunker import MarkdownChunker
from outcrop.indexing.documents.leaf_notes import LeafNotes, LeafPart
from outcrop.model.stored import StoredChunk, store_id
from outcrop.text.language import detect_language
from outcrop.text.search_text import ABOUT, document_search_text
from outcrop.text.tokens import TokenCounter

if TYPE_CHECKING:
    from outcrop.indexing.config import IndexConfig
    from outcrop.indexing.documents.formats.document_text import DocumentText
    from outcrop.model.chunk import Chunk

# Fields with columns of their own, or of no use in the store.
_IN_COLUMNS = frozenset([
    "chunk_id", "header_path", "headers", "header_level",
    "hierarchy_level", "start_line", "end_line", "parent_id",
    "children_ids", "is_leaf", "indexable", "prev_sibling_id",
    "next_sibling_id", "is_root", "previous_content", "next_content",
])  # fmt: skip


def cut_markdown(
    path: str, source: DocumentText, config: IndexConfig
) -> list[StoredChunk]:
    """Cut Markdown into the chunks of a tree, inner nodes included."""
    chunker = MarkdownChunker(config.chunking())
    tree = chunker.chunk_hierarchical(
        source.text, separate_front_matter=True, embedded=source.embedded
    )
    leaves = [chunk for chunk in tree.chunks if chunk.metadata["is_leaf"]]
    part = LeafPart(
        text=source.text,
        leaves=leaves,
        parents=[leaf.metadata["parent_id"] for leaf in leaves],
    )
    notes = LeafNotes(source.about)
    notes.survey(part)
    added = dict(
        zip([leaf.chunk_id for leaf in leaves], notes.notes(part), strict=True)
    )
    counter = TokenCounter(config.encoding)
    chunks = [
        store_node(path, index, chunk, added.get(chunk.chunk_id, {}), counter)
        for index, chunk in enumerate(tree.chunks)
    ]
    sizes = SectionSizes()
    for chunk in reversed(chunks):  # children come after their parents
        sizes.add(chunk)
    return chunks


class SectionSizes:
    """Adds to each inner node the index of its last leaf and its number of tokens.

    Children have to be added before their parents.
    """

    def __init__(self) -> None:
        self._below: dict[str, tuple[int, int]] = {}

    def add(self, chunk: StoredChunk) -> None:
        """Add a node, whose metadata is completed."""
        tokens, last = chunk.token_count or 0, chunk.chunk_index
        if not chunk.is_leaf:
            tokens, last = self._below.pop(chunk.id, (0, last))
            chunk.metadata.update(last_leaf=last, section_tokens=tokens)
        if chunk.parent_id is not None:
            others, latest = self._below.get(chunk.parent_id, (0, 0))
            self._below[chunk.parent_id] = (tokens + others, max(last, latest))


def store_node(
    path: str, index: int, chunk: Chunk, added: dict[str, Any], counter: TokenCounter
) -> StoredChunk:
    """Return a node of a tree as it is stored.

    Args:
        path: The document.
        index: The place of the node among all nodes, in document order.
        chunk: The node.
        added: What is stored with it besides its metadata.
        counter: Counts tokens.
    """
    known = chunk.metadata
    parent = known["parent_id"]
    headers = tuple(known["headers"])
    is_leaf = known["is_leaf"]
    about = added.get(ABOUT, "")
    searched = document_search_text(path, headers, chunk.content, about)
    extra = {name: known[name] for name in known if name not in _IN_COLUMNS}
    return StoredChunk(
        path=path,
        chunk_id=chunk.chunk_id,
        source="doc",
        kind="document" if known.get("is_root") else "section",
        lang_detected=detect_language(chunk.content),
        content=chunk.content,
        prefix=chunk.prefix,
        suffix=chunk.suffix,
        content_hash=sha256(chunk.content.encode()).hexdigest(),
        search_hash=searched.hash,
        token_count=counter(chunk.content),
        chunk_index=index,
        start_line=chunk.start_line,
        end_line=chunk.end_line,
        start_offset=chunk.start_offset,
        end_offset=chunk.end_offset,
        title=headers[-1] if headers else None,
        section_path=headers,
        header_level=known["header_level"],
        level=int(known["hierarchy_level"]),
        parent_id=None if parent is None else store_id(path, parent),
        is_leaf=is_leaf,
        indexable=known["indexable"],
        metadata={**extra, **added},
        terms=searched.terms if known["indexable"] else {},
    )
