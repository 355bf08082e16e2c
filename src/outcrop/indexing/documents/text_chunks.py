"""Makes the chunks of a document that is text, without side effects."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from hashlib import sha256
from itertools import pairwise
from typing import TYPE_CHECKING

from outcrop.chunking.metadata import ChunkIds
from outcrop.indexing.documents.formats.document_text import Outline
from outcrop.model.stored import StoredChunk
from outcrop.text.boundaries import find_cut
from outcrop.text.language import detect_language
from outcrop.text.offsets import LineCounter, first_visible
from outcrop.text.search_text import ABOUT, document_search_text
from outcrop.text.tokens import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from outcrop.indexing.config import IndexConfig
    from outcrop.indexing.documents.formats.document_text import (
        DocumentText,
        TextSection,
    )

Span = tuple[int, int]

_BLANK_LINES = re.compile(r"(?:\r\n?|\n)[^\S\r\n]*(?:\r\n?|\n)\s*")
_CHARACTERS_PER_TOKEN = 4


def cut_plain_text(
    text: str,
    limit: int,
    length: Callable[[str], int],
    blocks: Sequence[Span] = (),
) -> list[Span]:
    """Return half-open spans of a text, without white space at their ends.

    Each measures at most `limit`, as `length` measures a text. A block, such as a code
    listing, is not cut at blank lines; one over the limit is, or else at lines.
    """
    spans: list[Span] = []
    for start, end in _pieces(text, limit, length, blocks):
        if spans and length(text[spans[-1][0] : end]) <= limit:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return spans


def _pieces(
    text: str, limit: int, length: Callable[[str], int], blocks: Sequence[Span]
) -> Iterator[Span]:
    """Yield paragraphs, or parts of those that are over the limit."""
    for paragraph, end in _paragraphs(text, blocks):
        start = paragraph
        while start < end:
            cut = _fitting_end(text, start, end, limit, length)
            yield start, start + len(text[start:cut].rstrip())
            start = first_visible(text, cut, end)


def _paragraphs(text: str, blocks: Sequence[Span]) -> Iterator[Span]:
    start = first_visible(text, 0, len(text))
    while start < len(text):
        blank = _blank_outside(text, start, blocks)
        stop = blank.start() if blank else len(text)
        yield start, start + len(text[start:stop].rstrip())
        start = first_visible(text, blank.end(), len(text)) if blank else len(text)


def _blank_outside(
    text: str, start: int, blocks: Sequence[Span]
) -> re.Match[str] | None:
    """Return the next blank lines that are not inside a block."""
    blank = _BLANK_LINES.search(text, start)
    while blank is not None:
        at = bisect_right(blocks, (blank.start(), len(text))) - 1
        if at < 0 or blocks[at][1] <= blank.start():
            return blank
        blank = _BLANK_LINES.search(text, blocks[at][1])
    return None


def _fitting_end(
    text: str, start: int, end: int, limit: int, length: Callable[[str], int]
) -> int:
    """Return the end of a piece that starts here, at least one character later."""
    high = _longest_fit(text, start, end, limit, length)
    if high == end:
        return end
    middle = start + (high - start) // 2
    blank = _last_blank(text, middle, high)
    if blank is not None:
        return blank
    cut, _ = find_cut(text, start, high, middle, by_line=True)
    return max(cut, start + 1)


def _last_blank(text: str, start: int, end: int) -> int | None:
    """Return where the last blank lines of a range start, if it has any."""
    starts = [blank.start() for blank in _BLANK_LINES.finditer(text, start, end)]
    return starts[-1] if starts else None


def _longest_fit(
    text: str, start: int, end: int, limit: int, length: Callable[[str], int]
) -> int:
    """Return the last offset up to which the text fits, or a little less."""
    step = limit * _CHARACTERS_PER_TOKEN
    low, high = start, min(end, start + step)
    while high < end and length(text[start:high]) <= limit:
        low, high = high, min(end, high + step)
    if length(text[start:high]) <= limit:
        return high
    while high - low > 1:
        middle = (low + high) // 2
        if length(text[start:middle]) <= limit:
            low = middle
        else:
            high = middle
    return max(low, start + 1)


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
