"""The store as search sees it: one read transaction."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from outcrop.model.candidate import Candidate, ChunkRef, Leaf, Neighbour, SectionSpan
from outcrop.model.filter import Filter
from outcrop.store.columns import SHOWN_COLUMNS, unpack_shown
from outcrop.store.filters import CHUNKS_CONDITION, Resolved, resolve
from outcrop.store.lexical.prune import quote_term
from outcrop.store.lexical.query import (
    LexicalSearch,
    count_chunks,
    read_statistics,
    search_words,
)
from outcrop.store.lexical.terms import read_terms
from outcrop.store.lexical.weights import weights_literal
from outcrop.store.nodes import match_nodes
from outcrop.store.packing import vector_literal
from outcrop.store.section_source import (
    read_document_openings,
    read_documents,
    read_section_openings,
    read_sections_by_id,
    read_sections_with,
)
from outcrop.store.sections import SECTION_SUMMARY
from outcrop.store.vectors import read_embedder, search_vectors

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from outcrop.model.candidate import (
        DocumentRef,
        Match,
        Opening,
        SectionCandidate,
        TermStatistics,
    )
    from outcrop.model.embedder_identity import EmbedderIdentity
    from outcrop.store.database import Connection, Database
    from outcrop.store.lexical.query import WeighedTerm

# Fields of `Candidate`; its scores follow.
_COLUMNS = {
    "id": "c.id",
    "document_id": "c.document_id",
    "parent_id": "c.parent_id",
    "place": "c.place",
    "section_path": "c.section_path",
    "token_count": "c.token_count",
    "rank_boost": "c.rank_boost",
    "part": "(c.metadata->>'part')::int",
    "parts": "(c.metadata->>'parts')::int",
    "path": "d.path",
    "source": "c.source",
    "node_id": "c.node_id",
    "node_kind": "c.metadata->>'node_kind'",
}
_SCORES = {
    "lexical": "coalesce(-(l.sv <#> %(weights)s::sparsevec), 0)",
    "similarity": "1 - (c.emb <=> %(vector)s::vector)",
    "matched_terms": """ARRAY(
        SELECT at FROM unnest(%(terms)s::tsquery[]) WITH ORDINALITY AS t (term, at)
        WHERE l.tsv @@ t.term
    )""",
}
_NO_SCORES = {
    "lexical": "0::float8",
    "similarity": "NULL::float8",
    "matched_terms": "'{}'::int[]",
}
_FIELDS = [*_COLUMNS, *_SCORES]
_WITH_SCORES = f"""
SELECT {", ".join([*_COLUMNS.values(), *_SCORES.values()])}
FROM chunks c JOIN documents d ON d.id = c.document_id
    LEFT JOIN chunk_lex l ON l.chunk_id = c.id
WHERE c.id = ANY(%(ids)s::text[])
"""  # noqa: S608 - constants; values are bound
_WITHOUT_SCORES = f"""
SELECT {", ".join([*_COLUMNS.values(), *_NO_SCORES.values()])}
FROM chunks c JOIN documents d ON d.id = c.document_id
WHERE c.id = ANY(%(ids)s::text[])
"""  # noqa: S608 - as above
# A definition that was split is represented by its first part, with the signature.
_DEFINITIONS = f"""
SELECT n.kind NOT IN ('CLASS', 'INTERFACE', 'ENUM'), n.kind <> 'FUNCTION', c.id
FROM nodes n JOIN chunks c ON c.node_id = n.id
WHERE n.name = ANY(%(names)s) AND c.indexable
    AND coalesce((c.metadata->>'part')::int, 0) = 0 AND {CHUNKS_CONDITION}
ORDER BY 1, 2, 3
LIMIT %(limit)s
"""  # noqa: S608 - constants; values are bound
_LEAVES = f"""
SELECT {SHOWN_COLUMNS}, {SECTION_SUMMARY}, d.summary
FROM chunks c JOIN documents d ON d.id = c.document_id
JOIN unnest(%s::text[], %s::int[], %s::int[]) AS wanted (document_id, low, high)
    ON c.document_id = wanted.document_id
        AND c.place BETWEEN wanted.low AND wanted.high
WHERE c.is_leaf ORDER BY c.document_id, c.place
"""  # noqa: S608 - column names
_BY_PREFIX = "SELECT id, node_id FROM chunks WHERE id LIKE %s ORDER BY id LIMIT 2"
_DIGITS = re.compile("[0-9a-f]+")
_SECTIONS = """
SELECT id, document_id, place, (metadata->>'last_leaf')::int,
    (metadata->>'section_tokens')::int, section_path
FROM chunks
WHERE id = ANY(%s) AND kind = 'section' AND NOT is_leaf AND metadata ? 'last_leaf'
"""
# An end of an edge is a node, or a chunk of a document that mentions one. A
# definition that was split is represented by its first part.
_NEIGHBOURS = f"""
WITH near AS (
    (SELECT e.src AS here, e.dst AS there, e.kind, true AS leaving, e.confidence,
        e.resolution
    FROM edges e
    WHERE e.src = ANY(%(ends)s) AND e.kind = ANY(%(leaving)s) AND NOT e.external
    ORDER BY e.confidence DESC, e.dst, e.src, e.kind LIMIT %(limit)s)
    UNION ALL
    (SELECT e.dst, e.src, e.kind, false, e.confidence, e.resolution
    FROM edges e
    WHERE e.dst = ANY(%(ends)s) AND e.kind = ANY(%(entering)s)
    ORDER BY e.confidence DESC, e.src, e.dst, e.kind LIMIT %(limit)s)
), places AS (
    SELECT near.*, c.id FROM near JOIN chunks c ON c.node_id = near.there
    UNION ALL
    SELECT near.*, c.id FROM near JOIN chunks c ON c.id = near.there
    WHERE near.kind = 'MENTIONS' AND NOT near.leaving
)
SELECT p.here, p.id, p.kind, p.leaving, p.confidence, p.resolution
FROM places p JOIN chunks c ON c.id = p.id
WHERE c.indexable AND coalesce((c.metadata->>'part')::int, 0) = 0
    AND {CHUNKS_CONDITION}
ORDER BY p.confidence DESC, p.id, p.here, p.kind, p.leaving
LIMIT %(limit)s
"""  # noqa: S608 - constants; values are bound


@contextmanager
def open_source(database: Database) -> Iterator[PostgresSource]:
    """Open a view of a database in a transaction that sees one state throughout."""
    with database.read() as connection:
        yield PostgresSource(connection, database.info.vector_version)


class PostgresSource:
    """A `CandidateSource` on one read transaction; see there for the methods."""

    def __init__(self, connection: Connection, vector_version: tuple[int, ...]) -> None:
        """Read through a connection.

        Args:
            connection: In a transaction that sees one state throughout.
            vector_version: Version of the pgvector extension.
        """
        self._connection = connection
        self._vector_version = vector_version
        # The transaction sees one state, so each term and each filter is looked up once.
        # None stands for a term that no chunk contains.
        self._statistics: dict[str, TermStatistics | None] = {}
        self._resolved: list[tuple[Filter, Resolved]] = []

    def embedder(self) -> EmbedderIdentity | None:
        """Return the embedder of the index."""
        return read_embedder(self._connection)

    def statistics(self, terms: Iterable[str]) -> dict[str, TermStatistics]:
        """Return the statistics of terms."""
        wanted = list(terms)
        missing = [term for term in wanted if term not in self._statistics]
        if missing:
            self._statistics |= dict.fromkeys(missing)
            self._statistics |= read_statistics(self._connection, missing)
        return {
            term: known
            for term in wanted
            if (known := self._statistics[term]) is not None
        }

    def indexed_terms(
        self, start: str, *, min_length: int, max_length: int
    ) -> Mapping[str, int]:
        """See `CandidateSource.indexed_terms`."""
        return read_terms(self._connection, start, min_length, max_length)

    def lexical_matches(
        self,
        terms: Mapping[str, int],
        *,
        limit: int,
        exact: int | None = None,
        max_chunks: int | None = None,
        restriction: Filter | None = None,
    ) -> list[Match]:
        """Return the best chunks by BM25."""
        return search_words(
            self._connection,
            terms,
            statistics=self.statistics(terms),
            resolved=self._resolve(restriction),
            limit=limit,
            exact=exact,
            max_chunks=max_chunks,
        )

    def vector_matches(
        self,
        vector: NDArray[np.float32],
        *,
        limit: int,
        min_effort: int | None = None,
        restriction: Filter | None = None,
    ) -> list[Match]:
        """Return the chunks nearest to a vector."""
        return search_vectors(
            self._connection,
            vector,
            resolved=self._resolve(restriction),
            limit=limit,
            min_effort=min_effort,
            vector_version=self._vector_version,
        )

    def definitions(
        self, names: Sequence[str], *, limit: int, restriction: Filter | None = None
    ) -> list[str]:
        """Return the ids of chunks that define one of these names."""
        found = self.ranked_definitions(names, limit=limit, restriction=restriction)
        return [chunk_id for *_, chunk_id in found]

    def ranked_definitions(
        self, names: Sequence[str], *, limit: int, restriction: Filter | None = None
    ) -> list[tuple[bool, bool, str]]:
        """Return chunks that define one of these names: the ranks of a sort, and ids."""
        if not names:
            return []
        parameters = {
            **self._resolve(restriction).parameters,
            "names": list(names),
            "limit": limit,
        }
        rows = self._connection.execute(_DEFINITIONS, parameters)
        return [
            (not_type, not_function, chunk) for not_type, not_function, chunk in rows
        ]

    def candidates(
        self,
        ids: Collection[str],
        *,
        vector: NDArray[np.float32] | None = None,
        weights: Mapping[str, float] | None = None,
        terms: Sequence[str] = (),
    ) -> list[Candidate]:
        """Return chunks as candidates."""
        if not ids:
            return []
        # Hexadecimal digits need no quotes, and a string is sent much faster than a list.
        parameters: dict[str, Any] = {"ids": f"{{{','.join(ids)}}}"}
        statement = _WITHOUT_SCORES
        if vector is not None:
            statement = _WITH_SCORES
            parameters["vector"] = vector_literal(vector)
            parameters["weights"] = weights_literal(weights or {})
            parameters["terms"] = [quote_term(term) for term in terms]
        rows = self._connection.execute(statement, parameters).fetchall()
        # Floating-point sums depend on their order, which must not be that on disk.
        return sorted((_candidate(row, terms) for row in rows), key=lambda c: c.id)

    def sections(self, ids: Collection[str]) -> list[SectionSpan]:
        """Return those of the given chunks that are sections with subsections."""
        if not ids:
            return []
        rows = self._connection.execute(_SECTIONS, (list(ids),))
        return [
            SectionSpan(section_id, document_id, first, last, tokens, tuple(headings))
            for section_id, document_id, first, last, tokens, headings in rows
        ]

    def leaves(self, ranges: Sequence[tuple[str, int, int]]) -> list[Leaf]:
        """Return leaves with the summaries of their sections.

        Only the fields that a hit shows are read; the others keep their defaults.
        """
        if not ranges:
            return []
        columns = [list(column) for column in zip(*ranges, strict=True)]
        rows = self._connection.execute(_LEAVES, columns).fetchall()
        return [Leaf(unpack_shown(row[:-2]), *row[-2:]) for row in rows]

    def sections_with(
        self,
        chunk_ids: Collection[str],
        *,
        vector: NDArray[np.float32] | None = None,
        weights: Mapping[str, float] | None = None,
    ) -> list[SectionCandidate]:
        """Return the sections that some chunks have text of."""
        return read_sections_with(
            self._connection, chunk_ids, vector=vector, weights=weights
        )

    def sections_by_id(self, ids: Collection[str]) -> list[SectionCandidate]:
        """Return sections by their ids."""
        return read_sections_by_id(self._connection, ids)

    def section_openings(
        self, sections: Sequence[SectionCandidate], *, max_tokens: int, whole: bool
    ) -> list[Opening]:
        """Return the beginnings of sections."""
        return read_section_openings(
            self._connection, sections, max_tokens=max_tokens, whole=whole
        )

    def documents(self, ids: Collection[str]) -> list[DocumentRef]:
        """Return documents by their ids."""
        return read_documents(self._connection, ids)

    def document_openings(
        self, ids: Sequence[str], *, max_tokens: int
    ) -> list[Opening]:
        """Return the beginnings of documents."""
        return read_document_openings(self._connection, ids, max_tokens=max_tokens)

    def neighbours(
        self,
        ends: Collection[str],
        *,
        leaving: Collection[str],
        entering: Collection[str],
        limit: int,
        restriction: Filter | None = None,
    ) -> list[Neighbour]:
        """Return the chunks one edge away."""
        if not ends or not (leaving or entering):
            return []
        parameters = {
            **self._resolve(restriction).parameters,
            "ends": list(ends),
            "leaving": list(leaving),
            "entering": list(entering),
            "limit": limit,
        }
        rows = self._connection.execute(_NEIGHBOURS, parameters)
        return [Neighbour(*row) for row in rows]

    def find_node(self, symbol: str) -> str | None:
        """Return the id of the node that a name most likely refers to."""
        nodes = match_nodes(self._connection, symbol, 1)
        return nodes[0].id if nodes else None

    def find_chunk(self, prefix: str) -> ChunkRef | None:
        """Return the only chunk whose id starts with these digits."""
        if not _DIGITS.fullmatch(prefix):
            return None
        rows = self._connection.execute(_BY_PREFIX, (f"{prefix}%",)).fetchall()
        return ChunkRef(*rows[0]) if len(rows) == 1 else None

    # For an index in several databases, of which this is one

    def count_chunks(self) -> int:
        """Return the number of chunks with indexed words."""
        return count_chunks(self._connection)

    def lexical_search(
        self, terms: Sequence[WeighedTerm], limit: int, restriction: Filter | None
    ) -> tuple[LexicalSearch, Resolved]:
        """Return a search by words with given weights, and the filter it applies."""
        resolved = self._resolve(restriction)
        return LexicalSearch(self._connection, terms, limit, resolved), resolved

    def _resolve(self, restriction: Filter | None) -> Resolved:
        wanted = restriction or Filter()
        for known, resolved in self._resolved:
            if known == wanted:
                return resolved
        resolved = resolve(self._connection, wanted)
        self._resolved.append((wanted, resolved))
        return resolved


def _candidate(row: Sequence[Any], terms: Sequence[str]) -> Candidate:
    values = dict(zip(_FIELDS, row, strict=True))
    values["section_path"] = tuple(values["section_path"])
    values["matched_terms"] = tuple(terms[at - 1] for at in values["matched_terms"])
    return Candidate(**values)
