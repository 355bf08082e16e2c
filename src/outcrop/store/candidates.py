"""What ranking needs to know of many rows at a time, without their texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outcrop.model.candidate import Candidate, SectionSpan
from outcrop.model.filter import Filter
from outcrop.store._rows import SHOWN_COLUMNS, unpack_shown, vector_literal
from outcrop.store.filters import CHUNKS_CONDITION, resolve
from outcrop.store.lexical.formula import weights_literal
from outcrop.store.lexical.prune import quote_term

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from outcrop.model.stored import StoredChunk
    from outcrop.store.database import Connection

_CANDIDATES = """
SELECT c.id, c.document_id, c.parent_id, c.chunk_index, c.section_path, c.token_count,
    c.rank_boost, (c.metadata->>'part')::int, (c.metadata->>'parts')::int, d.path,
    c.source, c.node_id, c.metadata->>'node_kind', {lexical}, {similarity}, {said}
FROM chunks c JOIN documents d ON d.id = c.document_id {words}
WHERE c.id = ANY(%(ids)s::text[])
"""
_RANKED = _CANDIDATES.format(
    lexical="coalesce(-(l.sv <#> %(words)s::sparsevec), 0)",
    similarity="1 - (c.emb <=> %(vector)s::vector)",
    said="""ARRAY(
        SELECT at FROM unnest(%(said)s::tsquery[]) WITH ORDINALITY AS t (term, at)
        WHERE l.tsv @@ t.term
    )""",
    words="LEFT JOIN chunk_lex l ON l.chunk_id = c.id",
)
_PLAIN = _CANDIDATES.format(
    lexical="0::float8", similarity="NULL::float8", said="'{}'::int[]", words=""
)
_MOST_SAID = 16  # the others tell little
# A definition that was cut is found by its first part, which has the signature.
_DEFINITIONS = f"""
SELECT c.id FROM nodes n JOIN chunks c ON c.node_id = n.id
WHERE n.name = ANY(%(names)s) AND c.indexable
    AND coalesce((c.metadata->>'part')::int, 0) = 0 AND {CHUNKS_CONDITION}
ORDER BY n.kind IN ('CLASS', 'INTERFACE', 'ENUM') DESC, n.kind = 'FUNCTION' DESC, c.id
LIMIT %(limit)s
"""  # noqa: S608 - a constant of ours; what is given is bound
_PARTS = f"""
SELECT {SHOWN_COLUMNS}, d.summary FROM chunks c JOIN documents d ON d.id = c.document_id
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
    connection: Connection,
    ids: Sequence[str],
    *,
    vector: NDArray[np.float32] | None = None,
    words: Mapping[str, float] | None = None,
    said: Iterable[str] = (),
) -> list[Candidate]:
    """Return what ranking needs of some chunks, by id.

    Args:
        connection: In a transaction.
        ids: The chunks.
        vector: The query's vector: with it, each candidate has its scores.
        words: How much each term of the query weighs.
        said: Which of them to look for in each candidate.
    """
    if not ids:
        return []
    terms = list(said)[:_MOST_SAID]
    parameters: dict[str, Any] = {"ids": _ids_literal(ids)}
    statement = _PLAIN
    if vector is not None:
        statement = _RANKED
        parameters["vector"] = vector_literal(vector)
        parameters["words"] = weights_literal(words or {})
        parameters["said"] = [quote_term(term) for term in terms]
    rows = connection.execute(statement, parameters).fetchall()
    # Sums are rounded, so that their order must not be that of the rows on disk.
    return sorted((_candidate(row, terms) for row in rows), key=lambda c: c.id)


def _candidate(row: Sequence[Any], terms: Sequence[str]) -> Candidate:
    values = list(row)
    values[4] = tuple(row[4])  # the headings
    values[-1] = tuple(terms[at - 1] for at in row[-1])
    return Candidate(*values)


def find_definitions(
    connection: Connection,
    names: Sequence[str],
    *,
    limit: int,
    restriction: Filter | None = None,
) -> list[str]:
    """Return the chunks that define something of one of these names, types first."""
    if not names:
        return []
    parameters = resolve(connection, restriction or Filter()).parameters
    given = {**parameters, "names": list(names), "limit": limit}
    return [row[0] for row in connection.execute(_DEFINITIONS, given).fetchall()]


def read_leaves(
    connection: Connection, ranges: Sequence[tuple[str, int, int]]
) -> list[tuple[StoredChunk, str | None]]:
    """Return leaves by document and place, in order, with the documents' summaries.

    Of each leaf there is what a hit shows; everything else is left at its default.

    Args:
        connection: In a transaction.
        ranges: Id of the document, first and last place.
    """
    if not ranges:
        return []
    documents, lows, highs = zip(*ranges, strict=True)
    given = (list(documents), list(lows), list(highs))
    rows = connection.execute(_PARTS, given).fetchall()
    return [(unpack_shown(row[:-1]), row[-1]) for row in rows]


def _ids_literal(ids: Iterable[str]) -> str:
    """Write ids as an array of PostgreSQL, to be cast to `text[]`.

    Digits need no quotes, and one text is sent in a fraction of a list's time.
    """
    return f"{{{','.join(ids)}}}"
