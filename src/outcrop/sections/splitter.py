"""Cutting a document at its headings, mechanically.

Headings of level 1 to 3 start a section; everything else is text of the section it
stands in. The own texts of the sections tile the document: joined, they are the
document, to the character. Nothing is cut because it is long.

Only headings outside lists, quotes and footnotes count, and `#` in code is text: the
parser knows, a pattern would not.
"""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import KW_ONLY, dataclass, field
from enum import StrEnum
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from outcrop.errors import ConfigError
from outcrop.markdown import parse
from outcrop.markdown.document import path_title
from outcrop.model.section import DOCUMENT_ROOT, Section
from outcrop.text.offsets import LineCounter
from outcrop.text.tokens import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from outcrop.markdown import Heading

_logger = logging.getLogger(__name__)

_BYTE_ORDER_MARK = "\ufeff"
_ID_DIGITS = 16
_MAX_HEADING_LEVEL = 6


class ContentScope(StrEnum):
    """How much text a section carries."""

    OWN = "own"  # up to the next section, whatever its depth
    SUBTREE = "subtree"  # with the text of the sections below it


@dataclass(frozen=True, slots=True)
class IndexingConfig:
    """Settings of `MarkdownSplitter`.

    Attributes:
        max_tokens_per_section: A longer section is reported, never cut.
        max_depth: Headings up to this level start a section; deeper ones are text.
        content_scope: `own` cuts the document into disjoint sections; `subtree`
            gives a section the text of the sections below it as well, so that a
            chapter can be found by what its sections say.
    """

    max_tokens_per_section: int = 2000
    _: KW_ONLY
    max_depth: int = 3
    content_scope: ContentScope | str = ContentScope.OWN

    def __post_init__(self) -> None:
        if self.max_tokens_per_section < 1:
            raise ConfigError(
                f"max_tokens_per_section is {self.max_tokens_per_section!r},"
                " but it must be at least 1"
            )
        if not 1 <= self.max_depth <= _MAX_HEADING_LEVEL:
            raise ConfigError(f"max_depth is {self.max_depth!r}, but it must be 1 to 6")
        if self.content_scope not in list(ContentScope):
            known = " or ".join(repr(scope.value) for scope in ContentScope)
            raise ConfigError(
                f"content_scope is {self.content_scope!r}, but it must be {known}"
            )


class SectionHeading(NamedTuple):
    """A heading that a section may begin with."""

    level: int
    title: str
    start: int  # of its first line


class MarkdownSplitter:
    """Splits Markdown documents into sections.

    Args:
        config: Depth, scope and the limit above which a section is reported.
        token_counter: What measures a section.
    """

    def __init__(
        self,
        config: IndexingConfig | None = None,
        token_counter: TokenCounter | None = None,
    ) -> None:
        self.config = config or IndexingConfig()
        self.token_counter = token_counter or TokenCounter()

    def split(
        self, content: str, document_path: str, document_hash: str
    ) -> list[Section]:
        """Split one document.

        Args:
            content: The Markdown text.
            document_path: Name of the document; part of every id.
            document_hash: Hash of the document, kept with every section.

        Returns:
            The sections in the order of the document; none where it is blank.
        """
        headings = find_headings(content)
        sections = self.split_at(headings, content, document_path, document_hash)
        self._report_long(sections)
        return sections

    def split_at(
        self,
        headings: Iterable[SectionHeading],
        content: str,
        document_path: str,
        document_hash: str,
    ) -> list[Section]:
        """Split a document at known headings; see `split`."""
        levels = [head for head in headings if head.level <= self.config.max_depth]
        spans = _find_spans(content, levels)
        if self.config.content_scope == ContentScope.SUBTREE:
            _widen_to_subtrees(spans, len(content))
        part = TextPart(content)
        return self._sections(spans, part, SectionTrail(document_path), document_hash)

    def split_part(
        self,
        headings: Iterable[SectionHeading],
        part: TextPart,
        trail: SectionTrail,
        document_hash: str,
    ) -> list[Section]:
        """Split a part of a document that starts and ends between two sections.

        Its sections are added to the trail of those before it.
        """
        levels = [head for head in headings if head.level <= self.config.max_depth]
        spans = _find_spans(part.text, levels)
        return self._sections(spans, part, trail, document_hash)

    def _sections(
        self,
        spans: Sequence[_Span],
        part: TextPart,
        trail: SectionTrail,
        document_hash: str,
    ) -> list[Section]:
        texts = [part.text[span.start : span.end] for span in spans]
        counts = self.token_counter.count_batch(texts)
        lines = _count_lines(part.text, spans)
        sections = []
        for index, span in enumerate(spans):
            known = trail.add(span.heading, span.depth)
            sections.append(
                Section(
                    id=known.id,
                    document_path=trail.document_path,
                    heading=span.heading,
                    depth=span.depth,
                    content=texts[index],
                    token_count=counts[index],
                    parent_id=known.parent_id,
                    order=known.order,
                    document_hash=document_hash,
                    start_offset=part.offset + span.start,
                    end_offset=part.offset + span.end,
                    start_line=part.lines_before + lines[index][0],
                    end_line=part.lines_before + lines[index][1],
                    is_over_limit=counts[index] > self.config.max_tokens_per_section,
                )
            )
        return sections

    def _report_long(self, sections: Sequence[Section]) -> None:
        for section in sections:
            if section.is_over_limit:
                _logger.warning(
                    "section %r of %r exceeds max_tokens_per_section (%d > %d)",
                    path_title(section.heading),
                    section.document_path,
                    section.token_count,
                    self.config.max_tokens_per_section,
                )


class TextPart(NamedTuple):
    """A part of a text, and what comes before it."""

    text: str
    offset: int = 0
    lines_before: int = 0


@dataclass(slots=True)
class _Span:
    """A section while it is being found."""

    heading: str
    depth: int
    start: int
    end: int


def find_headings(
    text: str, embedded: Sequence[tuple[int, int]] = ()
) -> list[SectionHeading]:
    """Return the headings of Markdown outside `embedded` spans, with their lines."""
    return place_headings(text, parse(text, embedded).headings)


def place_headings(text: str, headings: Iterable[Heading]) -> list[SectionHeading]:
    """Return parsed headings of a text with the starts of their lines."""
    return [
        SectionHeading(heading.level, heading.title, _line_start(text, heading))
        for heading in headings
    ]


def _find_spans(text: str, headings: Sequence[SectionHeading]) -> list[_Span]:
    """The sections of a text with their own spans, which tile it."""
    starts = [heading.start for heading in headings]
    spans: list[_Span] = []
    first = starts[0] if starts else len(text)
    preamble = text[:first]
    # A byte order mark goes with the first heading, if there is one.
    if preamble.removeprefix(_BYTE_ORDER_MARK if starts else "").strip():
        spans.append(_Span(DOCUMENT_ROOT, 0, 0, first))
    elif starts:
        starts[0] = 0  # blank lines before the first heading go with it
    ends = [*starts[1:], len(text)]
    for heading, start, end in zip(headings, starts, ends, strict=False):
        spans.append(_Span(heading.title, heading.level, start, end))
    return spans


def _line_start(text: str, heading: Heading) -> int:
    """Where the first line of a heading begins; it may be indented."""
    start = heading.start
    while start and text[start - 1] == " ":
        start -= 1
    return start


def _widen_to_subtrees(spans: list[_Span], length: int) -> None:
    """Extend every section to the start of the next one that is not below it."""
    open_spans: list[_Span] = []
    for span in spans:
        while open_spans and open_spans[-1].depth >= span.depth:
            open_spans.pop().end = span.start
        if span.depth:
            open_spans.append(span)
    for span in open_spans:
        span.end = length


class SectionPlace(NamedTuple):
    """The id of a section, and its place in the tree of sections."""

    id: str
    parent_id: str | None
    order: int


@dataclass(slots=True)
class _OpenSection:
    """A section that may have more sections below it."""

    depth: int
    digest: bytes
    children: int = 0
    seen: Counter[str] = field(default_factory=Counter)

    @property
    def id(self) -> str:
        return self.digest.hex()[:_ID_DIGITS]


class SectionTrail:
    """Gives each section of a document its id and its parent, in order.

    An id is derived from the path, the headings above and the occurrence: other sections
    do not matter. Each hash takes up the parent's, so the headings above need not be
    repeated, and a second "Usage" under one chapter leaves the "Usage" of the next
    alone.
    """

    def __init__(self, document_path: str) -> None:
        self.document_path = document_path
        self._open = [_OpenSection(0, _digest(b"", document_path, 0))]

    @property
    def open_ids(self) -> list[str]:
        """The ids of the sections that may go on, outermost first."""
        return [each.id for each in self._open[1:]]

    def add(self, heading: str, depth: int) -> SectionPlace:
        """Add the next section; a depth of 0 is the text before all headings."""
        while len(self._open) > 1 and self._open[-1].depth >= depth:
            self._open.pop()
        above = self._open[-1]
        parent_id = above.id if len(self._open) > 1 else None
        order = above.children
        above.children += 1
        # Headings count from 1, the root is 0: a heading may have its very name.
        if depth:
            above.seen[heading] += 1
        section = _OpenSection(
            depth, _digest(above.digest, heading, above.seen[heading] if depth else 0)
        )
        if depth:
            self._open.append(section)
        return SectionPlace(section.id, parent_id, order)


def _digest(above: bytes, name: str, occurrence: int) -> bytes:
    data = above + occurrence.to_bytes(8) + name.encode("utf-8", "surrogatepass")
    return blake2b(data, digest_size=32).digest()


def _count_lines(text: str, spans: Sequence[_Span]) -> list[tuple[int, int]]:
    """First and last line of each section that is not blank, from 1."""
    lines = LineCounter(text)
    found: list[tuple[int, int]] = []
    for span in spans:
        content = text[span.start : span.end]
        visible = content.removeprefix(_BYTE_ORDER_MARK).lstrip() or content
        first = lines.line_at(span.end - len(visible))
        found.append((first, lines.line_at(span.start + len(content.rstrip()))))
    return found
