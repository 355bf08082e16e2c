"""Chunks as search reads them: candidates, leaves, definitions, and their neighbours."""

from __future__ import annotations

import re
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from outcrop.model.candidate import Candidate, ChunkRef, Leaf, Neighbour, SectionSpan
from outcrop.model.filter import Filter
from outcrop.store.batch import Rows, Statement, array_literal, fetch, vector_value
from outcrop.store.columns import SHOWN_COLUMNS, unpack_hit_chunk
from outcrop.store.filters import CHUNKS_CONDITION, Resolved, resolve
from outcrop.store.lexical.prune import quote_term
from outcrop.store.lexical.weights import weights_literal
from outcrop.store.nodes import match_nodes
from outcrop.store.sections import SECTION_SUMMARY

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from outcrop.model.candidate import LineQuery, NameQuery
    from outcrop.store.database import Connection
    from outcrop.store.lexical.postings import ScoredChunks

# Plans are kept, as without a filter they do not depend on values.
KEEP_PLANS = "set_config('plan_cache_mode', 'force_generic_plan', true)"
_PLAN_BY_VALUES = "SELECT set_config('plan_cache_mode', 'force_custom_plan', true)"
_BY_PREFIX = """
SELECT id, node_id, ARRAY(SELECT jsonb_array_elements(metadata->'folded')->>'id')
FROM chunks WHERE id LIKE %s ORDER BY id LIMIT 2
"""
_AT_LINE = """
SELECT c.id
FROM (
    SELECT d.id FROM documents d
    WHERE d.path = ANY(%(ends)s::text[])
        OR right(d.path, char_length(%(below)s)) = %(below)s
    ORDER BY abs(char_length(d.path) - char_length(%(below)s)), d.path
    LIMIT %(limit)s
) d CROSS JOIN LATERAL (
    SELECT c.id FROM chunks c
    WHERE c.document_id = d.id AND c.indexable AND c.span_lines IS NOT NULL
        AND {condition}
    ORDER BY c.span_lines @> %(line)s::int DESC,
        abs(lower(c.span_lines) - %(line)s::int), c.id
    LIMIT 1
) c
ORDER BY c.id
"""
_DIGITS = re.compile("[0-9a-f]+")
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
    "lang": "d.lang",
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
_ONLY_SIMILARITY = _NO_SCORES | {"similarity": _SCORES["similarity"]}
_ID, _SECTION_PATH, _LEXICAL, _TERMS = (
    [*_COLUMNS, *_SCORES].index(name)
    for name in ("id", "section_path", "lexical", "matched_terms")
)
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
_WITH_SIMILARITY = f"""
SELECT {", ".join([*_COLUMNS.values(), *_ONLY_SIMILARITY.values()])}
{_CHOSEN}
"""
_WITHOUT_SCORES = f"""
SELECT {", ".join([*_COLUMNS.values(), *_NO_SCORES.values()])}
{_CHOSEN}
"""
_LEAVES = f"""
SELECT {SHOWN_COLUMNS}, {SECTION_SUMMARY}, d.summary
FROM chunks c JOIN documents d ON d.id = c.document_id
JOIN unnest(%(documents)s::text[], %(first)s::int[], %(last)s::int[]) AS wanted (document_id, low, high)
    ON c.document_id = wanted.document_id
        AND c.place BETWEEN wanted.low AND wanted.high
WHERE c.is_leaf ORDER BY c.document_id, c.place
"""  # noqa: S608 - column names
_SECTIONS = """
SELECT id, document_id, place, (metadata->>'last_leaf')::int,
    (metadata->>'section_tokens')::int, section_path
FROM chunks
WHERE id = ANY(%(ids)s::text[]) AND kind = 'section' AND NOT is_leaf AND metadata ? 'last_leaf'
"""
# Edges that use a definition; many are not all counted.
_USES_UP_TO = """
(SELECT count(*) FROM (
    SELECT FROM edges e
    WHERE e.dst = n.id AND e.kind NOT IN ('CONTAINS', 'MENTIONS') LIMIT {limit}
) used)
"""
# More make no difference to the ranking, where uses count on a logarithmic scale.
_USES = f"""
SELECT n.id, {_USES_UP_TO.format(limit=500)} FROM unnest(%(ids)s::text[]) n(id)
"""  # noqa: S608 - constants
# A definition that was split is represented by its first part, with the signature. Types
# and functions have the highest scores, then what is used most.
_MOST_USES = 30
_DEFINITIONS = f"""
SELECT c.id, (
    (n.kind IN ('CLASS', 'INTERFACE', 'ENUM'))::int * 2 + (n.kind = 'FUNCTION')::int
) * {_MOST_USES + 1} + {_USES_UP_TO.format(limit=_MOST_USES)} AS score
FROM nodes n JOIN chunks c ON c.node_id = n.id
WHERE n.name = ANY(%(names)s::text[]) AND c.indexable
    AND coalesce((c.metadata->>'part')::int, 0) = 0 AND {{condition}}
ORDER BY score DESC, c.id
LIMIT {{limit}}
"""  # noqa: S608 - constants; values are bound
# An end of an edge is a node, or a chunk of a document that mentions one. A
# definition that was split is represented by its first part, a small one that shares a
# chunk with others by that chunk, a function without a name by the chunk that it starts
# in. A chunk does not contain itself.
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
        AND coalesce((c.metadata->>'part')::int, 0) = 0
    UNION ALL
    SELECT near.*, c.id FROM near JOIN chunks c ON c.id = near.there
    WHERE near.kind = 'MENTIONS' AND NOT near.leaving
    UNION ALL
    SELECT near.*, c.id FROM near
    -- OFFSET keeps the planner from reading all nodes and chunks.
    CROSS JOIN LATERAL (
        SELECT n.* FROM nodes n WHERE n.id = near.there
            AND NOT EXISTS (SELECT FROM chunks own WHERE own.node_id = near.there)
        OFFSET 0
    ) n
    CROSS JOIN LATERAL (
        SELECT c.id, c.node_id
        FROM chunks c, LATERAL (SELECT c.metadata @> jsonb_build_object('folded',
            jsonb_build_array(jsonb_build_object('id', n.id))) AS is_sharing) s
        WHERE c.document_id = n.document_id AND c.span_lines @> n.line_start
            AND (s.is_sharing OR n.kind IN ('FUNCTION', 'METHOD')) AND c.indexable
        ORDER BY s.is_sharing DESC, upper(c.span_lines) - lower(c.span_lines), c.id
        LIMIT 1
    ) c
    WHERE (near.leaving OR near.kind <> 'MENTIONS')
        AND NOT (near.kind = 'CONTAINS' AND c.node_id = near.here)
)
SELECT p.here, p.id, p.kind, p.leaving, p.confidence, p.resolution
FROM places p JOIN chunks c ON c.id = p.id
WHERE c.indexable AND {CHUNKS_CONDITION}
ORDER BY p.confidence DESC, p.id, p.here, p.kind, p.leaving
LIMIT %(limit)s
"""  # noqa: S608 - constants; values are bound


class ChunkSource:
    """The part of a `CandidateSource` that reads chunks; see there for the methods."""

    def __init__(self, connection: Connection) -> None:
        """Read in a transaction that sees one state throughout."""
        self._connection = connection
        # One state, so each filter is looked up once.
        self._resolved: list[tuple[Filter, Resolved]] = []

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
        names = ("documents", "first", "last")
        columns = zip(names, zip(*ranges, strict=True), strict=True)
        parameters = {
            name: array_literal([*map(str, column)]) for name, column in columns
        }
        rows = fetch(self._connection, _LEAVES, parameters)
        return [Leaf(unpack_hit_chunk(row[:-2]), *row[-2:]) for row in rows]

    def neighbours(
        self,
        ends: Collection[str],
        *,
        leaving: Collection[str],
        entering: Collection[str],
        limit: int,
        restriction: Filter | None = None,
    ) -> list[Neighbour]:
        """Return the chunks one edge away, by falling confidence."""
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

    def chunks_at(
        self, query: LineQuery, *, limit: int, restriction: Filter | None = None
    ) -> list[str]:
        """Return the chunks at a line, or nearest to it; one per file."""
        resolved = self._resolve(restriction)
        parts = query.path.split("/")
        parameters = {
            "ends": ["/".join(parts[at:]) for at in range(len(parts))],
            "below": f"/{query.path}",
            "line": query.line,
            "limit": limit,
            **(resolved.parameters if resolved.restricts else {}),
        }
        condition = CHUNKS_CONDITION if resolved.restricts else "true"
        rows = self._connection.execute(
            _AT_LINE.format(condition=condition), parameters
        )
        return [chunk_id for (chunk_id,) in rows]

    def uses(self, node_ids: Collection[str]) -> Mapping[str, int]:
        """Return how many edges of code lead to each node, as far as it matters."""
        return dict(fetch(self._connection, _USES, {"ids": array_literal(node_ids)}))

    def find_node(self, symbol: str) -> str | None:
        """Return the id of the node that a name most likely refers to."""
        nodes = match_nodes(self._connection, symbol, 1)
        return nodes[0].id if nodes else None

    def find_chunk(self, prefix: str) -> ChunkRef | None:
        """Return the only chunk whose id starts with these digits."""
        if not _DIGITS.fullmatch(prefix):
            return None
        rows = self._connection.execute(_BY_PREFIX, (f"{prefix}%",)).fetchall()
        if len(rows) != 1:
            return None
        chunk_id, node_id, folded = rows[0]
        return ChunkRef(chunk_id, node_id, tuple(folded))

    def _resolve(self, restriction: Filter | None) -> Resolved:
        wanted = restriction or Filter()
        for known, resolved in self._resolved:
            if known == wanted:
                return resolved
        if wanted:
            fetch(self._connection, _PLAN_BY_VALUES)
        resolved = resolve(self._connection, wanted)
        if wanted and not resolved.restricts:
            fetch(self._connection, f"SELECT {KEEP_PLANS}")
        self._resolved.append((wanted, resolved))
        return resolved


def read_candidates(
    connection: Connection,
    ids: Collection[str],
    *,
    vector: NDArray[np.float32] | None = None,
    weights: Mapping[str, float] | None = None,
    terms: Sequence[str] = (),
    scored: ScoredChunks | None = None,
) -> list[Candidate]:
    """Return chunks as candidates, sorted by id; without a vector, without scores.

    Args:
        connection: In the transaction of the search.
        ids: The chunks.
        vector: That of the question.
        weights: The weights of its terms.
        terms: Those that candidates are checked for.
        scored: The scores by these weights, if the words are in memory.
    """
    if not ids:
        return []
    # Hexadecimal digits need no quotes, and a string is sent much faster than a list.
    parameters: dict[str, Any] = {"ids": f"{{{','.join(ids)}}}"}
    statement = _WITHOUT_SCORES
    if vector is not None:
        statement = _WITH_SIMILARITY
        parameters["vector"] = vector_value(vector)
    if vector is not None and scored is None:
        statement = _WITH_SCORES
        parameters["weights"] = weights_literal(weights or {})
        parameters["terms"] = array_literal([quote_term(term) for term in terms])
    rows = fetch(connection, statement, parameters)
    # Floating-point sums depend on their order, which must not be that on disk.
    rows.sort(key=itemgetter(_ID))
    if vector is None or scored is None:
        return [
            _candidate(row, row[_LEXICAL], tuple([terms[at - 1] for at in row[_TERMS]]))
            for row in rows
        ]
    words = scored.of_chunks([row[_ID] for row in rows], terms)
    return [_candidate(row, *each) for row, each in zip(rows, words, strict=True)]


def _candidate(row: Sequence[Any], lexical: float, terms: tuple[str, ...]) -> Candidate:
    values = [*row]
    values[_SECTION_PATH] = tuple(row[_SECTION_PATH])
    values[_LEXICAL], values[_TERMS] = lexical, terms
    return Candidate._make(values)


def definitions(names: NameQuery, resolved: Resolved) -> Statement:
    """Return the search for chunks that define one of these names, types first."""
    restricts = resolved.restricts
    text = _DEFINITIONS.format(
        condition=CHUNKS_CONDITION if restricts else "true", limit=names.limit
    )
    restriction = resolved.parameters if restricts else {}
    return Statement(text, {"names": array_literal(names.names), **restriction})


def in_order(rows: Rows) -> list[tuple[int, str]]:
    """Return definitions as they are sorted: a rank, lower is better, and the id."""
    return sorted((-score, chunk_id) for chunk_id, score in rows)
