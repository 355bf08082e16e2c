"""Values that search reads from an index: matches, candidates and what is around them."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import NamedTuple

# Nodes that stand for a file or a folder, whose names are those of the path.
_WITHOUT_NAME = frozenset([None, "MODULE", "PACKAGE"])
# Files that a language makes everybody call so.
_UNTOLD = frozenset(["__init__", "__main__", "index", "main", "mod", "lib"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A chunk that a search found.

    Attributes:
        id: The chunk's id in the store.
        score: BM25's score, or the cosine of two vectors; greater is better.
    """

    id: str
    score: float


def idf(chunks: int, containing: int) -> float:
    """Return how much a term tells: the rarer, the more.

    Args:
        chunks: How many chunks there are.
        containing: How many of them hold the term.
    """
    return log(1 + (chunks - containing + 0.5) / (containing + 0.5))


class TermStatistics(NamedTuple):
    """What the index knows of a term.

    Attributes:
        df: How many chunks hold it.
        maxw: The most that any of them makes of it, before its idf.
        chunks: How many chunks there are.
    """

    df: int
    maxw: float
    chunks: int

    @property
    def idf(self) -> float:
        """How much the term tells."""
        return idf(self.chunks, self.df)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk that may become a hit.

    Attributes:
        id: The chunk's id in the store.
        document_id: Its document's.
        parent_id: Its parent's, where it has one.
        chunk_index: Its place within the document.
        section_path: Headings from the outside in.
        token_count: Its tokens.
        rank_boost: Factor of its score.
        part: Which part of its section it is; None where it is all of it.
        parts: Of how many parts.
        path: Its document's path.
        source: Where its text comes from.
        node_id: The node of the code graph behind it.
        node_kind: What that node is.
        lexical: BM25's score for the query.
        similarity: Cosine with the query; None without a vector on either side.
        matched_terms: The query terms that it contains.
    """

    id: str
    document_id: str
    parent_id: str | None
    chunk_index: int
    section_path: tuple[str, ...]
    token_count: int
    rank_boost: float
    part: int | None
    parts: int | None
    path: str
    source: str
    node_id: str | None
    node_kind: str | None
    lexical: float
    similarity: float | None
    matched_terms: tuple[str, ...] = ()

    @property
    def section(self) -> tuple[str, int]:
        """Names the section whose part it is: document and place of the first part."""
        return self.document_id, self.chunk_index - (self.part or 0)

    @property
    def is_code(self) -> bool:
        """Whether it is source code."""
        return self.source == "code"

    @property
    def name(self) -> str:
        """What it defines, or its heading; empty for a file's own text."""
        if not self.section_path:
            return ""
        if not self.is_code:
            return self.section_path[-1]
        if self.node_kind in _WITHOUT_NAME:
            return ""
        return self.section_path[-1].partition("(")[0]

    @property
    def file_stem(self) -> str:
        """The name of its file without the extension."""
        name = self.path.rpartition("/")[2]
        return name.rpartition(".")[0] or name

    @property
    def file_name(self) -> str:
        """What its file is called; the folder's name where that says more."""
        stem = self.file_stem
        if stem not in _UNTOLD:
            return stem
        return self.path.rpartition("/")[0].rpartition("/")[2] or stem


@dataclass(frozen=True, slots=True)
class SectionSpan:
    """A section with subsections: an inner node, which is not searched itself.

    Attributes:
        id: Its id in the store.
        document_id: Its document's.
        first: Its own place; its leaves come after it.
        last: Place of its last leaf.
        tokens: Tokens of all its leaves.
        section_path: Headings from the outside in, its own included.
    """

    id: str
    document_id: str
    first: int
    last: int
    tokens: int
    section_path: tuple[str, ...]


class ChunkRef(NamedTuple):
    """A chunk and the node of the code graph it belongs to.

    Attributes:
        id: The chunk's id in the store.
        node_id: The node's id; None for chunks of documents.
    """

    id: str
    node_id: str | None


class Neighbour(NamedTuple):
    """A chunk at the other end of an edge.

    Attributes:
        end: The node or the chunk that the search started from.
        chunk_id: The chunk at the other end.
        kind: What the edge says.
        leaving: Whether the edge leads from `end` to the chunk, and not to it.
        confidence: From 0 to 1.
        resolution: How the edge was found.
    """

    end: str
    chunk_id: str
    kind: str
    leaving: bool
    confidence: float
    resolution: str
