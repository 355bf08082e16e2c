"""A hit: what a search found, and its exact place; how hits are related."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

Range = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherPart:
    """Another part of the place of a hit that matches as well.

    Attributes:
        id: Id of the chunk.
        path: The document; another one if that has the same text or a translation.
        start_line: First line, counted from 1.
        end_line: Last line, inclusive.
        score: How well it matches.
    """

    id: str
    path: str
    start_line: int
    end_line: int
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A chunk, a section or a document.

    `content` contains `text[start_offset:end_offset]` of the file to the character; if
    `is_cut`, it is the beginning of that.

    Attributes:
        id: Id of the chunk in the index; of the best part, where a section stands for
            several.
        path: The document: POSIX, relative to the project, absolute outside it.
        content: The text, with what is repeated before and after it.
        start_line: First line of the own text, counted from 1.
        end_line: Last line, inclusive.
        start_offset: Where the text starts in the file, in code points.
        end_offset: Where it ends, exclusive.
        header_path: The headings as a path, `/Guide/Setup`.
        headers: The headings from the outside in.
        breadcrumb: File and headings for people, `guide.md > Guide > Setup`.
        score: How well it matches; comparable within one search only.
        scores: The parts of the score by name: `lexical`, `vector`, `title`, `name`
            and so on, as docs/concepts/search.md lists them.
        highlights: Where `content` says words of the query, as half-open ranges.
        kind: What the chunk is: `section`, `text` and so on.
        source: Where the text comes from: `doc`, `code` and so on.
        level: Level in the hierarchy.
        token_count: Tokens of `content`.
        prefix: What was put before the own text: repeated headings, a header row.
        suffix: What was put after it.
        parts: Ids of all chunks it stands for, in order.
        summary: A summary of the chunk, where one was made.
        document_summary: A summary of the document, where one was made.
        documentation: Rendered documentation, where there is some.
        explanation: An explanation, where one was made.
        symbol: Of code, the qualified name of what is defined there.
        signature: Of code, the definition without its body.
        node_id: Of code, the node of the code graph.
        unit: What was found: `chunk`, `section` or `document`.
        heading: Of a section, its heading; of a document, its title.
        depth: Of a section, the level of its heading; of a document, 0.
        order: Of a section, its place among those with the same parent, from 0.
        parent_id: Of a section, the section it is a part of.
        matches: Of a section or a document, ids of the chunks that matched, best first.
        is_cut: Whether the end of `content` is left out to fit a budget.
        others: Other parts of the same place that match as well, best first.
    """

    id: str
    path: str
    content: str
    start_line: int
    end_line: int
    start_offset: int
    end_offset: int
    header_path: str
    headers: tuple[str, ...]
    breadcrumb: str
    score: float
    scores: Mapping[str, float] = field(default_factory=dict)
    highlights: tuple[Range, ...] = ()
    kind: str | None = None
    source: str = "doc"
    level: int = 0
    token_count: int = 0
    prefix: str = ""
    suffix: str = ""
    parts: tuple[str, ...] = ()
    summary: str | None = None
    document_summary: str | None = None
    documentation: str | None = None
    explanation: str | None = None
    symbol: str | None = None
    signature: str | None = None
    node_id: str | None = None
    unit: str = "chunk"
    heading: str | None = None
    depth: int | None = None
    order: int | None = None
    parent_id: str | None = None
    matches: tuple[str, ...] = ()
    is_cut: bool = False
    others: tuple[OtherPart, ...] = ()

    def without_prefix(self) -> tuple[str, tuple[Range, ...]]:
        """Return the text without the lines that are repeated before it, and its marks."""
        skipped = self.prefix.rfind("\n") + 1  # what is left is indentation
        marks = ((low - skipped, high - skipped) for low, high in self.highlights)
        return self.content[skipped:], tuple(mark for mark in marks if mark[0] >= 0)


class Relation(StrEnum):
    """What the other end of an edge is."""

    CALLER = "caller"
    CALLEE = "callee"
    PARENT = "parent"
    CHILD = "child"
    BASE = "base"
    DERIVED = "derived"
    MENTION = "mention"
    """A document names the symbol, or is the one that names it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    """A chunk at the other end of an edge.

    Attributes:
        hit: The chunk; its score is how strong the relation is, from 0 to 1.
        relation: Its relation to the chunk or symbol of the request.
        confidence: How sure the edge is, from 0 to 1.
        resolution: How the edge was found: `exact`, `flow` or `heuristic`.
    """

    hit: Hit
    relation: Relation
    confidence: float
    resolution: str
