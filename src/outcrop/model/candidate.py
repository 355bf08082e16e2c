"""The values that search reads from an index."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from outcrop.model.stored import AnyChunk

# Kinds of node that are a file or a folder: their name is already in the path.
_KINDS_WITHOUT_NAME = frozenset([None, "MODULE", "PACKAGE"])
# File names that a language prescribes, which say nothing about the content.
_PRESCRIBED_NAMES = frozenset(["__init__", "__main__", "index", "main", "mod", "lib"])


class Match(NamedTuple):
    """A chunk found by its words or its vector, with the score.

    Attributes:
        id: The chunk's id in the store.
        score: The BM25 score, or the cosine with the query's vector; higher is better.
    """

    id: str
    score: float


class LexicalQuery(NamedTuple):
    """A search by words.

    Attributes:
        terms: How often the query contains each of its terms, or what it counts instead.
        limit: Maximum number of matches.
        exact: How many of the first matches must be exactly the best; all by default.
            The rest may be approximate, which is faster.
        max_chunks: In an index with more chunks than this, all matches may be
            approximate.
    """

    terms: Mapping[str, float]
    limit: int
    exact: int | None = None
    max_chunks: int | None = None


class VectorQuery(NamedTuple):
    """A search by vector.

    Attributes:
        vector: A vector of the index's embedder.
        limit: Maximum number of matches.
    """

    vector: NDArray[np.float32]
    limit: int


class NameQuery(NamedTuple):
    """A search for definitions.

    Attributes:
        names: Names as they may be written.
        limit: Maximum number of definitions.
    """

    names: Sequence[str]
    limit: int


class Matches(NamedTuple):
    """The results of several searches.

    Attributes:
        lexical: For each search by words, its matches, best first.
        nearest: The matches of the search by vector, nearest first.
        definitions: The ids of chunks that define one of the names, types first.
    """

    lexical: Sequence[Sequence[Match]]
    nearest: Sequence[Match]
    definitions: Sequence[str]


def idf(chunks: int, containing: float) -> float:
    """Return the inverse document frequency of a term: the rarer, the higher."""
    return log(1 + (chunks - containing + 0.5) / (containing + 0.5))


class TermStatistics(NamedTuple):
    """Statistics of a term in an index.

    Attributes:
        df: Document frequency: the number of chunks that contain it.
        max_weight: Its highest BM25 weight in any chunk, without the idf.
        chunks: Number of chunks in the index.
    """

    df: int
    max_weight: float
    chunks: int

    @property
    def idf(self) -> float:
        """Inverse document frequency."""
        return idf(self.chunks, self.df)


class Candidate(NamedTuple):
    """A chunk that may become a hit; a tuple, because a search makes many of them.

    Attributes:
        id: The chunk's id in the store.
        document_id: The id of its document.
        parent_id: The id of its parent, if it has one.
        place: Its position in the document.
        section_path: Headings, outermost first.
        token_count: Number of tokens.
        rank_boost: Factor of its score.
        part: Which part of a split section it is, from 0; None if it is not split.
        parts: Number of parts of the split section.
        path: The path of its document.
        source: Where its text comes from: `doc`, `code`.
        node_id: The id of its node in the code graph, if it has one.
        node_kind: The kind of that node.
        lang: The language of its document, or of its code.
        lexical: The BM25 score for the query.
        similarity: Cosine with the query's vector; None if either has no vector.
        matched_terms: The query terms that it contains.
    """

    id: str
    document_id: str
    parent_id: str | None
    place: int
    section_path: tuple[str, ...]
    token_count: int
    rank_boost: float
    part: int | None
    parts: int | None
    path: str
    source: str
    node_id: str | None
    node_kind: str | None
    lang: str | None
    lexical: float
    similarity: float | None
    matched_terms: tuple[str, ...] = ()

    @property
    def section(self) -> tuple[str, int]:
        """Identifies its section: the document, and the position of the first part."""
        return self.document_id, self.place - (self.part or 0)

    @property
    def is_code(self) -> bool:
        """Whether it is source code."""
        return self.source == "code"

    @property
    def name(self) -> str:
        """The name of the definition, or the heading; empty for the text of a file."""
        if not self.section_path:
            return ""
        if not self.is_code:
            return self.section_path[-1]
        if self.node_kind in _KINDS_WITHOUT_NAME:
            return ""
        return self.section_path[-1].partition("(")[0]

    @property
    def file_name(self) -> str:
        """The name of its file, or of the folder if a language prescribes the file's."""
        return file_name(self.path)


def file_stem(path: str) -> str:
    """Return the name of a file without the extension."""
    name = path.rpartition("/")[2]
    return name.rpartition(".")[0] or name


def file_name(path: str) -> str:
    """Return the stem of a file, or its folder's name if a language prescribes it."""
    stem = file_stem(path)
    if stem not in _PRESCRIBED_NAMES:
        return stem
    return path.rpartition("/")[0].rpartition("/")[2] or stem


@dataclass(frozen=True, slots=True)
class SectionSpan:
    """A section with subsections: an inner chunk, which is not searched itself.

    Attributes:
        id: Its id in the store.
        document_id: The id of its document.
        first: Its own position; its leaves follow.
        last: The position of its last leaf.
        tokens: Number of tokens of all its leaves.
        section_path: Headings, outermost first, including its own.
    """

    id: str
    document_id: str
    first: int
    last: int
    tokens: int
    section_path: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionCandidate:
    """A section of a document that may become a hit.

    Attributes:
        id: Its id in the store.
        document_id: The id of its document.
        path: The path of its document.
        headings: Headings, outermost first, including its own.
        heading: Its own heading.
        depth: Level of the heading; 0 before the first one.
        order: Its position among the sections with the same parent.
        parent_id: The section that it is a part of, if any.
        place: Its position in the document.
        summary: Its summary, if there is one.
        document_summary: The summary of its document, if there is one.
        lexical: The score of its own words for the query.
        similarity: Cosine of its own vector with the query's; None if either is missing.
        chunks: Ids of those of the given chunks that have some of its text.
    """

    id: str
    document_id: str
    path: str
    headings: tuple[str, ...]
    heading: str
    depth: int
    order: int
    parent_id: str | None
    place: int
    summary: str | None
    document_summary: str | None
    lexical: float = 0.0
    similarity: float | None = None
    chunks: tuple[str, ...] = ()


class Opening(NamedTuple):
    """The beginning of a section or a document, and the extent of all of it.

    Attributes:
        text: The beginning, of at least the wanted number of tokens if it has them.
        token_count: Number of tokens of all of it.
        start_line: Its first line, counted from 1.
        end_line: Its last line, inclusive.
        start_offset: Where it starts, in code points.
        end_offset: Where it ends, exclusive.
    """

    text: str
    token_count: int
    start_line: int
    end_line: int
    start_offset: int
    end_offset: int


class DocumentRef(NamedTuple):
    """A document that may become a hit."""

    id: str
    path: str
    title: str | None
    source: str  # `doc` or `code`
    summary: str | None


class Leaf(NamedTuple):
    """A leaf as a hit shows it."""

    chunk: AnyChunk
    summary: str | None = None  # of its section
    document_summary: str | None = None


class ChunkRef(NamedTuple):
    """A chunk and the nodes of the code graph it belongs to.

    Attributes:
        id: The chunk's id in the store.
        node_id: The node's id; None for chunks of documents.
        folded: The ids of other small definitions that share the chunk.
    """

    id: str
    node_id: str | None
    folded: tuple[str, ...] = ()

    @property
    def ends(self) -> list[str]:
        """The ids that edges of the chunk start from."""
        return [end for end in (self.node_id, self.id, *self.folded) if end]


class Neighbour(NamedTuple):
    """A chunk one edge away.

    Attributes:
        end: The id of the node or chunk where the edge was followed from.
        chunk_id: The chunk at the other end.
        kind: The kind of the edge.
        leaving: Whether the edge leads from `end` to the chunk; otherwise back.
        confidence: From 0 to 1.
        resolution: How the edge was found.
    """

    end: str
    chunk_id: str
    kind: str
    leaving: bool
    confidence: float
    resolution: str
