"""What a window inherits from the text before it: open sections, ids and lines."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from outcrop.chunking.metadata import NO_SECTION, ChunkIds, MetadataRecalculator
from outcrop.chunking.streaming.ids import CompactChunkIds
from outcrop.markdown import Document

if TYPE_CHECKING:
    from outcrop.chunking.draft import Draft
    from outcrop.chunking.layout import Layout
    from outcrop.model.chunk import Chunk

# Parents of headings: -1 for no parent, -2 the outermost open section, -3 the one inside it.
_FIRST_OUTER = -2


@dataclass(frozen=True, slots=True)
class OpenSection:
    """A section that starts before a window and continues in it: level and path."""

    level: int
    path: str
    titles: list[str]


@dataclass(slots=True)
class WindowState:
    """The state between two windows.

    Attributes:
        sections: The open sections, outermost first.
        offset: Where the window starts.
        lines: How many lines lie before it.
        ids: Gives ids to chunks.
        boundary: Stage and rule of the boundary before the window.
        part: The number of the last part of the section that continues in the window,
            and its index as `MetadataRecalculator` counts them.
        last: The fields of the chunk before the window.
    """

    sections: list[OpenSection] = field(default_factory=list)
    offset: int = 0
    lines: int = 0
    ids: ChunkIds = field(default_factory=CompactChunkIds)
    boundary: tuple[str, str] = ("document", "start")
    part: tuple[int, int, int] = (0, NO_SECTION, NO_SECTION)
    last: dict[str, Any] | None = None

    @property
    def is_first(self) -> bool:
        """Whether the window starts the text."""
        return self.offset == 0


def attach(document: Document, sections: list[OpenSection], title: str) -> Document:
    """Return the document of a window with its outermost headings in open sections.

    Args:
        document: The window.
        sections: The sections that are open where it starts.
        title: The title of the whole text in its front matter.
    """
    headings = []
    open_now = len(sections)
    for heading in document.headings:
        while open_now and sections[open_now - 1].level >= heading.level:
            open_now -= 1
        if heading.parent < 0 and open_now:
            headings.append(heading._replace(parent=_FIRST_OUTER - (open_now - 1)))
        else:
            headings.append(heading)
    attached = Document(
        document.text, document.blocks, headings, is_plain=document.is_plain
    )
    vars(attached)["title"] = title  # where the cached property keeps its value
    return attached


class WindowRecalculator(MetadataRecalculator):
    """Computes the fields of the chunks of one window."""

    def __init__(
        self, layout: Layout, strategy: str, carried: WindowState, size: int | None
    ) -> None:
        super().__init__(layout, strategy)
        self._outer = carried.sections
        self._ids = carried.ids
        self._previous = carried.last
        self._part, self._part_section, self._last_section = carried.part
        self._carried = carried
        if size is not None:
            self._sizes[-1] = size

    def chunks(self, drafts: list[Draft], *, is_last: bool) -> list[Chunk]:
        """Turn drafts into chunks; offsets and lines are those of the window."""
        chunks = self.recalculate_all(drafts)
        self._carried.part = self._part, self._part_section, self._section_before()
        self._carried.last = self._previous
        if len(chunks) == 1 and not is_last:
            # Front matter is not worth finding where anything follows it.
            (only,) = chunks
            if only.end_offset <= self._front_matter_end:
                only.metadata["indexable"] = False
        return chunks

    def open_at(self, block: int) -> list[OpenSection]:
        """The sections that are open before a block, if it is a heading."""
        headings = self._document.headings
        if not headings:
            return []
        heading = self._document.section_of(block)
        inner: list[OpenSection] = []
        parent = headings[heading].parent
        while parent >= 0:
            path, titles, level = self._path(parent)
            inner.append(OpenSection(level, path, titles))
            parent = headings[parent].parent
        outer = self._outer[: _FIRST_OUTER - parent + 1] if parent < -1 else []
        return [*outer, *reversed(inner)]

    def _path(self, section: int) -> tuple[str, list[str], int]:
        if section >= 0 and section not in self._paths:
            heading = self._document.headings[section]
            if heading.parent <= _FIRST_OUTER:
                outer = self._outer[_FIRST_OUTER - heading.parent]
                title = self._document.titles[section]
                self._paths[section] = (
                    f"{outer.path}/{title}",
                    [*outer.titles, title],
                    heading.level,
                )
        return super()._path(section)


def place(chunk: Chunk, carried: WindowState) -> Chunk:
    """Return a chunk of a window with its place in the text."""
    if carried.is_first:
        return chunk
    start_line = chunk.start_line + carried.lines
    end_line = chunk.end_line + carried.lines
    chunk.metadata["start_line"] = start_line
    chunk.metadata["end_line"] = end_line
    return replace(
        chunk,
        start_line=start_line,
        end_line=end_line,
        start_offset=chunk.start_offset + carried.offset,
        end_offset=chunk.end_offset + carried.offset,
    )
