"""Several databases as search sees them: one index.

Answers of databases are never merged. Statistics are added up first, so that every
database weighs words alike; then the candidates of all databases are ranked together, as
those of one database are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

from outcrop.errors import SchemaVersionError
from outcrop.model.candidate import Match, Matches, TermStatistics
from outcrop.store.availability import ParallelSources, asking
from outcrop.store.lexical.query import (
    MAX_CANDIDATES,
    WordSearch,
    find_best,
    weigh_terms,
)
from outcrop.store.search_source import PostgresSource

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from outcrop.model.candidate import (
        ChunkRef,
        DocumentRef,
        Leaf,
        LexicalQuery,
        LineQuery,
        NameQuery,
        Neighbour,
        Opening,
        SectionCandidate,
        VectorQuery,
    )
    from outcrop.model.embedder_identity import EmbedderIdentity
    from outcrop.model.filter import Filter

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")
_Ask = Callable[[PostgresSource], _Result]


class ShardedSource:
    """A `CandidateSource` on a read transaction in each database; see there.

    While documents are moved from one database to another, both may hold one: the first
    to give it counts.
    """

    def __init__(self, databases: ParallelSources[PostgresSource]) -> None:
        """Read from several databases."""
        self._databases = databases
        self._chunks: dict[str, int] | None = None
        self._statistics: dict[str, TermStatistics | None] = {}
        self._owners: dict[str, str] = {}  # the database of each document

    def embedder(self) -> EmbedderIdentity | None:
        """Return the embedder of the index."""
        found = self._databases.ask_all(lambda source: source.embedder())
        known = {name: embedder for name, embedder in found.items() if embedder}
        if len(set(known.values())) > 1:
            each = ", ".join(f"{name}: {embedder}" for name, embedder in known.items())
            raise SchemaVersionError(
                f"the databases were built with different embedders ({each}); run:"
                " outcrop reembed"
            )
        return next(iter(known.values()), None)

    def statistics(self, terms: Iterable[str]) -> dict[str, TermStatistics]:
        """Return the statistics of terms in all databases together."""
        wanted = list(terms)
        missing = [term for term in wanted if term not in self._statistics]
        if missing:
            chunks = sum(self._chunk_counts().values())
            found = self._databases.ask_all(
                lambda source: source.statistics(missing)
            ).values()
            self._statistics |= {
                term: _add_up([each[term] for each in found if term in each], chunks)
                for term in missing
            }
        known = ((term, self._statistics[term]) for term in wanted)
        return {term: each for term, each in known if each is not None}

    def _chunk_counts(self) -> dict[str, int]:
        if self._chunks is None:
            self._chunks = self._databases.ask_all(lambda source: source.count_chunks())
        return self._chunks

    def _added_up(self, ask: _Ask[Mapping[str, int]]) -> Mapping[str, int]:
        """Return the counts of all databases together."""
        total: Counter[str] = Counter()
        for counts in self._databases.ask_all(ask).values():
            total.update(counts)
        return total

    indexed_terms = asking(PostgresSource.indexed_terms, _added_up)

    def matches(
        self,
        *,
        lexical: Sequence[LexicalQuery] = (),
        vector: VectorQuery | None = None,
        names: NameQuery | None = None,
        restriction: Filter | None = None,
    ) -> Matches:
        """Run searches one after the other, each in all databases at the same time."""
        return Matches(
            lexical=[self._lexical_matches(query, restriction) for query in lexical],
            nearest=self._vector_matches(vector, restriction) if vector else [],
            definitions=self._definitions(names, restriction) if names else [],
        )

    def _lexical_matches(
        self, query: LexicalQuery, restriction: Filter | None
    ) -> list[Match]:
        """Return the best chunks by BM25 with the statistics of all databases."""
        limit = query.limit
        known = weigh_terms(query.terms, self.statistics(query.terms))
        if not known or limit < 1:
            return []
        found = self._databases.ask_all(
            lambda source: source.lexical_search(known, limit, restriction)
        )
        searches = {name: search for name, (search, _) in found.items()}
        counts = self._chunk_counts()
        left = [
            counts.get(name, 0) if resolved.chunks is None else resolved.chunks
            for name, (_, resolved) in found.items()
        ]
        is_narrow = any(each.chunks is not None for _, each in found.values())

        def rank(query: str, *, few: bool = False) -> list[Match]:
            ranked = self._databases.ask(
                {
                    name: partial(search.rank, query, few=few)
                    for name, search in searches.items()
                }
            )
            return _best(ranked.values(), limit)

        few = is_narrow and sum(left) <= MAX_CANDIDATES
        filtered = any(resolved.restricts for _, resolved in found.values())
        return find_best(rank, WordSearch(query, known, few=few, filtered=filtered))

    def _vector_matches(
        self, query: VectorQuery, restriction: Filter | None
    ) -> list[Match]:
        """Return the chunks nearest to a vector."""
        found = self._databases.ask_all(
            lambda source: source.matches(vector=query, restriction=restriction).nearest
        )
        return _best(found.values(), query.limit)

    def _definitions(self, query: NameQuery, restriction: Filter | None) -> list[str]:
        """Return the ids of chunks that define one of these names."""
        found = self._databases.ask_all(
            lambda source: source.ranked_definitions(query, restriction)
        )
        ranked = sorted({each for some in found.values() for each in some})
        return [chunk_id for _, chunk_id in ranked[: query.limit]]

    def _owned(self, ask: _Ask[list[_Item]], *, of: str = "document_id") -> list[_Item]:
        """Return the items of all databases by id, those of a document from one of them.

        Args:
            ask: Asks one database.
            of: The attribute of an item with the id of its document.
        """
        document_of = attrgetter(of)
        owned = [
            item
            for name, items in self._databases.ask_all(ask).items()
            for item in items
            if self._owners.setdefault(document_of(item), name) == name
        ]
        return sorted(owned, key=attrgetter("id"))

    candidates = asking(PostgresSource.candidates, _owned)
    sections = asking(PostgresSource.sections, _owned)
    sections_with = asking(PostgresSource.sections_with, _owned)
    sections_by_id = asking(PostgresSource.sections_by_id, _owned)

    def leaves(self, ranges: Sequence[tuple[str, int, int]]) -> list[Leaf]:
        """Return leaves with the summaries of their sections."""
        found = self._each_of(
            ranges, lambda place: place[0], lambda source, some: source.leaves(some)
        )
        # As one database gives them: by document and place.
        documents = sorted({document for document, *_ in ranges})
        leaves = [leaf for some in found.values() for leaf in some]
        order = {document: at for at, document in enumerate(documents)}
        return sorted(
            leaves,
            key=lambda leaf: (order[leaf.chunk.document_id], leaf.chunk.place),
        )

    def section_openings(
        self, sections: Sequence[SectionCandidate], *, max_tokens: int, whole: bool
    ) -> list[Opening]:
        """Return the beginnings of sections."""
        return self._in_order(
            sections,
            lambda section: section.document_id,
            lambda source, some: source.section_openings(
                some, max_tokens=max_tokens, whole=whole
            ),
        )

    def documents(self, ids: Collection[str]) -> list[DocumentRef]:
        """Return documents by their ids."""
        return self._owned(lambda source: source.documents(ids), of="id")

    def document_openings(
        self, ids: Sequence[str], *, max_tokens: int
    ) -> list[Opening]:
        """Return the beginnings of documents."""
        return self._in_order(
            ids,
            lambda document_id: document_id,
            lambda source, some: source.document_openings(some, max_tokens=max_tokens),
        )

    def neighbours(
        self,
        ends: Collection[str],
        *,
        leaving: Collection[str],
        entering: Collection[str],
        limit: int,
        restriction: Filter | None = None,
    ) -> list[Neighbour]:
        """Return the chunks one edge away; both ends of an edge are in one database."""
        found = self._databases.ask_all(
            lambda source: source.neighbours(
                ends,
                leaving=leaving,
                entering=entering,
                limit=limit,
                restriction=restriction,
            )
        )
        together = {each for some in found.values() for each in some}
        return sorted(together, key=_nearness)[:limit]

    def uses(self, node_ids: Collection[str]) -> Mapping[str, int]:
        """Return how many edges lead to each node; they are in the node's database."""
        found = self._databases.ask_all(lambda source: source.uses(node_ids))
        return {
            node: max(some.get(node, 0) for some in found.values()) for node in node_ids
        }

    def find_node(self, symbol: str) -> str | None:
        """Return the id of the node that a name most likely refers to."""
        found = self._databases.ask_all(lambda source: source.find_node(symbol))
        return next((node for node in found.values() if node is not None), None)

    def chunks_at(
        self, query: LineQuery, *, limit: int, restriction: Filter | None = None
    ) -> list[str]:
        """Return the chunks at a line of each database."""
        found = self._databases.ask_all(
            lambda source: source.chunks_at(query, limit=limit, restriction=restriction)
        )
        return sorted({chunk_id for some in found.values() for chunk_id in some})

    def find_chunk(self, prefix: str) -> ChunkRef | None:
        """Return the only chunk whose id starts with these digits."""
        found = self._databases.ask_all(lambda source: source.find_chunk(prefix))
        chunks = {chunk for chunk in found.values() if chunk is not None}
        return chunks.pop() if len(chunks) == 1 else None

    def _each_of(
        self,
        items: Sequence[_Item],
        document_of: Callable[[_Item], str],
        ask: Callable[[PostgresSource, Sequence[_Item]], _Result],
    ) -> dict[str, _Result]:
        """Ask each database about the items of its own documents."""
        unknown = {document_of(item) for item in items} - self._owners.keys()
        if unknown:
            self.documents(unknown)  # notes where they are
        sources = self._databases.by_name
        by_owner: dict[str, list[_Item]] = {}
        for item in items:
            owner = self._owners.get(document_of(item))
            if owner in sources:
                by_owner.setdefault(owner, []).append(item)
        calls = {n: partial(ask, sources[n], own) for n, own in by_owner.items()}
        return self._databases.ask(calls)

    def _in_order(
        self,
        items: Sequence[_Item],
        document_of: Callable[[_Item], str],
        ask: Callable[[PostgresSource, Sequence[_Item]], list[Opening]],
    ) -> list[Opening]:
        found = self._each_of(items, document_of, ask)
        rests = {name: iter(openings) for name, openings in found.items()}
        owners = (self._owners.get(document_of(item), "") for item in items)
        return [next(rests[owner]) for owner in owners if owner in rests]


def _add_up(found: Sequence[TermStatistics], chunks: int) -> TermStatistics | None:
    if not found:
        return None
    return TermStatistics(
        df=sum(each.df for each in found),
        max_weight=max(each.max_weight for each in found),
        chunks=chunks,
    )


def _best(found: Iterable[Sequence[Match]], limit: int) -> list[Match]:
    """Return the best matches of all databases, ties by id."""
    scores = {match.id: match.score for matches in found for match in matches}
    ordered = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    return [Match(id=chunk_id, score=score) for chunk_id, score in ordered[:limit]]


def _nearness(neighbour: Neighbour) -> tuple[Any, ...]:
    here, chunk_id, kind, leaving, confidence, _ = neighbour
    return -confidence, chunk_id, here, kind, leaving
