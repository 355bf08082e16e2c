"""What ranking needs to know of many rows at a time, without their texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from outcrop.store._rows import CHUNK_COLUMNS, unpack_chunk, vector_literal
from outcrop.store.lexical.formula import idf

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from outcrop.store.database import Connection
    from outcrop.store.records import StoredChunk

_CANDIDATES = """
SELECT id, document_id, parent_id, chunk_index, section_path, token_count, rank_boost,
    (metadata->>'part')::int, (metadata->>'parts')::int,
    {similarity}
FROM chunks WHERE id = ANY(%(ids)s)
"""
_WITH_VECTOR = _CANDIDATES.format(similarity="1 - (emb <=> %(vector)s::vector)")
_WITHOUT_VECTOR = _CANDIDATES.format(similarity="NULL::float8")
_TERM_COUNTS = """
SELECT term, sum(df)::int, (SELECT sum(chunks) FROM lex_batch)::bigint
FROM (
    SELECT term, df FROM lex_df WHERE term = ANY(%(terms)s)
    UNION ALL
    SELECT term, df FROM lex_delta WHERE term = ANY(%(terms)s)
) both_tables
GROUP BY term HAVING sum(df) > 0
"""
_PARTS = f"""
SELECT {CHUNK_COLUMNS}, d.summary FROM chunks c JOIN documents d ON d.id = c.document_id
JOIN unnest(%s::text[], %s::int[], %s::int[]) AS wanted (document_id, low, high)
    ON c.document_id = wanted.document_id
        AND c.chunk_index BETWEEN wanted.low AND wanted.high
WHERE c.is_leaf ORDER BY c.document_id, c.chunk_index
"""  # noqa: S608 - names of columns
_SECTIONS = """
SELECT id, document_id, chunk_index, (metadata->>'last_leaf')::int,
    (metadata->>'section_tokens')::int, section_path
FROM chunks
WHERE id = ANY(%s) AND kind = 'section' AND NOT is_leaf AND metadata ? 'last_leaf'
"""


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
        similarity: Cosine with the query; None without a vector on either side.
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
    similarity: float | None

    @property
    def section(self) -> tuple[str, int]:
        """Names the section whose part it is: document and place of the first part."""
        return self.document_id, self.chunk_index - (self.part or 0)


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


def read_sections(connection: Connection, ids: Sequence[str]) -> list[SectionSpan]:
    """Return those of some chunks that are sections with subsections."""
    if not ids:
        return []
    rows = connection.execute(_SECTIONS, (list(ids),))
    return [
        SectionSpan(chunk_id, document_id, first, last, tokens, tuple(section_path))
        for chunk_id, document_id, first, last, tokens, section_path in rows
    ]


def read_candidates(
    connection: Connection, ids: Sequence[str], vector: NDArray[np.float32] | None
) -> list[Candidate]:
    """Return what ranking needs of some chunks, in no particular order."""
    if not ids:
        return []
    parameters: dict[str, Any] = {"ids": list(ids)}
    if vector is not None:
        parameters["vector"] = vector_literal(vector)
    statement = _WITHOUT_VECTOR if vector is None else _WITH_VECTOR
    rows = connection.execute(statement, parameters).fetchall()
    return [
        Candidate(chunk_id, document_id, parent_id, index, tuple(section_path), *rest)
        for chunk_id, document_id, parent_id, index, section_path, *rest in rows
    ]


def read_term_weights(connection: Connection, terms: Iterable[str]) -> dict[str, float]:
    """Return how much each term tells; a term that no chunk holds is left out."""
    rows = connection.execute(_TERM_COUNTS, {"terms": list(terms)})
    return {term: idf(chunks, df) for term, df, chunks in rows}


def read_leaves(
    connection: Connection, ranges: Sequence[tuple[str, int, int]]
) -> list[tuple[StoredChunk, str | None]]:
    """Return leaves by document and place, in order, with the documents' summaries.

    Args:
        connection: In a transaction.
        ranges: Id of the document, first and last place.
    """
    if not ranges:
        return []
    documents, lows, highs = zip(*ranges, strict=True)
    given = (list(documents), list(lows), list(highs))
    rows = connection.execute(_PARTS, given).fetchall()
    return [(unpack_chunk(row[:-1]), row[-1]) for row in rows]
