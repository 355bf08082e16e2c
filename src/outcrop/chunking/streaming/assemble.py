"""Building the tree of a text that is read window by window, in two passes.

An inner node gets an id that no leaf has, and the title of a text may be its last
heading. So the first pass gives ids to all leaves, and the second one, which repeats
them, builds the tree: a node is complete when its section ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from outcrop.chunking.hierarchy_builder import (
    MAX_LEVEL,
    UNTITLED,
    complete_fields,
    root_content,
    root_fields,
    section_fields,
)
from outcrop.chunking.strategies import STRATEGIES, StrategySelector
from outcrop.chunking.streaming.ids import RecordedIds
from outcrop.chunking.streaming.survey import survey
from outcrop.chunking.streaming.tree import TreeWindows
from outcrop.model.chunk import Chunk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outcrop.chunking.config import ChunkConfig
    from outcrop.chunking.metadata import ChunkIds
    from outcrop.chunking.streaming.source import Source
    from outcrop.chunking.streaming.tree import SectionNode, TreeWindow


class TreeStream:
    """The tree of a text that may be larger than memory.

    Its nodes are those of `MarkdownChunker.chunk_hierarchical` with separate front
    matter. Go through `first_pass`, then through `second_pass`.

    Args:
        source: The text.
        config: Settings, without overlap.
        window: Number of characters to parse at a time.

    Attributes:
        has_headings: Whether the text has headings; only then it has windows.
        has_h1: Whether one of them is an H1, after the first pass.
    """

    def __init__(self, source: Source, config: ChunkConfig, window: int) -> None:
        self._source = source
        self._config = config
        self._window = window
        selector = StrategySelector(list(STRATEGIES))
        self._known = survey(source, selector, config, window)
        self.has_headings = not self._known.is_blank and self._known.size is None
        self.has_h1 = False
        self._ids = RecordedIds()
        self._chapter = self._heading = self._opening = self._strategy = ""

    def first_pass(self) -> Iterator[TreeWindow]:
        """Yield the windows, and note what the second pass needs."""
        for window in self._windows(self._ids):
            self.has_h1 |= any(each.level == 1 for each in window.headings)
            titles = [each for each in window.headings if each.title]
            chapters = (each.title for each in titles if each.level == 1)
            self._chapter = self._chapter or next(chapters, "")
            self._heading = self._heading or (titles[0].title if titles else "")
            self._opening = self._opening or window.opening
            self._strategy = window.strategy
            yield window

    def second_pass(self) -> Iterator[TreeWindow]:
        """Yield the same windows again."""
        return iter(self._windows(self._ids.repeated()))

    def assembler(self) -> TreeAssembler:
        """Return what builds the tree in the second pass."""
        title = self._known.title or self._chapter or self._heading or UNTITLED
        summary = self._opening if self._config.include_document_summary else ""
        return TreeAssembler(title, summary, self._strategy, self._ids)

    def _windows(self, ids: ChunkIds) -> TreeWindows:
        return TreeWindows(self._source, self._known, self._config, self._window, ids)


class TreeItem(NamedTuple):
    """A node of a tree with its place among all nodes in document order."""

    place: int
    chunk: Chunk


@dataclass(slots=True)
class _OpenNode:
    number: int
    index: int
    content: str
    fields: dict[str, Any]
    first: Chunk


class TreeAssembler:
    """Gives leaves their parents, and makes the inner nodes.

    The nodes lack the ids of their children and siblings, which may be millions.
    """

    def __init__(
        self, title: str, summary: str, strategy: str, ids: RecordedIds
    ) -> None:
        self._title = title
        self._summary = summary
        self._strategy = strategy
        self._ids = ids
        self._stack: list[_OpenNode] = []
        self._next = 0
        self._last: Chunk | None = None

    def add(self, leaf: Chunk, around: tuple[SectionNode, ...]) -> Iterator[TreeItem]:
        """Yield the inner nodes that end before a leaf, then the leaf."""
        if not self._stack:
            content = root_content(self._title, self._summary)
            chunk_id = self._ids.assign_other(b"document", content)
            self._push(-1, content, root_fields(chunk_id, self._title), leaf)
        depth = 1
        for node, known in zip(around, self._stack[1:], strict=False):
            if known.number != node.number:
                break
            depth += 1
        yield from self._close_to(depth)
        for node in around[depth - 1 :]:
            chunk_id = self._ids.assign_other(b"section", node.content)
            fields = section_fields(chunk_id, node.headers, node.level)
            fields["parent_id"] = self._stack[-1].fields["chunk_id"]
            self._push(node.number, node.content, fields, leaf)
        metadata = leaf.metadata
        level = metadata["header_level"]
        metadata["hierarchy_level"] = min(level, MAX_LEVEL) or MAX_LEVEL
        metadata["is_leaf"] = True
        metadata["parent_id"] = self._stack[-1].fields["chunk_id"]
        self._last = leaf
        yield TreeItem(self._take_index(), leaf)

    def finish(self) -> Iterator[TreeItem]:
        """Yield the inner nodes that end with the text, the root last."""
        return self._close_to(0)

    def _push(
        self, number: int, content: str, fields: dict[str, Any], leaf: Chunk
    ) -> None:
        complete_fields(fields, self._strategy)
        node = _OpenNode(number, self._take_index(), content, fields, leaf)
        self._stack.append(node)

    def _take_index(self) -> int:
        self._next += 1
        return self._next - 1

    def _close_to(self, depth: int) -> Iterator[TreeItem]:
        while len(self._stack) > depth and self._last is not None:
            node, last = self._stack.pop(), self._last
            chunk = Chunk(
                content=node.content,
                start_line=node.first.start_line,
                end_line=last.end_line,
                start_offset=node.first.start_offset,
                end_offset=last.end_offset,
                metadata=node.fields,
            )
            yield TreeItem(node.index, chunk)
