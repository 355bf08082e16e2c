"""Makes the chunks of a document that is text, without side effects."""

from __future__ import annotations

from bisect import bisect_left
from hashlib import sha256
from itertools import pairwise
from typing import TYPE_CHECKING

from outcrop.chunking.metadata import ChunkIds
from outcrop.indexing.documents.formats.outline import Outline
from outcrop.indexing.documents.plain_text import cut_plain_text
from outcrop.model.stored import StoredChunk
from outcrop.text.language import detect_language
from outcrop.text.offsets import LineCounter
from outcrop.text.search_text import ABOUT, document_search_text
from outcrop.text.tokens import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.indexing.config import IndexConfig
    from outcrop.indexing.documents.formats.document_text import DocumentText
    from outcrop.indexing.documents.formats.outline import TextSection
    from outcrop.indexing.documents.plain_text import Span

# Plain text has no sections that search could join again, so its chunks are larger: with
# twice the size, a tenth more is found.
_TEXT_FACTOR = 2


def cut_text(path: str, source: DocumentText, config: IndexConfig) -> list[StoredChunk]:
    """Cut a text at its sections, and those at paragraphs, lines and sentences."""
    text, outline = source.text, source.outline or Outline()
    counter = TokenCounter(config.encoding)
    limit = _TEXT_FACTOR * config.max_tokens
    spans = [
        (section.start + start, section.start + end, section.headers)
        for section in outline.sections(text)
        for start, end in cut_plain_text(
            text[section.start : section.end],
            limit,
            counter,
            _blocks_of(section, outline.blocks),
        )
    ]
    spans.append((len(text), len(text), ()))
    bare = [outline.is_title_alone(text, start, end) for start, end, _ in spans[:-1]]
    hides_bare = not all(bare)  # or the document has nothing else
    ids, lines = ChunkIds(), LineCounter(text)
    chunks: list[StoredChunk] = []
    for index, ((start, end, headers), (following, *_)) in enumerate(pairwise(spans)):
        content = text[start:end]
        about = source.about if index == 0 else ""
        searched = document_search_text(path, headers, content, about)
        indexable = not (hides_bare and bare[index])
        chunks.append(
            StoredChunk(
                path=path,
                chunk_id=ids.assign(b"text", content),
                source="doc",
                kind="text",
                lang_detected=detect_language(content),
                content=content,
                content_hash=sha256(content.encode()).hexdigest(),
                search_hash=searched.hash,
                token_count=counter(content),
                chunk_index=index,
                start_line=lines.line_at(start),
                end_line=lines.line_at(end - 1),
                start_offset=start,
                end_offset=end,
                title=headers[-1] if headers else None,
                section_path=headers,
                header_level=len(headers) or None,
                level=max(1, len(headers)),
                metadata={
                    "gap_after": text[end:following],
                    **({ABOUT: about} if about else {}),
                },
                indexable=indexable,
                terms=searched.terms if indexable else {},
            )
        )
    return chunks


def _blocks_of(section: TextSection, blocks: Sequence[Span]) -> list[Span]:
    """Return the blocks of a section, with offsets from its start."""
    first = bisect_left(blocks, (section.start, 0))
    last = bisect_left(blocks, (section.end, 0))
    return [
        (start - section.start, end - section.start)
        for start, end in blocks[first:last]
    ]
