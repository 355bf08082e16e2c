"""The store as search sees it: one read transaction."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from outcrop.model.candidate import (
    Candidate,
    ChunkRef,
    Leaf,
    Matches,
    Neighbour,
    SectionSpan,
    TermStatistics,
)
from outcrop.model.embedder_identity import EmbedderIdentity
from outcrop.model.filter import Filter
from outcrop.store.batch import Ranked, Rows, array_literal, fetch, fetch_ranked
from outcrop.store.columns import SHOWN_COLUMNS, unpack_shown
from outcrop.store.filters import CHUNKS_CONDITION, Resolved, resolve
from outcrop.store.lexical.prune import quote_term
from outcrop.store.lexical.query import (
    MAX_CANDIDATES,
    STATISTICS,
    LexicalSearch,
    WordSearch,
    best_first,
    count_chunks,
    read_statistics,
    weigh_terms,
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
from outcrop.store.vectors import (
    EFFORT_BY_SIZE,
    USUAL_EFFORT,
    VectorIndex,
    VectorSearch,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from outcrop.model.candidate import (
        DocumentRef,
        LexicalQuery,
        Match,
        NameQuery,
        Opening,
        SectionCandidate,
        VectorQuery,
    )
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
_SECTION_PATH, _TERMS = (
    [*_COLUMNS, *_SCORES].index(name) for name in ("section_path", "matched_terms")
)
# The first statement of a view: settings, and the statistics of the query's terms. Plans
# are kept, as without a filter they do not depend on values. For a query with many
# alternatives the planner would prefer a slower sequential scan.
_BEGIN = f"""
SELECT s.embedder, s.has_index, s.effort, t.term, t.df, t.maxw, t.chunks
FROM (
    SELECT (SELECT value::text FROM index_settings WHERE key = 'embedder') AS embedder,
        to_regclass('chunks_emb') IS NOT NULL AS has_index,
        set_config('plan_cache_mode', 'force_generic_plan', true) AS plans,
        size.effort,
        set_config('hnsw.ef_search', greatest({USUAL_EFFORT}, size.effort)::text, true)
            AS view,
        set_config('hnsw.iterative_scan', %(iterative)s, true) AS iterative,
        set_config('enable_seqscan', %(seqscan)s, true) AS seqscan
    FROM ({EFFORT_BY_SIZE}) size OFFSET 0
) s LEFT JOIN ({STATISTICS}) t ON true
"""  # noqa: S608 - constants; values are bound
_PLAN_BY_VALUES = "SELECT set_config('plan_cache_mode', 'force_custom_plan', true)"
# From this version on the index keeps searching until enough chunks pass a filter.
_ITERATIVE_SINCE = (0, 8)
# Metadata is often stored apart from its row. Subtracting a key that does not exist
# makes a copy, so that it is read once, and not once for each field.
_CHOSEN = """
FROM (
    SELECT id, document_id, parent_id, place, section_path, token_count, rank_boost,
        source, node_id, emb, metadata - '' AS metadata
    FROM chunks WHERE id = ANY(%(ids)s::text[]) OFFSET 0
) c JOIN documents d ON d.id = c.document_id
"""
_WITH_SCORES = f"""
SELECT {", ".join([*_COLUMNS.values(), *_SCORES.values()])}
{_CHOSEN} LEFT JOIN chunk_lex l ON l.chunk_id = c.id
"""
_WITHOUT_SCORES = f"""
SELECT {", ".join([*_COLUMNS.values(), *_NO_SCORES.values()])}
{_CHOSEN}
"""
# A definition that was split is represented by its first part, with the signature. Types
# and functions have the highest score.
_DEFINITIONS = """
SELECT c.id, (n.kind IN ('CLASS', 'INTERFACE', 'ENUM'))::int * 2
    + (n.kind = 'FUNCTION')::int AS score
FROM nodes n JOIN chunks c ON c.node_id = n.id
WHERE n.name = ANY(%(names)s::text[]) AND c.indexable
    AND coalesce((c.metadata->>'part')::int, 0) = 0 AND {condition}
ORDER BY score DESC, c.id
LIMIT {limit}
"""
_LEAVES = f"""
SELECT {SHOWN_COLUMNS}, {SECTION_SUMMARY}, d.summary
FROM chunks c JOIN documents d ON d.id = c.document_id
JOIN unnest(%(documents)s::text[], %(first)s::int[], %(last)s::int[]) AS wanted (document_id, low, high)
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
WHERE id = ANY(%(ids)s::text[]) AND kind = 'section' AND NOT is_leaf AND metadata ? 'last_leaf'
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
def open_source(
    database: Database, *, terms: Collection[str] = ()
) -> Iterator[PostgresSource]:
    """Open a view of a database in a transaction that sees one state throughout.

    Args:
        database: The open database.
        terms: Terms whose statistics will be wanted, to be read at once.
    """
    with database.read() as connection:
        yield PostgresSource(connection, database.info.vector_version, terms)


class PostgresSource:
    """A `CandidateSource` on one read transaction; see there for the methods."""

    def __init__(
        self,
        connection: Connection,
        vector_version: tuple[int, ...],
        terms: Collection[str] = (),
    ) -> None:
        """Read through a connection.

        Args:
            connection: In a transaction that sees one state throughout.
            vector_version: Version of the pgvector extension.
            terms: Terms whose statistics will be wanted.
        """
        self._connection = connection
        # The transaction sees one state, so each term and each filter is looked up once.
        # None stands for a term that no chunk contains.
        self._statistics: dict[str, TermStatistics | None] = {}
        self._resolved: list[tuple[Filter, Resolved]] = []
        settings = {
            "iterative": "strict_order"
            if vector_version >= _ITERATIVE_SINCE
            else "off",
            "seqscan": "off" if terms else "on",
            "terms": array_literal(terms),
        }
        rows = fetch(connection, _BEGIN, settings)
        embedder, has_index, effort, *_ = rows[0]
        self._embedder = EmbedderIdentity(**json.loads(embedder)) if embedder else None
        self._vector_index = VectorIndex(has_index, effort)
        self._statistics |= dict.fromkeys(terms)
        self._statistics |= {
            term: TermStatistics(*known)
            for _, _, _, term, *known in rows
            if term is not None
        }

    def embedder(self) -> EmbedderIdentity | None:
        """Return the embedder of the index."""
        return self._embedder

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

    def matches(
        self,
        *,
        lexical: Sequence[LexicalQuery] = (),
        vector: VectorQuery | None = None,
        names: NameQuery | None = None,
        restriction: Filter | None = None,
    ) -> Matches:
        """Run several searches, without waiting for one before the next."""
        connection, resolved = self._connection, self._resolve(restriction)
        words = [self._weigh(query, resolved) for query in lexical]
        started = [each for each in words if each is not None]
        queries = [
            scans.scan(search.first_query(), few=search.few)
            for search, scans in started
        ]
        nearest = None
        if vector is not None and vector.limit > 0:
            nearest = VectorSearch(vector, resolved, self._vector_index)
            nearest.configure(connection)
            queries.append(nearest.scan())
        if names is not None and names.names:
            queries.append(_definitions(names, resolved))
        rows = fetch_ranked(connection, queries)
        first, rest = rows[: len(started)], iter(rows[len(started) :])
        near = nearest.result(connection, next(rest)) if nearest else []
        found = iter(self._finish(started, map(best_first, first)))
        return Matches(
            lexical=[[] if each is None else next(found) for each in words],
            nearest=near,
            definitions=[chunk_id for *_, chunk_id in _in_order(next(rest, []))],
        )

    def _weigh(
        self, query: LexicalQuery, resolved: Resolved
    ) -> tuple[WordSearch, LexicalSearch] | None:
        """Return a search and its scans; None if no chunk can match."""
        terms = weigh_terms(query.terms, self.statistics(query.terms))
        if not terms or query.limit < 1:
            return None
        few = resolved.leaves_at_most(MAX_CANDIDATES)
        scans = LexicalSearch(self._connection, terms, query.limit, resolved)
        return WordSearch(query, terms, few=few), scans

    def _finish(
        self,
        started: Sequence[tuple[WordSearch, LexicalSearch]],
        first: Iterable[list[Match]],
    ) -> list[list[Match]]:
        """Run the second scans of the searches that need one.

        Args:
            started: The searches.
            first: What their first scans found.
        """
        pairs = zip(started, first, strict=True)
        second = [search.second_query(found) for (search, _), found in pairs]
        queries = [
            scans.scan(query)
            for (_, scans), query in zip(started, second, strict=True)
            if query is not None
        ]
        rest = map(best_first, fetch_ranked(self._connection, queries))
        return [
            search.result(None if query is None else next(rest))
            for (search, _), query in zip(started, second, strict=True)
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
            parameters["terms"] = array_literal([quote_term(term) for term in terms])
        rows = fetch(self._connection, statement, parameters)
        # Floating-point sums depend on their order, which must not be that on disk.
        return sorted((_candidate(row, terms) for row in rows), key=lambda c: c.id)

    def sections(self, ids: Collection[str]) -> list[SectionSpan]:
        """Return those of the given chunks that are sections with subsections."""
        if not ids:
            return []
        rows = fetch(self._connection, _SECTIONS, {"ids": array_literal(ids)})
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
        columns = zip(
            ("documents", "first", "last"), zip(*ranges, strict=True), strict=True
        )
        parameters = {
            name: array_literal([*map(str, column)]) for name, column in columns
        }
        rows = fetch(self._connection, _LEAVES, parameters)
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

    def ranked_definitions(
        self, names: NameQuery, restriction: Filter | None
    ) -> list[tuple[int, str]]:
        """Return chunks that define one of these names: a rank, and the id."""
        if not names.names:
            return []
        query = _definitions(names, self._resolve(restriction))
        (rows,) = fetch_ranked(self._connection, [query])
        return _in_order(rows)

    def _resolve(self, restriction: Filter | None) -> Resolved:
        wanted = restriction or Filter()
        for known, resolved in self._resolved:
            if known == wanted:
                return resolved
        if wanted:
            fetch(self._connection, _PLAN_BY_VALUES)
        resolved = resolve(self._connection, wanted)
        self._resolved.append((wanted, resolved))
        return resolved


def _candidate(row: Sequence[Any], terms: Sequence[str]) -> Candidate:
    values = [*row]
    values[_SECTION_PATH] = tuple(row[_SECTION_PATH])
    values[_TERMS] = tuple([terms[at - 1] for at in row[_TERMS]])
    return Candidate(*values)


def _definitions(names: NameQuery, resolved: Resolved) -> Ranked:
    restricts = resolved.restricts
    text = _DEFINITIONS.format(
        condition=CHUNKS_CONDITION if restricts else "true", limit=names.limit
    )
    restriction = resolved.parameters if restricts else {}
    return Ranked(text, {"names": array_literal(names.names), **restriction})


def _in_order(rows: Rows) -> list[tuple[int, str]]:
    """Return definitions as they are sorted: a rank, lower is better, and the id."""
    return sorted((-score, chunk_id) for chunk_id, score in rows)
