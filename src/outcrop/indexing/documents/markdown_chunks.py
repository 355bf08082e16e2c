"""Makes the chunks of a document in Markdown, without side effects.

Notes are stored with each leaf besides its text. The leaves are gone through twice, as a
whole or part by part: a leaf is stored with the number of leaves in its section, and with
the words of headings before it.
"""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from outcrop.chunking.chunker import MarkdownChunker
from outcrop.model.stored import OWN_LINE, StoredChunk, store_id
from outcrop.text.language import detect_language
from outcrop.text.offsets import LineCounter, first_visible
from outcrop.text.search_text import ABOUT, document_search_text
from outcrop.text.tokens import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outcrop.indexing.config import IndexConfig
    from outcrop.indexing.documents.formats.document_text import DocumentText
    from outcrop.model.chunk import Chunk

# Lines of headings, underlined ones included, and nothing else. Not a possessive group:
# before Python 3.11.5, one skips what its last, failed attempt has read.
_HEADINGS = re.compile(
    r"(?>[ \t]*+\r?\n| {0,3}#{1,6}(?:[ \t][^\r\n]*+)?(?:\r?\n|\Z)"
    r"|[^\r\n]++\r?\n {0,3}(?:=++|-++)[ \t]*+(?:\r?\n|\Z))+[ \t]*+"
)


class WholeTextNeededError(ValueError):
    """A text cannot be indexed part by part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeafPart:
    """A part of a text with its leaves; the next part starts with a leaf.

    Attributes:
        text: The part.
        leaves: Its leaves, in order.
        parents: What tells the parent of each leaf from others.
        offset: Where the part starts in the text.
        lines: How many lines lie before it.
    """

    text: str
    leaves: Sequence[Chunk]
    parents: Sequence[object]
    offset: int = 0
    lines: int = 0

    def is_bare(self, leaf: Chunk) -> bool:
        """Whether a leaf holds nothing but headings of sections.

        A heading in a list or a quote, before all sections, is text.
        """
        if not leaf.metadata["headers"]:
            return False
        start, end = leaf.start_offset - self.offset, leaf.end_offset - self.offset
        return bool(_HEADINGS.fullmatch(self.text, start, end))

    def gap_after(self, at: int) -> str:
        """The white space between a leaf and the next one."""
        following = at + 1
        end = (
            self.leaves[following].start_offset - self.offset
            if following < len(self.leaves)
            else len(self.text)
        )
        return self.text[self.leaves[at].end_offset - self.offset : end]


class _BareHeading(NamedTuple):
    parent: object
    level: int
    title: str


class LeafNotes:
    """Makes the notes of leaves: their part of a section, and words to find them by.

    A heading without text is hidden from search, unless the document has nothing else.
    It answers nothing. Often the section after it is about both, as with two signatures
    of one function, so its words are found there.

    Args:
        about: Words that the first leaf which search finds is found by, too.
    """

    def __init__(self, about: str) -> None:
        self._about = about
        self._hides: bool | None = None
        self._runs = array("q")  # number of leaves in each section
        self._last_key: object = None
        self._run = -1  # in the second pass
        self._number = 0
        self._waiting: list[_BareHeading] = []

    def survey(self, part: LeafPart) -> None:
        """Look at the next part for the first time.

        Raises:
            WholeTextNeededError: The first part had headings alone.
        """
        bare = [part.is_bare(leaf) for leaf in part.leaves]
        if self._hides is None:
            self._hides = any(
                leaf.metadata["indexable"] and not is_bare
                for leaf, is_bare in zip(part.leaves, bare, strict=True)
            )
        elif not self._hides:
            raise WholeTextNeededError("the text starts with headings alone")
        for leaf, parent, is_bare in zip(part.leaves, part.parents, bare, strict=True):
            known = leaf.metadata
            is_found = known["indexable"] and not (is_bare and self._hides)
            # Front matter is no part of the text after it.
            key = (parent, known["headers"], is_found)
            if key != self._last_key:
                self._runs.append(0)
                self._last_key = key
            self._runs[-1] += 1

    def notes(self, part: LeafPart) -> Iterator[dict[str, Any]]:
        """Go through the next part for the second time; yield the notes of each leaf.

        Headings without text are hidden. With the part number and the white space after
        a leaf, search can restore the exact text of a section. A leaf that repeats
        headings also gets the line where its own text starts.
        """
        lines = LineCounter(part.text)
        for at, leaf in enumerate(part.leaves):
            notes: dict[str, Any] = {"gap_after": part.gap_after(at)}
            number, parts = self._next_number()
            if parts > 1:
                notes |= {"part": number, "parts": parts}
            if leaf.prefix:
                start, end = leaf.start_offset, leaf.end_offset
                visible = first_visible(
                    part.text, start - part.offset, end - part.offset
                )
                notes[OWN_LINE] = part.lines + lines.line_at(visible)
            if words := self._words(part, at):
                notes[ABOUT] = "\n".join(words)
            yield notes

    def _next_number(self) -> tuple[int, int]:
        if self._run < 0 or self._number == self._runs[self._run]:
            self._run, self._number = self._run + 1, 0
        self._number += 1
        return self._number - 1, self._runs[self._run]

    def _words(self, part: LeafPart, at: int) -> list[str]:
        """Hide a leaf that is bare; return the words that another one is found by."""
        leaf, parent = part.leaves[at], part.parents[at]
        known = leaf.metadata
        if not known["indexable"]:
            return []
        if self._hides and part.is_bare(leaf):
            known["indexable"] = False
            title = known["headers"][-1]
            self._waiting.append(_BareHeading(parent, known["header_level"], title))
            return []
        words = [
            bare.title
            for bare in self._waiting
            if (bare.parent, bare.level) == (parent, known["header_level"])
        ]
        self._waiting = []
        if self._about:
            words.insert(0, self._about)
            self._about = ""
        return words


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
