"""Sections of documents: replaced with their document, and read in order.

A section that exists before and after keeps its `created_at`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from outcrop.model.section import IndexedSection, Section
from outcrop.model.stored import document_id
from outcrop.store.bulk import copy_rows, create_stage, staged_rows
from outcrop.store.connected import ConnectedStore
from outcrop.store.lexical.weights import pack_weights
from outcrop.store.packing import (
    clean_row,
    pack_lines,
    pack_offsets,
    pack_texts,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from outcrop.store.database import Connection

# Words of sections are weighted with a fixed average length, so that the weights of
# stored sections do not depend on others.
_AVERAGE_TERMS = 200.0

# Types are those of binary COPY; `bytea` stands for values packed as PostgreSQL expects.
_COPY = {
    "id": "text",
    "document_id": "text",
    "document_hash": "text",
    "heading": "text",
    "section_path": "bytea",
    "depth": "int4",
    "parent_id": "text",
    '"order"': "int4",
    "place": "int4",
    "content": "text",
    "content_hash": "text",
    "token_count": "int4",
    "span_lines": "bytea",
    "span_chars": "bytea",
    "first_chunk": "int4",
    "last_chunk": "int4",
    "is_over_limit": "bool",
    "sv": "bytea",
    "summary": "text",
    "summary_error": "text",
}
_NAMES = ", ".join(_COPY)
_UPDATED = ", ".join(f"{name} = excluded.{name}" for name in _COPY if name != "id")
_PUT = f"""
INSERT INTO sections ({_NAMES})
SELECT {_NAMES} FROM sections_stage s ORDER BY id
ON CONFLICT (id) DO UPDATE SET {_UPDATED}, is_dirty = false,
    updated_at = CASE WHEN sections.content_hash = excluded.content_hash
        THEN sections.updated_at ELSE now() END
"""  # noqa: S608 - names of columns
_DELETE_OTHERS = """
DELETE FROM sections t WHERE t.document_id = ANY(%s)
    AND NOT EXISTS (SELECT FROM sections_stage s WHERE s.id = t.id)
"""
_MARK_DIRTY = "UPDATE sections SET is_dirty = true WHERE document_id = ANY(%s)"
# Headings that say what is below them, one per document: those of several words first,
# and among them those that ask something. The hash mixes documents, always alike.
_HEADINGS = r"""
SELECT heading FROM (
    SELECT DISTINCT ON (s.document_id) s.heading, md5(s.id) AS mixed,
        s.heading ~* '^(how|what|why|when|where|which|who) |\?$' AS asks,
        s.heading ~ '^\S+(\s+\S+){3,}$' AS is_long
    FROM sections s
    WHERE s.depth > 1 AND s.heading ~ '^[[:alpha:]]' AND length(s.heading) <= 70
        AND (s.heading ~ '^\S+(\s+\S+){2,7}$'
            OR s.heading ~ '[^\x01-\x7f]' AND length(s.heading) >= 6)
    ORDER BY s.document_id, is_long DESC, asks DESC, md5(s.id)
) chosen ORDER BY is_long DESC, asks DESC, mixed LIMIT %s
"""
_SUMMARIES = """
SELECT id, content_hash, summary FROM sections
WHERE document_id = ANY(%s) AND summary IS NOT NULL
"""
_READ = """
SELECT s.id, d.path, s.heading, s.depth, s.content, s.token_count, s.parent_id,
    s."order", s.document_hash, lower(s.span_chars), upper(s.span_chars),
    lower(s.span_lines), upper(s.span_lines) - 1, s.is_over_limit, s.is_dirty,
    NULL, s.created_at, s.updated_at, s.summary, d.summary, s.summary_error,
    s.section_path, s.first_chunk, s.last_chunk
FROM sections s JOIN documents d ON d.id = s.document_id
"""
_FIELDS = (
    *("id", "document_path", "heading", "depth", "content", "token_count", "parent_id"),
    *("order", "document_hash", "start_offset", "end_offset", "start_line", "end_line"),
    *("is_over_limit", "is_dirty", "vector", "created_at", "updated_at", "summary"),
    *("document_summary", "summary_error"),
)
_OF_DOCUMENT = f"{_READ} WHERE s.document_id = %s ORDER BY s.place"
_BY_PREFIX = f"{_READ} WHERE s.id LIKE %s ORDER BY s.id LIMIT %s"
_GET = f"{_READ} WHERE s.id = ANY(%s)"
_CHILDREN = f"""
{_READ} WHERE s.document_id = %s AND s.parent_id IS NOT DISTINCT FROM %s
ORDER BY s.place LIMIT %s OFFSET %s
"""


# The summary of the section that a chunk `c` is in. Sections tile a document, so it is the
# first one that does not end before the chunk; a heading without text is in the chunk of
# the section after it.
SECTION_SUMMARY = """(
    SELECT s.summary FROM sections s
    WHERE s.document_id = c.document_id AND s.last_chunk >= c.place
    ORDER BY s.last_chunk, s.place DESC LIMIT 1
)"""
_OF_CHUNKS = f"""
SELECT c.id, {SECTION_SUMMARY}, d.summary
FROM chunks c JOIN documents d ON d.id = c.document_id WHERE c.id = ANY(%s)
"""  # noqa: S608 - constants; values are bound


class StoredSummary(NamedTuple):
    """The stored summary of a section.

    Attributes:
        content_hash: Hash of the text that was summarised.
        summary: The summary.
    """

    content_hash: str
    summary: str


class Sections(ConnectedStore):
    """The sections of all documents."""

    def sections_of(self, path: str) -> list[Section]:
        """Return a document's sections in order; none if it is unknown."""
        rows = self._fetch(_OF_DOCUMENT, (document_id(path),))
        return [_unpack(row).section for row in rows]

    def get_sections(self, ids: Sequence[str]) -> list[IndexedSection]:
        """Return sections in the order of the ids; unknown ones are left out."""
        rows = self._fetch(_GET, (list(ids),)) if ids else []
        sections = {each.section.id: each for each in map(_unpack, rows)}
        return [sections[key] for key in ids if key in sections]

    def find_sections(self, prefix: str, *, limit: int = 10) -> list[IndexedSection]:
        """Return sections whose id starts with the given hexadecimal digits."""
        digits = prefix.lower()
        if not digits.isalnum():
            return []
        return list(map(_unpack, self._fetch(_BY_PREFIX, (f"{digits}%", limit))))

    def child_sections(
        self,
        path: str,
        parent_id: str | None,
        *,
        limit: int | None = None,
        offset: int = 0,
    ) -> list[IndexedSection]:
        """Return a page of a document's sections below another one, in order.

        Without a parent, these are the outermost ones.
        """
        parameters = (document_id(path), parent_id, limit, offset)
        return list(map(_unpack, self._fetch(_CHILDREN, parameters)))

    def some_headings(self, limit: int = 6) -> list[str]:
        """Return headings of several words, each of another document."""
        return [row[0] for row in self._fetch(_HEADINGS, (limit,))]

    def section_summaries(self, paths: Iterable[str]) -> dict[str, StoredSummary]:
        """Return the summaries of the sections of documents, by their ids."""
        ids = [document_id(path) for path in paths]
        return {
            row[0]: StoredSummary(*row[1:]) for row in self._fetch(_SUMMARIES, (ids,))
        }

    def chunk_summaries(
        self, chunk_ids: Sequence[str]
    ) -> dict[str, tuple[str | None, str | None]]:
        """Return the summaries of the section and the document of chunks, by id."""
        rows = self._fetch(_OF_CHUNKS, (list(chunk_ids),))
        return {row[0]: (row[1], row[2]) for row in rows}

    def mark_dirty(self, paths: Iterable[str]) -> None:
        """Mark the sections of documents whose files have changed."""
        ids = [document_id(path) for path in paths]
        if ids:
            with self._database.write() as connection:
                connection.execute(_MARK_DIRTY, (ids,))


def replace_sections(
    connection: Connection,
    sections: Mapping[str, Sequence[IndexedSection]],
    known: Collection[str],
) -> None:
    """Replace the sections of documents, which are given by path.

    The transaction is the one that writes the documents and their chunks. `known` has the
    ids of the documents that were stored before; the others have no sections to replace.
    """
    ids = {path: document_id(path) for path in sections}.items()
    before = {path: key for path, key in ids if key in known}
    new = [each for path in sections if path not in before for each in sections[path]]
    if new:
        copy_rows(connection, "sections", _COPY, _pack(new))
    if not before:
        return
    rows = _pack([each for path in before for each in sections[path]])
    with staged_rows(connection, "sections", _COPY, rows):
        connection.execute(_DELETE_OTHERS, (list(before.values()),))
        connection.execute(_PUT)


class SectionStage:
    """The new sections of one document, staged part by part.

    The transaction is the one that writes the document and its chunks.
    """

    def __init__(self, connection: Connection, path: str) -> None:
        self._connection = connection
        self._document_id = document_id(path)
        self._stage = create_stage(connection, "sections", _COPY)
        self._staged = 0

    def add(self, sections: Sequence[IndexedSection]) -> None:
        """Stage the next sections."""
        rows = _pack(sections, first_place=self._staged)
        copy_rows(self._connection, self._stage, _COPY, rows)
        self._staged += len(sections)

    def replace(self) -> None:
        """Replace the stored sections of the document by the staged ones."""
        self._connection.execute(f"ANALYZE {self._stage}")
        self._connection.execute(_DELETE_OTHERS, ([self._document_id],))
        self._connection.execute(_PUT)


def _pack(
    sections: Sequence[IndexedSection], first_place: int = 0
) -> Iterable[tuple[Any, ...]]:
    packed = pack_weights([each.terms for each in sections], _AVERAGE_TERMS)
    place, document = first_place, ""
    for each, weights in zip(sections, packed, strict=True):
        section = each.section
        place = place + 1 if section.document_path == document else first_place
        document = section.document_path
        yield clean_row(
            (
                section.id,
                document_id(document),
                section.document_hash,
                section.heading,
                pack_texts(each.headings),
                section.depth,
                section.parent_id,
                section.order,
                place,
                section.content,
                each.content_hash,
                section.token_count,
                pack_lines((section.start_line, section.end_line)),
                pack_offsets((section.start_offset, section.end_offset)),
                each.first_chunk,
                each.last_chunk,
                section.is_over_limit,
                weights,
                section.summary,
                section.summary_error,
            )
        )


def _unpack(row: Sequence[Any]) -> IndexedSection:
    *values, headings, first, last = row
    return IndexedSection(
        section=Section(**dict(zip(_FIELDS, values, strict=True))),
        headings=tuple(headings),
        first_chunk=first,
        last_chunk=last,
        terms={},
    )
