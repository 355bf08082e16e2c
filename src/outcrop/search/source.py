"""The port between search and whatever holds the index.

Search asks a `CandidateSource` for everything it reads. The store implements it on a
read transaction; tests implement it on lists in memory.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager, ExitStack

    import numpy as np
    from numpy.typing import NDArray

    from outcrop.model.candidate import (
        Candidate,
        ChunkRef,
        DocumentRef,
        Leaf,
        LexicalQuery,
        LineQuery,
        Matches,
        NameQuery,
        Neighbour,
        Opening,
        SectionCandidate,
        SectionSpan,
        TermStatistics,
        VectorQuery,
    )
    from outcrop.model.embedder_identity import EmbedderIdentity
    from outcrop.model.filter import Filter


class CandidateSource(Protocol):
    """One consistent view of an index: every method sees the same state of it.

    Ids are those of the store. A `restriction` limits the result to the chunks that
    pass it, before `limit` is applied; None means all chunks.
    """

    def embedder(self) -> EmbedderIdentity | None:
        """Return the embedder of the index, or None if nothing was embedded yet."""
        ...

    def statistics(self, terms: Iterable[str]) -> Mapping[str, TermStatistics]:
        """Return the statistics of terms; terms that no chunk contains are left out."""
        ...

    def indexed_terms(
        self, start: str, *, min_length: int, max_length: int
    ) -> Mapping[str, int]:
        """Return terms of some lengths that start with a text, and their chunks."""
        ...

    def matches(
        self,
        *,
        lexical: Sequence[LexicalQuery] = (),
        vector: VectorQuery | None = None,
        names: NameQuery | None = None,
        restriction: Filter | None = None,
    ) -> Matches:
        """Run several searches together.

        Args:
            lexical: Searches by words, each ranked by BM25, ties by id.
            vector: A search by the cosine of vectors.
            names: A search for definitions.
            restriction: Which chunks count.
        """
        ...

    def candidates(
        self,
        ids: Collection[str],
        *,
        vector: NDArray[np.float32] | None = None,
        weights: Mapping[str, float] | None = None,
        terms: Sequence[str] = (),
    ) -> list[Candidate]:
        """Return chunks as candidates, sorted by id; unknown ids are left out.

        Without a vector the scores of the candidates are left empty.

        Args:
            ids: Ids of chunks.
            vector: The query's vector, for `Candidate.similarity`.
            weights: The weight of each query term, for `Candidate.lexical`.
            terms: The query terms to look for, for `Candidate.matched_terms`.
        """
        ...

    def chunks_at(
        self, query: LineQuery, *, limit: int, restriction: Filter | None = None
    ) -> list[str]:
        """Return the chunks at a line, or nearest to it: one per file, sorted by id.

        Of several files, those with the whole path count first, then those with the
        fewest characters around the part of it that they have.
        """
        ...

    def sections(self, ids: Collection[str]) -> list[SectionSpan]:
        """Return those of the given chunks that are sections with subsections."""
        ...

    def leaves(self, ranges: Sequence[tuple[str, int, int]]) -> list[Leaf]:
        """Return leaves with the summaries of their sections, in document order.

        Args:
            ranges: Document id, first and last chunk index, inclusive.
        """
        ...

    def sections_with(
        self,
        chunk_ids: Collection[str],
        *,
        vector: NDArray[np.float32] | None = None,
        weights: Mapping[str, float] | None = None,
    ) -> list[SectionCandidate]:
        """Return the sections that some chunks have text of, sorted by id.

        Args:
            chunk_ids: Ids of chunks.
            vector: The query's vector, for `SectionCandidate.similarity`.
            weights: The weight of each query term, for `SectionCandidate.lexical`.
        """
        ...

    def sections_by_id(self, ids: Collection[str]) -> list[SectionCandidate]:
        """Return sections by their ids, sorted by id, without scores."""
        ...

    def section_openings(
        self, sections: Sequence[SectionCandidate], *, max_tokens: int, whole: bool
    ) -> list[Opening]:
        """Return the beginnings of sections, in the same order.

        Args:
            sections: The sections.
            max_tokens: How many tokens are enough.
            whole: Whether the subsections are part of a section.
        """
        ...

    def documents(self, ids: Collection[str]) -> list[DocumentRef]:
        """Return documents by their ids, sorted by id."""
        ...

    def document_openings(
        self, ids: Sequence[str], *, max_tokens: int
    ) -> list[Opening]:
        """Return the beginnings of documents, in the same order.

        Args:
            ids: Ids of documents.
            max_tokens: How many tokens are enough.
        """
        ...

    def neighbours(
        self,
        ends: Collection[str],
        *,
        leaving: Collection[str],
        entering: Collection[str],
        limit: int,
        restriction: Filter | None = None,
    ) -> list[Neighbour]:
        """Return the chunks one edge away, by falling confidence.

        Args:
            ends: Ids of nodes, and of chunks of documents.
            leaving: Kinds of edge to follow forwards.
            entering: Kinds of edge to follow backwards.
            limit: Maximum number of neighbours.
            restriction: Which chunks count.
        """
        ...

    def uses(self, node_ids: Collection[str]) -> Mapping[str, int]:
        """Return how many edges of code lead to each node; many are not all counted."""
        ...

    def find_node(self, symbol: str) -> str | None:
        """Return the id of the node that a name most likely refers to."""
        ...

    def find_chunk(self, prefix: str) -> ChunkRef | None:
        """Return the only chunk whose id starts with these digits."""
        ...


class SourceOpener(Protocol):
    """Opens a source; leaving the context manager ends the view."""

    def __call__(
        self, *, terms: Collection[str] = ()
    ) -> AbstractContextManager[CandidateSource]:
        """Open a view of the current state of the index.

        Args:
            terms: Terms whose statistics will be wanted; a hint.
        """
        ...


class KeptView:
    """One view of an index for two readers, one after the other, in one thread.

    Opening a view costs as much as some searches. Whoever checks the spelling of a
    question and then searches for it reads the same words of the same state.

    Args:
        open_source: Opens the index.
        opened: Closes a view that is not used again.
    """

    def __init__(self, open_source: SourceOpener, opened: ExitStack) -> None:
        self._open_source = open_source
        self._opened = opened
        self._kept: CandidateSource | None = None

    @contextmanager
    def keep(self, *, terms: Collection[str] = ()) -> Iterator[CandidateSource]:
        """Open a view that stays open; see `SourceOpener`."""
        if self._kept is None:
            self._kept = self._opened.enter_context(self._open_source(terms=terms))
        yield self._kept

    @contextmanager
    def take(self, *, terms: Collection[str] = ()) -> Iterator[CandidateSource]:
        """Open the kept view, or another one, and close it at the end."""
        with self._opened:
            kept, self._kept = self._kept, None
            yield kept or self._opened.enter_context(self._open_source(terms=terms))
