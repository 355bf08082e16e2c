"""The hierarchy of an index: chunks below chunks, sections below sections.

The outermost sections are below their document.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from outcrop.closeable import Closeable
from outcrop.errors import InputError, NotFoundError
from outcrop.model.hit import Hit
from outcrop.model.section import DOCUMENT_ROOT, IndexedSection
from outcrop.model.stored import Document, StoredChunk
from outcrop.search.hits import PREAMBLE, make_hit
from outcrop.text.tokens import replace_surrogates

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from outcrop.store.sharded_store import AnyStore

MIN_ID_DIGITS = 4


Item = StoredChunk | IndexedSection | Document


def find_item(store: AnyStore, item_id: str) -> Item:
    """Return the chunk, section or document with an id, or with its first digits.

    A document may be named by its path too.

    Raises:
        InputError: The id is not a str.
        NotFoundError: No id starts with these digits, or several do.
    """
    if not isinstance(item_id, str):
        given = type(item_id).__name__
        raise InputError(f"an id must be a str, not {given}; of a hit, give hit.id")
    if len(item_id) < MIN_ID_DIGITS:
        raise NotFoundError(
            f"{item_id!r} is not the id of a chunk: give at least {MIN_ID_DIGITS} digits"
        )
    found: list[Item] = []
    found += store.find_chunks(item_id, limit=2)
    found += store.find_sections(item_id, limit=2)
    found += store.find_documents(item_id, limit=2)
    path = replace_surrogates(item_id).removeprefix("./")
    found = found or [*store.get_documents([path])]
    if not found:
        raise NotFoundError(f"there is no chunk {item_id!r} in the index")
    if len(found) > 1:
        raise NotFoundError(f"several chunks start with {item_id!r}: give more")
    return found[0]


class HierarchyReader(Closeable):
    """Reads the tree of an index.

    Attributes:
        store: The store to read.
    """

    def __init__(self, store: AnyStore) -> None:
        self.store = store

    def get(self, chunk_id: str) -> Hit:
        """Return a chunk by its id or the first digits of it.

        A chunk with children has its whole text. The id of a section, and the id or the
        path of a document, work too.

        Raises:
            NotFoundError: No chunk has this id, or several start with the digits.
        """
        item = find_item(self.store, chunk_id)
        if isinstance(item, IndexedSection):
            parts = self.store.leaf_ids(
                item.section.document_path, item.first_chunk, item.last_chunk
            )
            return replace(section_hit(item), parts=tuple(parts))
        if isinstance(item, Document):
            return _document_hit(self.store, item)
        return chunk_hits(self.store, [item])[0]

    def children(
        self, item_id: str, *, limit: int | None = None, offset: int = 0
    ) -> list[Hit]:
        """Return the chunks below a chunk, or the sections below another one, in order.

        Below a document are its outermost sections.

        Args:
            item_id: The id of a chunk, a section or a document, or its first digits.
            limit: Maximum number of results; all by default.
            offset: How many to skip.

        Raises:
            InputError: The limit is not positive, or the offset is negative.
            NotFoundError: There is no such chunk or section.
        """
        if limit is not None:
            check_limit(limit)
        if not isinstance(offset, int) or offset < 0:
            raise InputError(f"offset is {offset!r}, but it must be at least 0")
        item = find_item(self.store, item_id)
        if isinstance(item, StoredChunk):
            below = self.store.child_chunks(item.id, limit=limit, offset=offset)
            return chunk_hits(self.store, below)
        path, parent = _section_place(item)
        sections = self.store.child_sections(path, parent, limit=limit, offset=offset)
        return list(map(section_hit, sections))

    def parents(self, item_id: str) -> list[Hit]:
        """Return the chunks or sections around one, the outermost first.

        Raises:
            NotFoundError: There is no such chunk or section.
        """
        item = find_item(self.store, item_id)
        if isinstance(item, IndexedSection):
            document = self.store.get_document(item.section.document_path)
            above = list(map(section_hit, _sections_above(self.store, item)))
            return [_document_hit(self.store, document), *above]
        if isinstance(item, Document):
            return []
        found: list[StoredChunk] = []
        parent = item.parent_id
        while parent is not None:
            chunks = self.store.get_chunks([parent])
            found += chunks
            parent = chunks[0].parent_id if chunks else None
        return chunk_hits(self.store, found[::-1])

    def siblings(self, item_id: str) -> list[Hit]:
        """Return the chunks or sections with the same parent, itself included, in order.

        Raises:
            NotFoundError: There is no such chunk or section.
        """
        item = find_item(self.store, item_id)
        if isinstance(item, IndexedSection):
            section = item.section
            beside = self.store.child_sections(section.document_path, section.parent_id)
            return list(map(section_hit, beside))
        if isinstance(item, Document):
            return [_document_hit(self.store, item)]
        if item.parent_id is None:
            return chunk_hits(self.store, [item])
        return chunk_hits(self.store, self.store.child_chunks(item.parent_id))


def _section_place(item: IndexedSection | Document) -> tuple[str, str | None]:
    """Return the document that sections are of, and the section they are below."""
    if isinstance(item, Document):
        return item.path, None
    return item.section.document_path, item.section.id


def _sections_above(store: AnyStore, item: IndexedSection) -> list[IndexedSection]:
    found: list[IndexedSection] = []
    while item.section.parent_id is not None:
        (item,) = store.get_sections([item.section.parent_id])
        found.append(item)
    return found[::-1]


def section_hit(item: IndexedSection) -> Hit:
    """Make a hit of a section with its own text."""
    section, headings = item.section, item.headings
    return Hit(
        id=section.id,
        path=section.document_path,
        content=section.content,
        start_line=section.start_line,
        end_line=section.end_line,
        start_offset=section.start_offset,
        end_offset=section.end_offset,
        header_path="/" + "/".join(headings) if headings else PREAMBLE,
        headers=headings,
        breadcrumb=" > ".join([section.document_path, *headings]),
        score=0.0,
        kind="section",
        level=section.depth,
        token_count=section.token_count,
        summary=section.summary,
        document_summary=section.document_summary,
        unit="section",
        heading=None if section.heading == DOCUMENT_ROOT else section.heading,
        depth=section.depth,
        order=section.order,
        parent_id=section.parent_id,
    )


def _document_hit(store: AnyStore, document: Document) -> Hit:
    """Make a hit of a document with its whole text."""
    leaves = [chunk for chunk in store.chunks_of(document.path) if chunk.is_leaf]
    if not leaves:
        raise NotFoundError(f"document {document.path!r} has no text")
    return replace(
        make_hit(leaves, chunk_id=document.id, headers=()),
        header_path="/",
        kind="document",
        level=0,
        document_summary=document.summary,
        unit="document",
        heading=document.title,
        depth=0,
    )


def chunk_hits(store: AnyStore, chunks: Sequence[StoredChunk]) -> list[Hit]:
    """Make hits of chunks of one document; those with children have their whole text."""
    if not chunks:
        return []
    leaves = _leaves_of(store, [chunk for chunk in chunks if not chunk.is_leaf])
    summaries = store.chunk_summaries([chunk.id for chunk in chunks])
    return [
        replace(
            _chunk_hit(chunk, leaves),
            summary=summaries[chunk.id][0],
            document_summary=summaries[chunk.id][1],
            parent_id=chunk.parent_id,
        )
        for chunk in chunks
    ]


def _leaves_of(store: AnyStore, inner: Sequence[StoredChunk]) -> list[StoredChunk]:
    """Return the leaves of some chunks of one document."""
    starts = [c.start_offset for c in inner if c.start_offset is not None]
    ends = [c.end_offset for c in inner if c.end_offset is not None]
    if not starts or not ends:
        return []
    return store.leaves_within(inner[0].path, min(starts), max(ends))


def _chunk_hit(chunk: StoredChunk, leaves: Iterable[StoredChunk]) -> Hit:
    if chunk.is_leaf or chunk.start_offset is None or chunk.end_offset is None:
        return make_hit([chunk], chunk_id=chunk.id)
    inside = [
        leaf
        for leaf in leaves
        if leaf.start_offset is not None
        and chunk.start_offset <= leaf.start_offset < chunk.end_offset
    ]
    headers = tuple(chunk.section_path)
    return make_hit(inside or [chunk], chunk_id=chunk.id, headers=headers)


def check_limit(limit: int) -> None:
    """Reject a number of results that is not positive.

    Raises:
        InputError: It is below 1, or not an integer.
    """
    if not isinstance(limit, int) or limit < 1:
        raise InputError(f"limit is {limit!r}, but it must be at least 1")
