"""What an index offers someone who has not asked anything yet."""

from __future__ import annotations

from dataclasses import fields

from outcrop.model.stored import Document
from outcrop.store.connected import ConnectedStore

_FIELDS = [each.name for each in fields(Document)]
_RECENT = f"""
SELECT {", ".join(f"d.{name}" for name in _FIELDS)} FROM documents d
WHERE d.kind <> 'symbol'
ORDER BY d.modified_ns DESC NULLS LAST, d.updated_at DESC, d.path LIMIT %s
"""  # noqa: S608 - names of columns
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

_LANGUAGES = """
SELECT lang, count(*) FROM documents WHERE lang IS NOT NULL
GROUP BY lang ORDER BY 2 DESC, 1
"""


class Overview(ConnectedStore):
    """Recent documents, headings and languages to start from."""

    def recent_documents(self, limit: int = 8) -> list[Document]:
        """Return the documents whose files were changed last."""
        rows = self._fetch(_RECENT, (limit,))
        return [Document(**dict(zip(_FIELDS, row, strict=True))) for row in rows]

    def some_headings(self, limit: int = 6) -> list[str]:
        """Return headings of several words, each of another document."""
        return [row[0] for row in self._fetch(_HEADINGS, (limit,))]

    def languages(self) -> dict[str, int]:
        """Return the languages of documents and code, the most frequent first."""
        return dict(self._fetch(_LANGUAGES))
