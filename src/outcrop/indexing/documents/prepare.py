"""Makes the document and chunks of a file's content, without side effects."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from itertools import groupby, pairwise
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from outcrop.chunking.chunker import MarkdownChunker
from outcrop.chunking.metadata import ChunkIds
from outcrop.indexing.documents.plain_text import (
    RstSection,
    cut_plain_text,
    find_sections,
)
from outcrop.indexing.documents.sections import cut_sections
from outcrop.indexing.documents.summaries import choose_summaries
from outcrop.indexing.files.content import (
    Content,
    content_hash,
    content_problem,
    fingerprint,
)
from outcrop.markdown.document import path_title
from outcrop.markdown.front_matter import FrontMatter, read_front_matter
from outcrop.model.stored import Document, StoredChunk, store_id
from outcrop.text.language import detect_language
from outcrop.text.offsets import LineCounter
from outcrop.text.search_text import ABOUT, document_search_text
from outcrop.text.tokens import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.indexing.config import IndexConfig
    from outcrop.model.chunk import Chunk
    from outcrop.model.section import IndexedSection

# Fields with columns of their own, or of no use in the store.
_IN_COLUMNS = frozenset([
    "chunk_id", "header_path", "headers", "header_level",
    "hierarchy_level", "start_line", "end_line", "parent_id",
    "children_ids", "is_leaf", "indexable", "prev_sibling_id",
    "next_sibling_id", "is_root", "previous_content", "next_content",
])  # fmt: skip
# Plain text has no sections that search could join again, so its chunks are larger: with
# twice the size, a tenth more is found.
_TEXT_FACTOR = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A file to prepare.

    Attributes:
        path: The document's path.
        file: Path of the file.
        kind: `markdown` or `text`.
        modified_ns: Time of the last change.
        content: Its content, if it has been read and can be indexed.
    """

    path: str
    file: str
    kind: str
    modified_ns: int
    content: Content | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A document with its chunks, or the reason why it has none.

    Attributes:
        path: The document's path.
        document: The document to store.
        chunks: Its chunks to store; those of documents are not embedded yet.
        sections: The sections of a document; code has none.
        problem: Why it cannot be indexed; empty if it can.
        keeps_stored: Whether the stored version is kept, because the problem is not the
            content of the file.
    """

    path: str
    document: Document | None = None
    chunks: Sequence[StoredChunk] = ()
    sections: Sequence[IndexedSection] = ()
    problem: str = ""
    keeps_stored: bool = False


def prepare_bytes(task: Task, data: bytes, config: IndexConfig) -> Prepared:
    """Chunk and analyse a file's content."""
    if task.content is not None:
        digest = task.content.digest
    elif problem := content_problem(task.kind, data):
        return Prepared(path=task.path, problem=problem)
    else:
        digest = content_hash(data)
    text = data.decode()
    cut = _cut_markdown if task.kind == "markdown" else _cut_text
    chunks = cut(task.path, text, config)
    front_matter = _front_matter(task.kind, text)
    document = Document(
        path=task.path,
        kind=task.kind,
        fingerprint=fingerprint(digest, task.kind, config),
        title=_title(front_matter, chunks),
        content_hash=digest,
        size_bytes=len(data),
        modified_ns=task.modified_ns,
        metadata=_document_metadata(front_matter),
    )
    counter = TokenCounter(config.encoding)
    sections = cut_sections(document, text, chunks, counter)
    if config.summaries == "extractive":
        document, sections = choose_summaries(document, sections)
    return Prepared(path=task.path, document=document, chunks=chunks, sections=sections)


def _cut_markdown(path: str, text: str, config: IndexConfig) -> list[StoredChunk]:
    chunker = MarkdownChunker(config.chunking())
    tree = chunker.chunk_hierarchical(text, separate_front_matter=True)
    counter = TokenCounter(config.encoding)
    leaves = [chunk for chunk in tree.chunks if chunk.metadata["is_leaf"]]
    extra = _parts(leaves, text)
    first = next((leaf for leaf in leaves if leaf.metadata["indexable"]), None)
    if first is not None and (about := _about(read_front_matter(text))):
        extra[first.chunk_id][ABOUT] = about
    chunks = [
        _from_markdown(path, index, chunk, extra.get(chunk.chunk_id, {}), counter)
        for index, chunk in enumerate(tree.chunks)
    ]
    _measure_sections(chunks)
    return chunks


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

    With these, search can restore the exact text of a section.
    """
    found: dict[str, dict[str, Any]] = {}
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


def _cut_text(path: str, text: str, config: IndexConfig) -> list[StoredChunk]:
    counter = TokenCounter(config.encoding)
    limit = _TEXT_FACTOR * config.max_tokens
    is_structured = PurePosixPath(path).suffix.lower() == ".rst"
    whole = RstSection(0, len(text), ())
    spans = [
        (section.start + start, section.start + end, section.headers)
        for section in (find_sections(text) if is_structured else [whole])
        for start, end in cut_plain_text(
            text[section.start : section.end], limit, counter
        )
    ]
    spans.append((len(text), len(text), ()))
    ids, lines = ChunkIds(), LineCounter(text)
    chunks: list[StoredChunk] = []
    for index, ((start, end, headers), (following, *_)) in enumerate(pairwise(spans)):
        content = text[start:end]
        searched = document_search_text(path, headers, content)
        chunks.append(
            StoredChunk(
                path=path,
                chunk_id=ids.assign(b"text", content),
                source="doc",
                kind="text",
                lang_detected=detect_language(content),
                content=content,
                content_hash=sha256(content.encode()).hexdigest(),
                search_hash=searched.hash,
                token_count=counter(content),
                chunk_index=index,
                start_line=lines.line_at(start),
                end_line=lines.line_at(end - 1),
                start_offset=start,
                end_offset=end,
                title=headers[-1] if headers else None,
                section_path=headers,
                header_level=len(headers) or None,
                level=max(1, len(headers)),
                metadata={"gap_after": text[end:following]},
                terms=searched.terms,
            )
        )
    return chunks


def _front_matter(kind: str, text: str) -> FrontMatter:
    return read_front_matter(text) if kind == "markdown" else FrontMatter()


def _about(front_matter: FrontMatter) -> str:
    """Return the words of front matter that a document is found by."""
    words = (
        front_matter.title,
        front_matter.description,
        *front_matter.keywords,
        *front_matter.tags,
        *front_matter.aliases,
    )
    return "\n".join(word for word in words if word)


def _document_metadata(front_matter: FrontMatter) -> dict[str, Any]:
    found = {
        "description": front_matter.description,
        "tags": list(front_matter.tags),
    }
    return {name: value for name, value in found.items() if value}


def _title(front_matter: FrontMatter, chunks: Sequence[StoredChunk]) -> str | None:
    """Return the first H1, or else the title in the front matter."""
    leaves = (c for c in chunks if c.is_leaf and c.section_path)
    first = next(leaves, None)
    if first is not None and first.header_level == len(first.section_path):
        return first.section_path[0]
    return path_title(front_matter.title) or None
