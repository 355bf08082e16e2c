"""The leaves of a text's tree, a window at a time, equal to those of the whole text.

A window of a tree ends before a heading of level 1 to 3, so that the sections of the
index are never cut. Every section that continues after it has its opening words before it,
so its inner node is complete as soon as it opens.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from outcrop.chunking.chunker import cut_at_headings
from outcrop.chunking.headers import keep_headings_with_text
from outcrop.chunking.hierarchy_builder import section_of_leaf
from outcrop.chunking.invariants import check_spans
from outcrop.chunking.layout import Layout
from outcrop.chunking.metadata import warn_if_plain
from outcrop.chunking.outline import (
    Openings,
    SectionRoles,
    part_front_matter,
    separate_empty_headings,
)
from outcrop.chunking.section_splitter import split_drafts
from outcrop.chunking.strategies import StructuralStrategy
from outcrop.chunking.streaming.outer import WindowRecalculator, attach, place
from outcrop.chunking.streaming.windows import Windows, can_restart

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.chunking.config import ChunkConfig
    from outcrop.chunking.draft import Draft
    from outcrop.chunking.metadata import ChunkIds
    from outcrop.chunking.streaming.source import Source
    from outcrop.chunking.streaming.survey import Survey
    from outcrop.markdown import Document, Heading
    from outcrop.model.chunk import Chunk

_MAX_CUT_LEVEL = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionNode:
    """What is known of an inner node when its section opens.

    Attributes:
        number: The number of its heading in the text.
        content: Its text.
        headers: The titles down to its own.
        level: The level of its heading.
    """

    number: int
    content: str
    headers: list[str]
    level: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeWindow:
    """A part of a text with its leaves.

    Attributes:
        text: The part.
        offset: Where it starts in the text.
        lines: How many lines lie before it.
        headings: Its headings, with offsets of the part.
        leaves: Its leaves, with offsets and lines of the text.
        nodes: For each leaf, the inner nodes around it below the root, outermost first.
        opening: The first words of the part.
        strategy: The name of the strategy.
    """

    text: str
    offset: int
    lines: int
    headings: Sequence[Heading]
    leaves: Sequence[Chunk]
    nodes: Sequence[tuple[SectionNode, ...]]
    opening: str
    strategy: str


class TreeWindows(Windows[TreeWindow]):
    """The leaves of a text with headings, window by window; see `Windows`.

    The settings have no overlap.
    """

    def __init__(
        self,
        source: Source,
        known: Survey,
        config: ChunkConfig,
        window: int,
        ids: ChunkIds,
    ) -> None:
        super().__init__(source, known, config, window)
        is_flat = known.strategy.name == "fallback"
        self._strategy = StructuralStrategy() if is_flat else known.strategy
        self._carried.ids = ids
        self._headings_before = 0
        self._open: list[SectionNode | None] = []  # of each open section, if it has one

    def _cut(self, document: Document) -> TreeWindow | None:
        carried, is_last = self._carried, self._buffer.is_last
        document = attach(document, carried.sections, self._known.title)
        layout = Layout(document, self._config)
        separate_empty_headings(document, layout.glued)
        drafts = self._strategy.drafts(layout)
        at = len(drafts) if is_last else self._last_restart(drafts, layout)
        if not at:
            return None
        following = None if is_last else drafts[at]
        drafts = self._complete(drafts[:at], layout)
        recalculator = WindowRecalculator(layout, self._strategy.name, carried, None)
        leaves = recalculator.chunks(drafts, is_last=is_last)
        end = len(document.text) if following is None else following.start
        check_spans(leaves, document.text[:end])
        warn_if_plain(leaves, document)
        nodes = _Nodes(
            recalculator, document, self._open, self._headings_before, carried.is_first
        )
        window = TreeWindow(
            text=document.text[:end],
            offset=carried.offset,
            lines=carried.lines,
            headings=[each for each in document.headings if each.start < end],
            leaves=[place(leaf, carried) for leaf in leaves],
            nodes=[nodes.around(section_of_leaf(document, leaf)) for leaf in leaves],
            opening=nodes.openings.of(-1) if carried.is_first else "",
            strategy=self._strategy.name,
        )
        if following is not None:
            self._open = nodes.open_at(following.first)
            self._headings_before += len(window.headings)
            self._advance(document, recalculator, following)
        return window

    def _complete(self, drafts: list[Draft], layout: Layout) -> list[Draft]:
        drafts = cut_at_headings(drafts, layout)
        if self._carried.is_first:
            drafts = part_front_matter(drafts, layout)
        drafts[0].stage, drafts[0].rule = self._carried.boundary
        return split_drafts(keep_headings_with_text(drafts, layout), layout)

    def _last_restart(self, drafts: list[Draft], layout: Layout) -> int:
        """The last draft that the next window may start with, or 0."""
        document = layout.document
        openings = Openings(document)
        for at in range(len(drafts) - 1, 0, -1):
            block = drafts[at].first
            if not can_restart(block, layout, at_paragraphs=False):
                continue
            heading = document.headings[document.section_of(block)]
            if heading.level <= _MAX_CUT_LEVEL and self._are_open(heading, openings):
                return at
        return 0

    def _are_open(self, heading: Heading, openings: Openings) -> bool:
        """Whether all sections around a heading have opening words before it."""
        firsts = [0] if self._carried.is_first else []
        parent = heading.parent
        while parent >= 0:
            outer = openings.document.headings[parent]
            firsts.append(outer.block)
            parent = outer.parent
        return all(
            openings.first_with_words(first, heading.block) is not None
            for first in firsts
        )


class _Nodes:
    """The inner nodes of one window."""

    def __init__(
        self,
        recalculator: WindowRecalculator,
        document: Document,
        outer: list[SectionNode | None],
        headings_before: int,
        is_first: bool,  # noqa: FBT001 - one of several plain values
    ) -> None:
        self.openings = Openings(document)
        self._recalculator = recalculator
        self._document = document
        self._is_node = SectionRoles(document, is_start=is_first).is_node
        self._outer = outer
        self._before = headings_before
        self._known: dict[int, SectionNode] = {}

    def around(self, section: int) -> tuple[SectionNode, ...]:
        """The nodes around the own text of a section, outermost first."""
        return tuple(node for node in self._path(section) if node is not None)

    def open_at(self, block: int) -> list[SectionNode | None]:
        """The node of each section that is open before a heading, if it has one."""
        headings = self._document.headings
        return self._path(headings[self._document.section_of(block)].parent)

    def _path(self, section: int) -> list[SectionNode | None]:
        inner: list[SectionNode | None] = []
        while section >= 0:
            inner.append(self._node(section) if self._is_node[section] else None)
            section = self._document.headings[section].parent
        # Parents before the window are numbered -2, -3 and so on, from the outside in.
        outer = self._outer[: -1 - section] if section < -1 else []
        return [*outer, *reversed(inner)]

    def _node(self, section: int) -> SectionNode:
        known = self._known.get(section)
        if known is None:
            heading = self._document.headings[section]
            source = self._document.text[heading.start : heading.end]
            opening = self.openings.of(section)
            known = self._known[section] = SectionNode(
                number=self._before + section,
                content=f"{source}\n\n{opening}" if opening else source,
                headers=self._recalculator.headers_of(section),
                level=heading.level,
            )
        return known
