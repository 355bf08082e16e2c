"""Chunks with their embeddings, page by page, for an export."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from outcrop.store.connected import ConnectedStore

if TYPE_CHECKING:
    from collections.abc import Iterator

CHUNKS_PER_PAGE = 500
_READ = """
SELECT c.id, d.path, c.content, c.emb::real[], c.kind, c.source, c.title,
    c.section_path, c.level, c.token_count, c.lang_detected,
    lower(c.span_lines), upper(c.span_lines) - 1,
    lower(c.span_chars), upper(c.span_chars)
FROM chunks c JOIN documents d ON d.id = c.document_id
WHERE c.indexable AND c.id > %(after)s
ORDER BY c.id LIMIT %(limit)s
"""
_FIELDS = (
    *("kind", "source", "title", "headers", "level", "token_count", "language"),
    *("start_line", "end_line", "start_offset", "end_offset"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedChunk:
    """A chunk that search finds, with its embedding.

    Attributes:
        id: Its id in the index.
        path: The document.
        content: The text.
        vector: The embedding, or None before the chunk is embedded.
        fields: Headings, lines, offsets and other metadata.
    """

    id: str
    path: str
    content: str
    vector: list[float] | None
    fields: dict[str, Any]


class EmbeddedChunks(ConnectedStore):
    """Reads all chunks that search finds."""

    def embedded_chunks(self) -> Iterator[list[EmbeddedChunk]]:
        """Yield pages of chunks with their embeddings, by id."""
        after = ""
        while True:
            rows = self._fetch(_READ, {"after": after, "limit": CHUNKS_PER_PAGE})
            if not rows:
                return
            yield [_unpack(row) for row in rows]
            after = rows[-1][0]


def _unpack(row: tuple[Any, ...]) -> EmbeddedChunk:
    key, path, content, vector, *others = row
    fields = dict(zip(_FIELDS, others, strict=True))
    fields["headers"] = list(fields["headers"] or ())
    return EmbeddedChunk(
        id=key, path=path, content=content, vector=vector, fields=fields
    )
