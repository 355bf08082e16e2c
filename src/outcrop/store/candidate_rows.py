"""What ranking and hits need of chunks: candidates, spans of sections, and texts."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any

from outcrop.model.candidate import Candidate, Leaf, SectionSpan
from outcrop.store.batch import array_literal, fetch, vector_value
from outcrop.store.columns import SHOWN_COLUMNS, unpack_hit_chunk
from outcrop.store.lexical.prune import quote_term
from outcrop.store.lexical.weights import weights_literal
from outcrop.store.sections import SECTION_SUMMARY

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from outcrop.store.database import Connection
    from outcrop.store.lexical.postings import ScoredChunks

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


def read_section_spans(
    connection: Connection, ids: Collection[str]
) -> list[SectionSpan]:
    """Return those of the given chunks that are sections with subsections."""
    if not ids:
        return []
    rows = fetch(connection, _SECTIONS, {"ids": array_literal(ids)})
    return [
        SectionSpan(section_id, document_id, first, last, tokens, tuple(headings))
        for section_id, document_id, first, last, tokens, headings in rows
    ]


def read_leaves(
    connection: Connection, ranges: Sequence[tuple[str, int, int]]
) -> list[Leaf]:
    """Return leaves with the summaries of their sections.

    Only the fields that a hit shows are read; the others keep their defaults.
    """
    if not ranges:
        return []
    columns = zip(
        ("documents", "first", "last"), zip(*ranges, strict=True), strict=True
    )
    parameters = {name: array_literal([*map(str, column)]) for name, column in columns}
    rows = fetch(connection, _LEAVES, parameters)
    return [Leaf(unpack_hit_chunk(row[:-2]), *row[-2:]) for row in rows]
