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
    """A chunk found by its words or its vector, with the score."""

    id: str  # the chunk's id in the store
    # The BM25 score, or the cosine with the query's vector; higher is better.
    score: float


class LexicalQuery(NamedTuple):
    """A search by words."""

    # How often the query contains each of its terms, or what it counts instead.
    terms: Mapping[str, float]
    limit: int  # maximum number of matches
    # How many of the first matches must be exactly the best; all by default. The rest
    # may be approximate, which is faster.
    exact: int | None = None
    # In an index with more chunks than this, all matches may be approximate.
    max_chunks: int | None = None


class VectorQuery(NamedTuple):
    """A search by vector."""

    vector: NDArray[np.float32]  # a vector of the index's embedder
    limit: int  # maximum number of matches


class NameQuery(NamedTuple):
    """A search for definitions."""

    names: Sequence[str]  # names as they may be written
    limit: int  # maximum number of definitions


class LineQuery(NamedTuple):
    """A line of a file.

    Attributes:
        path: The path as somebody wrote it, with slashes: of the file, the end of it, or
            longer than it.
        line: The line, from 1.
    """

    path: str
    line: int


class Matches(NamedTuple):
    """The results of several searches."""

    # For each search by words, its matches, best first.
    lexical: Sequence[Sequence[Match]]
    nearest: Sequence[Match]  # the matches of the search by vector, nearest first
    # The ids of chunks that define one of the names, types first.
    definitions: Sequence[str]


def idf(chunks: int, containing: float) -> float:
    """Return the inverse document frequency of a term: the rarer, the higher."""
    return log(1 + (chunks - containing + 0.5) / (containing + 0.5))


class TermStatistics(NamedTuple):
    """Statistics of a term in an index."""

    df: int  # document frequency: the number of chunks that contain it
    max_weight: float  # its highest BM25 weight in any chunk, without the idf
    chunks: int  # number of chunks in the index

    @property
    def idf(self) -> float:
        """Inverse document frequency."""
        return idf(self.chunks, self.df)


class Candidate(NamedTuple):
    """A chunk that may become a hit; a tuple, because a search makes many of them."""

    id: str  # the chunk's id in the store
    document_id: str  # the id of its document
    parent_id: str | None  # the id of its parent, if it has one
    place: int  # its position in the document
    section_path: tuple[str, ...]  # headings, outermost first
    token_count: int
    rank_boost: float  # factor of its score
    # Which part of a split section it is, from 0; None if it is not split.
    part: int | None
    parts: int | None  # number of parts of the split section
    path: str  # the path of its document
    source: str  # where its text comes from: `doc`, `code`
    node_id: str | None  # the id of its node in the code graph, if it has one
    node_kind: str | None  # the kind of that node
    lang: str | None  # the language of its document, or of its code
    lexical: float  # the BM25 score for the query
    # Cosine with the query's vector; None if either has no vector.
    similarity: float | None
    matched_terms: tuple[str, ...] = ()  # the query terms that it contains

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
    """A section with subsections: an inner chunk, which is not searched itself."""

    id: str  # its id in the store
    document_id: str  # the id of its document
    first: int  # its own position; its leaves follow
    last: int  # the position of its last leaf
    tokens: int  # number of tokens of all its leaves
    section_path: tuple[str, ...]  # headings, outermost first, including its own


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionCandidate:
    """A section of a document that may become a hit."""

    id: str  # its id in the store
    document_id: str  # the id of its document
    path: str  # the path of its document
    headings: tuple[str, ...]  # headings, outermost first, including its own
    heading: str
    depth: int  # level of the heading; 0 before the first one
    order: int  # its position among the sections with the same parent
    parent_id: str | None  # the section that it is a part of, if any
    place: int  # its position in the document
    summary: str | None  # its summary, if there is one
    document_summary: str | None  # the summary of its document, if there is one
    lexical: float = 0.0  # the score of its own words for the query
    # Cosine of its own vector with the query's; None if either is missing.
    similarity: float | None = None
    # Ids of those of the given chunks that have some of its text.
    chunks: tuple[str, ...] = ()


class Opening(NamedTuple):
    """The beginning of a section or a document, and the extent of all of it."""

    text: str  # the beginning, of at least the wanted number of tokens if it has them
    token_count: int  # number of tokens of all of it
    start_line: int  # its first line, counted from 1
    end_line: int  # its last line, inclusive
    start_offset: int  # where it starts, in code points
    end_offset: int  # where it ends, exclusive


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
    """A chunk and the nodes of the code graph it belongs to."""

    id: str  # the chunk's id in the store
    node_id: str | None  # the node's id; None for chunks of documents
    # The ids of other small definitions that share the chunk.
    folded: tuple[str, ...] = ()

    @property
    def ends(self) -> list[str]:
        """The ids that edges of the chunk start from."""
        return [end for end in (self.node_id, self.id, *self.folded) if end]


class Neighbour(NamedTuple):
    """A chunk one edge away."""

    end: str  # the id of the node or chunk where the edge was followed from
    chunk_id: str  # the chunk at the other end
    kind: str  # the kind of the edge
    leaving: bool  # whether the edge leads from `end` to the chunk; otherwise back
    confidence: float  # from 0 to 1
    resolution: str  # how the edge was found
