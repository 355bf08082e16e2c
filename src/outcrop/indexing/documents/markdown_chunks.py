"""Makes the chunks of a document in Markdown, without side effects."""

from __future__ import annotations

import re
from hashlib import sha256
from itertools import groupby
from typing import TYPE_CHECKING, Any

from outcrop.chunking.chunker import MarkdownChunker
from outcrop.model.stored import OWN_LINE, StoredChunk, store_id
from outcrop.text.language import detect_language
from outcrop.text.offsets import LineCounter, first_visible
from outcrop.text.search_text import ABOUT, document_search_text
from outcrop.text.tokens import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.indexing.config import IndexConfig
    from outcrop.indexing.documents.formats.document_text import DocumentText
    from outcrop.model.chunk import Chunk

# Lines of headings, underlined ones included, and nothing else.
_HEADINGS = re.compile(
    r"(?:[ \t]*+\r?\n| {0,3}#{1,6}(?:[ \t][^\r\n]*+)?(?:\r?\n|\Z)"
    r"|[^\r\n]++\r?\n {0,3}(?:=++|-++)[ \t]*+(?:\r?\n|\Z))++[ \t]*+"
)
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
    text = source.text
    chunker = MarkdownChunker(config.chunking())
    tree = chunker.chunk_hierarchical(
        text, separate_front_matter=True, embedded=source.embedded
    )
    counter = TokenCounter(config.encoding)
    leaves = [chunk for chunk in tree.chunks if chunk.metadata["is_leaf"]]
    about = _hide_bare_headings(leaves, text)
    extra = _parts(leaves, text)
    first = next((leaf for leaf in leaves if leaf.metadata["indexable"]), None)
    if first is not None and source.about:
        about[first.chunk_id] = [source.about, *about.get(first.chunk_id, ())]
    for chunk_id, words in about.items():
        extra[chunk_id][ABOUT] = "\n".join(words)
    chunks = [
        _from_markdown(path, index, chunk, extra.get(chunk.chunk_id, {}), counter)
        for index, chunk in enumerate(tree.chunks)
    ]
    _measure_sections(chunks)
    return chunks


def _hide_bare_headings(leaves: Sequence[Chunk], text: str) -> dict[str, list[str]]:
    """Hide the headings that have no text from search.

    Such a heading answers nothing. Often the section after it is about both, as with two
    signatures of one function, so its words are found there.

    Returns:
        The headings to be found by the words of a leaf, by the leaf's id.
    """
    searchable = [leaf for leaf in leaves if leaf.metadata["indexable"]]
    bare = [leaf for leaf in searchable if _is_bare(leaf, text)]
    if len(bare) == len(searchable):  # the document has nothing else
        return {}
    for leaf in bare:
        leaf.metadata["indexable"] = False
    found: dict[str, list[str]] = {}
    waiting: list[Chunk] = []
    for leaf in searchable:
        if not leaf.metadata["indexable"]:
            waiting.append(leaf)
            continue
        own = [each for each in waiting if _are_siblings(each, leaf)]
        if own:
            found[leaf.chunk_id] = [each.metadata["headers"][-1] for each in own]
        waiting = []
    return found


def _is_bare(leaf: Chunk, text: str) -> bool:
    return bool(_HEADINGS.fullmatch(text, leaf.start_offset, leaf.end_offset))


def _are_siblings(leaf: Chunk, other: Chunk) -> bool:
    keys = ("parent_id", "header_level")
    return all(leaf.metadata[key] == other.metadata[key] for key in keys)


def _measure_sections(chunks: Sequence[StoredChunk]) -> None:
    """Add to each inner node the index of its last leaf and its number of tokens."""
    places = {chunk.id: chunk.chunk_index for chunk in chunks}
    tokens = [0] * len(chunks)
    last = [chunk.chunk_index for chunk in chunks]
    # Children come after their parents, so in reverse each one is complete.
    for chunk in reversed(chunks):
        at = chunk.chunk_index
        if chunk.is_leaf:
            tokens[at] = chunk.token_count or 0
        else:
            chunk.metadata.update(last_leaf=last[at], section_tokens=tokens[at])
        if chunk.parent_id is not None:
            parent = places[chunk.parent_id]
            tokens[parent] += tokens[at]
            last[parent] = max(last[parent], last[at])


def _parts(leaves: Sequence[Chunk], text: str) -> dict[str, dict[str, Any]]:
    """Return each leaf's part number in its section, and the white space after it.

    With these, search can restore the exact text of a section. A leaf that repeats
    headings also gets the line where its own text starts.
    """
    found: dict[str, dict[str, Any]] = {}
    lines = LineCounter(text)
    ends = [*(leaf.start_offset for leaf in leaves[1:]), len(text)]
    gaps = {
        leaf.chunk_id: text[leaf.end_offset : end]
        for leaf, end in zip(
            leaves, ends, strict=False
        )  # without leaves there is one end too many
    }
    sections = groupby(
        leaves,
        # Front matter is no part of the text after it.
        lambda c: [c.metadata[key] for key in ("parent_id", "headers", "indexable")],
    )
    for _, section in sections:
        members = list(section)
        for number, leaf in enumerate(members):
            found[leaf.chunk_id] = {"gap_after": gaps[leaf.chunk_id]}
            if len(members) > 1:
                found[leaf.chunk_id] |= {"part": number, "parts": len(members)}
            if leaf.prefix:
                start = first_visible(text, leaf.start_offset, leaf.end_offset)
                found[leaf.chunk_id][OWN_LINE] = lines.line_at(start)
    return found


def _from_markdown(
    path: str, index: int, chunk: Chunk, added: dict[str, Any], counter: TokenCounter
) -> StoredChunk:
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
