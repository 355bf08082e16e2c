"""Candidates, their sections and their leaves, each read in one statement."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from outcrop.model.candidate import Candidate, ChunkRef, SectionSpan
from outcrop.model.filter import Filter
from outcrop.store.columns import SHOWN_COLUMNS, unpack_shown
from outcrop.store.filters import CHUNKS_CONDITION, resolve
from outcrop.store.lexical.formula import weights_literal
from outcrop.store.lexical.prune import quote_term
from outcrop.store.packing import vector_literal

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from outcrop.model.stored import StoredChunk
    from outcrop.store.database import Connection

# Fields of `Candidate`; its scores follow.
_COLUMNS = {
    "id": "c.id",
    "document_id": "c.document_id",
    "parent_id": "c.parent_id",
    "chunk_index": "c.chunk_index",
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
SELECT c.id FROM nodes n JOIN chunks c ON c.node_id = n.id
WHERE n.name = ANY(%(names)s) AND c.indexable
    AND coalesce((c.metadata->>'part')::int, 0) = 0 AND {CHUNKS_CONDITION}
ORDER BY n.kind IN ('CLASS', 'INTERFACE', 'ENUM') DESC, n.kind = 'FUNCTION' DESC, c.id
LIMIT %(limit)s
"""  # noqa: S608 - constants; values are bound
_LEAVES = f"""
SELECT {SHOWN_COLUMNS}, d.summary FROM chunks c JOIN documents d ON d.id = c.document_id
JOIN unnest(%s::text[], %s::int[], %s::int[]) AS wanted (document_id, low, high)
    ON c.document_id = wanted.document_id
        AND c.chunk_index BETWEEN wanted.low AND wanted.high
WHERE c.is_leaf ORDER BY c.document_id, c.chunk_index
"""  # noqa: S608 - column names
_BY_PREFIX = "SELECT id, node_id FROM chunks WHERE id LIKE %s ORDER BY id LIMIT 2"
_DIGITS = re.compile("[0-9a-f]+")
_SECTIONS = """
SELECT id, document_id, chunk_index, (metadata->>'last_leaf')::int,
    (metadata->>'section_tokens')::int, section_path
FROM chunks
WHERE id = ANY(%s) AND kind = 'section' AND NOT is_leaf AND metadata ? 'last_leaf'
"""


def read_sections(connection: Connection, ids: Collection[str]) -> list[SectionSpan]:
    """Return those of the given chunks that are sections with subsections."""
    if not ids:
        return []
    rows = connection.execute(_SECTIONS, (list(ids),))
    return [
        SectionSpan(chunk_id, document_id, first, last, tokens, tuple(section_path))
        for chunk_id, document_id, first, last, tokens, section_path in rows
    ]


def read_candidates(
    connection: Connection,
    ids: Collection[str],
    *,
    vector: NDArray[np.float32] | None = None,
    weights: Mapping[str, float] | None = None,
    terms: Sequence[str] = (),
) -> list[Candidate]:
    """Return chunks as candidates, sorted by id.

    Args:
        connection: In a transaction.
        ids: Ids of chunks.
        vector: The query's vector; without it, scores are left empty.
        weights: The weight of each query term.
        terms: The query terms to look for in each candidate.
    """
    if not ids:
        return []
    parameters: dict[str, Any] = {"ids": _ids_literal(ids)}
    statement = _WITHOUT_SCORES
    if vector is not None:
        statement = _WITH_SCORES
        parameters["vector"] = vector_literal(vector)
        parameters["weights"] = weights_literal(weights or {})
        parameters["terms"] = [quote_term(term) for term in terms]
    rows = connection.execute(statement, parameters).fetchall()
    # Floating-point sums depend on their order, which must not be that on disk.
    return sorted((_candidate(row, terms) for row in rows), key=lambda c: c.id)


def _candidate(row: Sequence[Any], terms: Sequence[str]) -> Candidate:
    values = dict(zip(_FIELDS, row, strict=True))
    values["section_path"] = tuple(values["section_path"])
    values["matched_terms"] = tuple(terms[at - 1] for at in values["matched_terms"])
    return Candidate(**values)


def find_definitions(
    connection: Connection,
    names: Sequence[str],
    *,
    limit: int,
    restriction: Filter | None = None,
) -> list[str]:
    """Return the ids of chunks that define one of these names, types first."""
    if not names:
        return []
    parameters = resolve(connection, restriction or Filter()).parameters
    parameters |= {"names": list(names), "limit": limit}
    return [row[0] for row in connection.execute(_DEFINITIONS, parameters).fetchall()]


def find_chunk(connection: Connection, prefix: str) -> ChunkRef | None:
    """Return the only chunk whose id starts with these digits."""
    if not _DIGITS.fullmatch(prefix):
        return None
    rows = connection.execute(_BY_PREFIX, (f"{prefix}%",)).fetchall()
    return ChunkRef(*rows[0]) if len(rows) == 1 else None


def read_leaves(
    connection: Connection, ranges: Sequence[tuple[str, int, int]]
) -> list[tuple[StoredChunk, str | None]]:
    """Return leaves with the summaries of their documents, in document order.

    Only the fields that a hit shows are read; the others keep their defaults.

    Args:
        connection: In a transaction.
        ranges: Document id, first and last chunk index, inclusive.
    """
    if not ranges:
        return []
    documents, lows, highs = zip(*ranges, strict=True)
    parameters = (list(documents), list(lows), list(highs))
    rows = connection.execute(_LEAVES, parameters).fetchall()
    return [(unpack_shown(row[:-1]), row[-1]) for row in rows]


def _ids_literal(ids: Iterable[str]) -> str:
    """Format ids as a PostgreSQL array literal, to be cast to `text[]`.

    Hexadecimal digits need no quotes, and one string is sent much faster than a list.
    """
    return f"{{{','.join(ids)}}}"
