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
from dataclasses import KW_ONLY, dataclass
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
    """A heading that a section may begin with.

    Attributes:
        level: Its level, from 1.
        title: Its visible text.
        start: Where its first line starts.
    """

    level: int
    title: str
    start: int


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
        nodes = _find_nodes(content, levels)
        if self.config.content_scope == ContentScope.SUBTREE:
            _widen_to_subtrees(nodes, len(content))
        texts = [content[node.start : node.end] for node in nodes]
        counts = self.token_counter.count_batch(texts)
        ids = _derive_ids(nodes, document_path)
        lines = _count_lines(content, nodes)
        return [
            Section(
                id=ids[index],
                document_path=document_path,
                heading=node.heading,
                depth=node.depth,
                content=texts[index],
                token_count=counts[index],
                parent_id=ids[node.parent] if node.parent is not None else None,
                order=node.order,
                document_hash=document_hash,
                start_offset=node.start,
                end_offset=node.end,
                start_line=lines[index][0],
                end_line=lines[index][1],
                is_over_limit=counts[index] > self.config.max_tokens_per_section,
            )
            for index, node in enumerate(nodes)
        ]

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


@dataclass(slots=True)
class _Node:
    """A section while it is being found."""

    heading: str
    depth: int
    start: int
    end: int
    parent: int | None  # index of the node it hangs on
    order: int


def find_headings(
    text: str, embedded: Sequence[tuple[int, int]] = ()
) -> list[SectionHeading]:
    """Return the headings of Markdown outside `embedded` spans, with their lines."""
    return [
        SectionHeading(heading.level, heading.title, _line_start(text, heading))
        for heading in parse(text, embedded).headings
    ]


def _find_nodes(text: str, headings: Sequence[SectionHeading]) -> list[_Node]:
    """The sections of a text with their own spans, which tile it."""
    starts = [heading.start for heading in headings]
    nodes: list[_Node] = []
    children: dict[int | None, int] = {}
    first = starts[0] if starts else len(text)
    preamble = text[:first]
    # A byte order mark goes with the first heading, if there is one.
    if preamble.removeprefix(_BYTE_ORDER_MARK if starts else "").strip():
        nodes.append(_Node(DOCUMENT_ROOT, 0, 0, first, None, 0))
        children[None] = 1
    elif starts:
        starts[0] = 0  # blank lines before the first heading go with it
    open_nodes: list[int] = []
    ends = [*starts[1:], len(text)]
    for heading, start, end in zip(headings, starts, ends, strict=False):
        while open_nodes and nodes[open_nodes[-1]].depth >= heading.level:
            open_nodes.pop()
        parent = open_nodes[-1] if open_nodes else None
        order = children.get(parent, 0)
        children[parent] = order + 1
        open_nodes.append(len(nodes))
        nodes.append(_Node(heading.title, heading.level, start, end, parent, order))
    return nodes


def _line_start(text: str, heading: Heading) -> int:
    """Where the first line of a heading begins; it may be indented."""
    start = heading.start
    while start and text[start - 1] == " ":
        start -= 1
    return start


def _widen_to_subtrees(nodes: list[_Node], length: int) -> None:
    """Let every section end where the next one begins that does not hang on it."""
    open_nodes: list[_Node] = []
    for node in nodes:
        while open_nodes and open_nodes[-1].depth >= node.depth:
            open_nodes.pop().end = node.start
        if node.depth:
            open_nodes.append(node)
    for node in open_nodes:
        node.end = length


def _derive_ids(nodes: Sequence[_Node], document_path: str) -> list[str]:
    """Ids from path, headings above and occurrence: other sections do not matter.

    Each hash takes up the parent's, so the headings above need not be repeated, and a
    second "Usage" under one chapter leaves the "Usage" of the next alone.
    """
    digests: list[bytes] = []
    document = _digest(b"", document_path, 0)
    seen: Counter[tuple[bytes, str]] = Counter()
    for node in nodes:
        above = document if node.parent is None else digests[node.parent]
        # Headings count from 1, the root is 0: a heading may have its very name.
        if node.depth:
            seen[above, node.heading] += 1
        digests.append(_digest(above, node.heading, seen[above, node.heading]))
    return [digest.hex()[:_ID_DIGITS] for digest in digests]


def _digest(above: bytes, name: str, occurrence: int) -> bytes:
    data = above + occurrence.to_bytes(8) + name.encode("utf-8", "surrogatepass")
    return blake2b(data, digest_size=32).digest()


def _count_lines(text: str, nodes: Sequence[_Node]) -> list[tuple[int, int]]:
    """First and last line of each section that is not blank, from 1."""
    lines = LineCounter(text)
    found: list[tuple[int, int]] = []
    for node in nodes:
        content = text[node.start : node.end]
        visible = content.removeprefix(_BYTE_ORDER_MARK).lstrip() or content
        first = lines.line_at(node.end - len(visible))
        found.append((first, lines.line_at(node.start + len(content.rstrip()))))
    return found
