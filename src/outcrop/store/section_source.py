"""Sections and documents as search reads them, each in one statement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outcrop.model.candidate import DocumentRef, Opening, SectionCandidate
from outcrop.store.batch import vector_value
from outcrop.store.lexical.weights import weights_literal

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from outcrop.store.database import Connection

_COLUMNS = {
    "id": "s.id",
    "document_id": "s.document_id",
    "path": "d.path",
    "headings": "s.section_path",
    "heading": "s.heading",
    "depth": "s.depth",
    "order": 's."order"',
    "parent_id": "s.parent_id",
    "place": "s.place",
    "summary": "s.summary",
    "document_summary": "d.summary",
}
_FIELDS = ", ".join(_COLUMNS.values())
_BY_ID = f"""
SELECT {_FIELDS} FROM sections s JOIN documents d ON d.id = s.document_id
WHERE s.id = ANY(%s)
"""  # noqa: S608 - constants; values are bound
# The vector of a section is the mean of those of its chunks. Stored, it would take as
# much space as theirs; computed for the few sections that are ranked, it takes no time.
_MEAN = """(
    SELECT l2_normalize(avg(c.emb)) FROM chunks c
    WHERE c.document_id = s.document_id AND c.is_leaf
        AND c.place BETWEEN s.first_chunk AND s.last_chunk
)"""
_WITH_CHUNKS = f"""
WITH found AS (
    SELECT s.id, array_agg(c.id ORDER BY c.place) AS chunks
    FROM chunks c JOIN sections s ON s.document_id = c.document_id
        AND s.last_chunk >= c.place AND s.first_chunk <= c.place
    WHERE c.id = ANY(%(ids)s) GROUP BY s.id
)
SELECT {_FIELDS}, -(s.sv <#> %(weights)s::sparsevec),
    1 - ({_MEAN} <=> %(vector)s::vector), found.chunks
FROM found JOIN sections s ON s.id = found.id JOIN documents d ON d.id = s.document_id
"""  # noqa: S608 - as above
# A section with its subsections ends before the next one that is not below it.
_OPENINGS = """
SELECT w.at, t.content, t.total, t.first_line, t.last_line, t.low, t.high
FROM unnest(%(documents)s::text[], %(places)s::int[], %(depths)s::int[])
    WITH ORDINALITY AS w (document_id, place, depth, at),
LATERAL (
    SELECT s.content, s.place,
        sum(s.token_count) OVER (ORDER BY s.place) - s.token_count AS before,
        sum(s.token_count) OVER () AS total,
        min(lower(s.span_lines)) OVER () AS first_line,
        max(upper(s.span_lines)) OVER () - 1 AS last_line,
        min(lower(s.span_chars)) OVER () AS low,
        max(upper(s.span_chars)) OVER () AS high
    FROM sections s
    WHERE s.document_id = w.document_id AND s.place >= w.place AND s.place < CASE
        WHEN %(whole)s THEN coalesce((
            SELECT min(x.place) FROM sections x WHERE x.document_id = w.document_id
                AND x.place > w.place AND x.depth <= w.depth), 2147483647)
        ELSE w.place + 1 END
) t
WHERE t.before < %(max_tokens)s ORDER BY w.at, t.place
"""
_DOCUMENTS = """
SELECT d.id, d.path, d.title, CASE d.kind WHEN 'code' THEN 'code' ELSE 'doc' END, d.summary
FROM documents d WHERE d.id = ANY(%s) ORDER BY d.id
"""
_DOCUMENT_OPENINGS = """
SELECT w.at,
    substr(t.content, length(t.prefix) + 1,
        length(t.content) - length(t.prefix) - length(t.suffix))
        || coalesce(t.metadata ->> 'gap_after', ''),
    t.total, t.first_line, t.last_line, t.low, t.high
FROM unnest(%(ids)s::text[]) WITH ORDINALITY AS w (document_id, at),
LATERAL (
    SELECT c.content, c.prefix, c.suffix, c.metadata, c.place,
        sum(c.token_count) OVER (ORDER BY c.place) - c.token_count AS before,
        sum(c.token_count) OVER () AS total,
        min(lower(c.span_lines)) OVER () AS first_line,
        max(upper(c.span_lines)) OVER () - 1 AS last_line,
        min(lower(c.span_chars)) OVER () AS low,
        max(upper(c.span_chars)) OVER () AS high
    FROM chunks c WHERE c.document_id = w.document_id AND c.is_leaf
) t
WHERE t.before < %(max_tokens)s ORDER BY w.at, t.place
"""


class SectionSource:
    """The part of a `CandidateSource` that reads sections and documents; see there."""

    _connection: Connection

    def sections_with(
        self,
        chunk_ids: Collection[str],
        *,
        vector: NDArray[np.float32] | None = None,
        weights: Mapping[str, float] | None = None,
    ) -> list[SectionCandidate]:
        """Return the sections that some chunks have text of, sorted by id."""
        if not chunk_ids:
            return []
        parameters = {
            "ids": list(chunk_ids),
            "vector": None if vector is None else vector_value(vector),
            "weights": weights_literal(weights or {}),
        }
        rows = self._connection.execute(_WITH_CHUNKS, parameters).fetchall()
        sections = [
            _section(row, lexical=row[-3], similarity=row[-2], chunks=tuple(row[-1]))
            for row in rows
        ]
        return sorted(sections, key=lambda section: section.id)

    def sections_by_id(self, ids: Collection[str]) -> list[SectionCandidate]:
        """Return sections by their ids, sorted by id."""
        if not ids:
            return []
        rows = self._connection.execute(_BY_ID, (list(ids),)).fetchall()
        return sorted(map(_section, rows), key=lambda section: section.id)

    def section_openings(
        self, sections: Sequence[SectionCandidate], *, max_tokens: int, whole: bool
    ) -> list[Opening]:
        """Return the beginnings of sections, with their subsections if `whole`."""
        parameters = {
            "documents": [section.document_id for section in sections],
            "places": [section.place for section in sections],
            "depths": [section.depth for section in sections],
            "whole": whole,
            "max_tokens": max_tokens,
        }
        rows = self._connection.execute(_OPENINGS, parameters)
        return _openings(rows, len(sections))

    def documents(self, ids: Collection[str]) -> list[DocumentRef]:
        """Return documents by their ids, sorted by id."""
        rows = self._connection.execute(_DOCUMENTS, (list(ids),))
        return [DocumentRef(*row) for row in rows]

    def document_openings(
        self, ids: Sequence[str], *, max_tokens: int
    ) -> list[Opening]:
        """Return the beginnings of documents."""
        parameters = {"ids": list(ids), "max_tokens": max_tokens}
        rows = self._connection.execute(_DOCUMENT_OPENINGS, parameters)
        return _openings(rows, len(ids))


def _openings(rows: Iterable[Sequence[Any]], count: int) -> list[Opening]:
    texts: list[list[str]] = [[] for _ in range(count)]
    extents: list[Sequence[Any]] = [(0, 1, 1, 0, 0)] * count
    for at, text, *extent in rows:
        texts[at - 1].append(text)
        extents[at - 1] = extent
    return [
        # Without the white space after the last chunk of a document.
        Opening("".join(pieces)[: high - low], int(tokens), first, last, low, high)
        for pieces, (tokens, first, last, low, high) in zip(texts, extents, strict=True)
    ]


def _section(row: Sequence[Any], **scores: Any) -> SectionCandidate:
    values = dict(zip(_COLUMNS, row, strict=False))
    values["headings"] = tuple(values["headings"])
    return SectionCandidate(**values, **scores)
